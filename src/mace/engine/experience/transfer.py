"""Export and import: everything moves, with what it has lived through.

An export is lines of canonical JSON in the order of ids: the same bytes for the same state, words in the clear (only
whoever may read everything makes one, on the record), with what lived through the Megrams since: recalls, marks,
retirements. An import goes through the ledger like every write; a line that is wrong refuses the whole file before
anything is written, and a second import of the same file adds nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.engine.experience import lines as reading
from mace.engine.experience import rows
from mace.engine.experience.consented import Consented
from mace.engine.experience.contents import Contents
from mace.engine.experience.feed import Feed
from mace.engine.experience.lines import Line
from mace.engine.experience.projection import RETRACTED
from mace.engine.experience.views import pair_pages
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.missing_keys import is_erased
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.memory.experience import megrams, pairs
from mace.storage.experience_ports import NEVER, Experience, ExperienceStore, MegramRow
from mace.storage.ports import Tx

_STEP = 500
_PER_EVENT = 100


class Transfer:
    """Exports and imports all experience of a store."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        store: ExperienceStore,
        feed: Feed,
        contents: Contents,
        consented: Consented,
    ) -> None:
        self._consented = consented
        self._world = world
        self._recorder = recorder
        self._store = store
        self._feed = feed
        self._contents = contents

    # Away

    def export(self, actor: str) -> Iterator[bytes]:
        """Yield the lines; that somebody began is on the record before the first, what they got after the last."""
        journal = VerbJournal(self._recorder, "experience.export")
        begun = {"megrams": sum(self._store.read(lambda x: x.counts()).values()), "sha256": None, "actor": actor}
        self._world.store.write(lambda tx: journal.event(tx, "EXPERIENCE_EXPORTED", begun, actor))
        digest, count = sha256(), 0
        head = canon.dumps({"format": reading.FORMAT}) + b"\n"
        digest.update(head)
        yield head
        after = ""
        while page := self._store.read(partial(self._page, after=after)):
            for line in self._world.store.read(partial(self._lines, page=page)):
                digest.update(line)
                count += 1
                yield line
            after = page[-1][0].megram_id
        for line in self._held_lines():
            digest.update(line)
            yield line
        told = {"megrams": count, "sha256": digest.hexdigest(), "actor": actor}
        self._world.store.write(lambda tx: journal.event(tx, "EXPERIENCE_EXPORTED", told, actor))

    def _held_lines(self) -> Iterator[bytes]:
        """The pairs that are left alone because a change was rolled back; that travels too."""
        for page in pair_pages(self._store):
            for row in page:
                if pairs.unpacked(row.space, row.entity, row.state).held:
                    yield canon.dumps({"held": {"space": row.space, "entity": row.entity}}) + b"\n"

    @staticmethod
    def _page(x: Experience, after: str) -> list[tuple[MegramRow, int | None, bool, bool]]:
        found = x.scan(after, _STEP)
        ids = [row.megram_id for row in found]
        recalled, retired = x.recalled_us(ids), x.retired_by(ids)
        through: dict[tuple[str, str], int] = {}
        for row in found:
            if (row.space, row.entity) not in through:
                held = x.pair(row.space, row.entity)
                through[row.space, row.entity] = (
                    -1 if held is None else pairs.unpacked(row.space, row.entity, held.state).marked_through
                )
        return [
            (
                row,
                recalled.get(row.megram_id),
                row.level != megrams.RULE and (row.marked or row.place <= through[row.space, row.entity]),
                row.megram_id in retired,
            )
            for row in found
        ]

    def _lines(self, tx: Tx, page: list[tuple[MegramRow, int | None, bool, bool]]) -> list[bytes]:
        return [self._line(tx, item) for item in page]

    def _line(self, tx: Tx, item: tuple[MegramRow, int | None, bool, bool]) -> bytes:
        row, recalled, marked, retired = item
        content = self._consented.open(tx, row)
        told = {
            **rows.shown(row, content, recalled),
            "content": content,
            "marked": marked,
            "retired": retired,
            "persons": self._contents.persons(tx, row),
        }
        return canon.dumps(told) + b"\n"

    # Here

    def take_in(
        self, lines: Iterable[str | bytes], progress: Callable[[int, int], None] | None = None
    ) -> dict[str, Any]:
        """Read and check all lines, then write them; `{imported, already_here, redacted}`."""
        read, held = reading.read(lines)
        self._feed.catch_up()
        imported: list[Line] = []
        for start in range(0, len(read), _PER_EVENT):
            part = read[start : start + _PER_EVENT]
            known = self._store.read(partial(_known, lines=part))
            new = [line for line in part if line.row.megram_id not in known]
            changed = [line for line in part if _recalled_us(line) > known.get(line.row.megram_id, NEVER)]
            if new or changed:
                self._event([*new, *changed], [])
            imported += new
            if progress is not None:
                progress(start + len(part), len(read))
        touched = {(line.row.space, line.row.entity) for line in imported}
        if still := [pair for pair in held if pair in touched]:  # where nothing came in, nothing is to be held
            self._event([], still)
        self._feed.catch_up()
        return {
            "imported": len(imported),
            "already_here": len(read) - len(imported),
            "redacted": sum(line.redacted for line in imported),
        }

    def _event(self, lines: list[Line], held: list[tuple[str, str]]) -> None:
        journal = VerbJournal(self._recorder, "experience.import")

        def unit(tx: Tx) -> None:
            payload = {"megrams": self._sealed(tx, journal, lines), "held": [list(pair) for pair in held]}
            journal.event(tx, "EXPERIENCE_IMPORTED", payload, "system_admin")

        self._world.store.write(unit)

    def _sealed(self, tx: Tx, journal: VerbJournal, lines: list[Line]) -> list[dict[str, Any]]:
        told = []
        for line in lines:
            row = line.row
            sealed: bytes = b""
            refs: tuple[str, ...] = ()
            if row.key_refs and not self._were_erased(tx, line.persons):  # there are words
                own, *others = self._refs(tx, journal, line.persons)
                sealed, refs = self._contents.seal(
                    tx, row.content.decode(), row.megram_id, *own, [r for r, _ in others]
                )
            kept = MegramRow(
                row.megram_id,
                row.level,
                row.created_us,
                row.space,
                row.entity,
                sealed,
                refs,
                row.state,
                row.f,
                row.sigma,
                row.k,
                -1,
                row.marked,
            )
            told.append(
                {
                    **rows.to_json(kept),
                    "marked": row.marked,
                    "retired": line.retired,
                    "last_recalled_at": line.recalled_at,
                }
            )
        return told

    def _were_erased(self, tx: Tx, persons: list[str]) -> bool:
        """Say whether somebody whose words these are was erased here: an old file does not bring them back."""
        return any(is_erased(tx, f"person/{person}", self._world.keys) for person in persons)

    def _refs(self, tx: Tx, journal: VerbJournal, persons: list[str]) -> list[tuple[str, str | None]]:
        """The keys of imported words: of this import, below each person whose they are."""
        if not persons:
            return [(f"job/{journal.stream}", None)]
        found: list[tuple[str, str | None]] = []
        for person in persons:
            ref = f"experience/{journal.stream}/{person}"
            if tx.vault.key(ref) is None:
                self._contents.make_key(tx, ref, person)
            found.append((ref, person))
        return found


def _known(x: Experience, lines: list[Line]) -> dict[str, int]:
    """Those of these Megrams that are here, and when they were last recalled; 0: never.

    One that was taken back here counts as here, and nothing is changed about it.
    """
    ids = [line.row.megram_id for line in lines]
    retracted = [name for name, by in x.retired_by(ids).items() if by == RETRACTED]
    here = [name for name in ids if x.get(name) is not None]
    recalled = x.recalled_us(here)
    return {name: recalled.get(name, 0) for name in here} | dict.fromkeys(retracted, NEVER)


def _recalled_us(line: Line) -> int:
    if line.recalled_at is None:
        return 0
    return megrams.to_us(megrams.read_instant(line.recalled_at, "last_recalled_at"))
