"""Reflective logs with what an auditor asks first: whose job, which program, what was asked, how it ended, when.

A log has none of that in itself: its job's events tell it, as far as they are signed. Words of a question are redacted
as every text of a log is, and shown only to whom `reads_words` names; an unredacted read is another verb's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput, NotFound
from mace.core.events import StoredEvent
from mace.core.purposes import Purpose
from mace.core.subjects import subject_of
from mace.core.times import parse_instant
from mace.engine.kernel.cleaning import cleaned
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.logs import LogVerbs
from mace.ledger.reflective import ERASED
from mace.storage.ports import Tx

ANY_ERROR = "any"
_WRITTEN = "REFLECTIVE_LOG_WRITTEN"
_PAGE = 200  # rows looked at at a time
_AT_AN_END = 64  # events: what opens and what closes a job stands at the ends of its stream

Whose = Callable[[str], bool]  # by the person, empty for nobody


@dataclass(frozen=True, slots=True)
class Story:
    """What the events of a job tell of its log."""

    kind: str | None = None  # None: no job; a program handed the log in
    program: str | None = None
    version: str | None = None
    error_code: str | None = None
    recorded_at: str | None = None  # when the log was written; None where an older version wrote it
    input_hash: str | None = None


def story_of(log_id: str, events: Iterable[Mapping[str, Any]]) -> Story:
    """Read the parsed events of a stream, in their order."""
    told: dict[str, Any] = {}
    for event in events:
        payload = event["payload"]
        match event["event_type"]:
            case "JOB_OPENED" | "JOB_BEGUN" if "kind" not in told:
                job = payload.get("job") or ({"kind": "ask"} if payload.get("verb") == "ask" else {})
                told |= {name: job[name] for name in ("kind", "program", "version") if job.get(name)}
            case "INPUT_RECEIVED" if "input_hash" not in told:
                told["input_hash"] = payload.get("input_hash")
            case "REFLECTIVE_LOG_WRITTEN" if payload.get("log_id") == log_id:
                told["recorded_at"] = event.get("recorded_at")
            case "JOB_CLOSED":
                told["error_code"] = payload.get("error_code")
    return Story(**told)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    """Which logs a list has; None lets everything through."""

    person: str | None = None  # the slug; empty for nobody's
    since: datetime | None = None
    until: datetime | None = None  # before then
    program: str | None = None
    error: str | None = None  # a code, or `any`

    @property
    def is_open(self) -> bool:
        return self == LogFilter()

    def fits(self, story: Story, created_at: str) -> bool:
        """Say whether a log is wanted, the person aside; the time is the one that people are shown."""
        if self.program is not None and story.program != self.program:
            return False
        if self.error is not None and (story.error_code is None or self.error not in (ANY_ERROR, story.error_code)):
            return False
        if self.since is None and self.until is None:
            return True
        at = parse_instant(story.recorded_at or created_at)
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


class LogViews:
    """Shows reflective logs, one or a page, with what their jobs tell."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault, logs: LogVerbs) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._logs = logs

    def one(self, tx: Tx, log_id: str, reads_words: Whose) -> dict[str, Any]:
        """A log as everybody may see it, with its job; `NotFound` and `IntegrityFailure` as for the log itself."""
        shown = self._logs.shown(tx, log_id)
        stream = shown["job_id"]
        return self._view(tx, shown, self._owner(tx, stream), self._story(tx, stream, log_id), reads_words)

    def page(
        self, tx: Tx, wanted: LogFilter, sees: Whose, reads_words: Whose, *, cursor: str | None, limit: int
    ) -> dict[str, Any]:
        """A page of the logs that somebody sees, written last first; what is damaged is left out and counted.

        A log is written when its job ends, which may be long after the time in `created_at`, when it was opened.
        Where nothing else is left at all that is an `IntegrityFailure`: an empty list would say there never was any.
        """
        found: list[dict[str, Any]] = []
        damaged: set[str] = set()
        if cursor is not None and not self._is_listed(tx, cursor, wanted, sees):
            raise InvalidInput("cursor must be a next_cursor of the same list")
        for columns in self._walk(tx, None if cursor is None else self._written_at(tx, cursor)):
            if len(found) > limit:
                break
            log_id = columns["log_id"]
            try:
                stream = self._logs.job_of(tx, log_id)
                owner = self._owner(tx, stream)
                if not self._is_theirs(owner, wanted, sees):
                    continue
                story = self._story(tx, stream, log_id)
                if wanted.fits(story, columns["created_at"]):
                    found.append(self._view(tx, self._logs.shown(tx, log_id), owner, story, reads_words))
            except (IntegrityFailure, NotFound, ValueError, LookupError, TypeError):  # not what was written
                if len(found) < limit:
                    damaged.add(log_id)
        if cursor is None:
            damaged |= self._logs.gone(tx, limit)
            rows = (columns["log_id"] for columns in tx.logs.recent(limit))
            damaged |= {log_id for log_id in rows if self._written_at(tx, log_id) is None}  # nobody wrote them
        if damaged and not found and cursor is None and wanted.is_open:
            raise IntegrityFailure(
                f"{len(damaged)} reflective log(s) are not what was signed, no other is left; run verify"
            )
        items = found[:limit]
        more = len(found) > limit
        return {
            "items": items,
            "next_cursor": items[-1]["log_id"] if more and items else None,
            "left_out": len(damaged),
        }

    @staticmethod
    def _walk(tx: Tx, before: int | None) -> Iterator[dict[str, Any]]:
        seen: set[str] = set()
        while rows := tx.events.of_type(_WRITTEN, _PAGE, before):
            before = rows[-1].position
            for row in rows:
                log_id = _log_of(row)
                columns = None if log_id is None or log_id in seen else tx.logs.get(log_id)
                if columns is not None:  # else it is gone, which is counted by itself
                    seen.add(columns["log_id"])
                    yield columns

    @staticmethod
    def _written_at(tx: Tx, log_id: str) -> int | None:
        """The position of the event that a log was written with, or None where no event names it."""
        found = tx.events.about(subject_of("reflective_log", log_id))
        return next((row.position for row in found if row.event_type == _WRITTEN and _log_of(row) == log_id), None)

    def _is_listed(self, tx: Tx, log_id: str, wanted: LogFilter, sees: Whose) -> bool:
        """Whether a log stands in a list: somebody else's is no better a place to go on from than none."""
        columns = tx.logs.get(log_id)
        if columns is None or self._written_at(tx, log_id) is None:
            return False
        stream = self._logs.job_of(tx, log_id)
        return self._is_theirs(self._owner(tx, stream), wanted, sees) and wanted.fits(
            self._story(tx, stream, log_id), columns["created_at"]
        )

    @staticmethod
    def _is_theirs(owner: str, wanted: LogFilter, sees: Whose) -> bool:
        return sees(owner) if wanted.person is None else owner == wanted.person

    def _owner(self, tx: Tx, stream: str) -> str:
        """Whose words lie in a job, or in what a program handed in; empty for nobody's."""
        return self._recorder.jobs.speaks(tx, stream) or ""

    def _view(self, tx: Tx, shown: dict[str, Any], owner: str, story: Story, reads_words: Whose) -> dict[str, Any]:
        question, damaged = None, False
        if reads_words(owner):
            try:
                question = self._question(tx, shown["job_id"], story)
            except IntegrityFailure:
                damaged = True
        return {
            **shown,
            "kind": story.kind,
            "program": story.program,
            "version": story.version,
            "person": owner or None,
            "question": question,
            "error_code": story.error_code,
            "recorded_at": story.recorded_at,
            **({"damaged": ["question"]} if damaged else {}),
        }

    def _question(self, tx: Tx, stream: str, story: Story) -> Any:
        """What was asked, redacted; None where nothing was (a log that a program handed in)."""
        if story.input_hash is None:
            return None
        ref = f"input/{stream}"
        plain = self._vault.blob(tx, ref)
        if plain is None:
            if not self._recorder.jobs.is_erased(tx, stream):
                raise IntegrityFailure(f"{ref} is gone; run verify")
            return dict(ERASED)
        if self._world.keys.keyed_hash(self._vault.open_key(tx, f"job/{stream}"), plain) != story.input_hash:
            raise IntegrityFailure(f"{ref} does not match the hash in its event; run verify")
        first = tx.events.at(stream, 0)
        seed = "" if first is None else str(canon.loads(first.body)["job_seed"])
        question, _ = cleaned(self._world.keys, words_of(canon.loads(plain)), "", seed)
        return question

    def _story(self, tx: Tx, stream: str, log_id: str) -> Story:
        """What the signed events of a stream tell; of a long one its ends do, unless the log is not among them."""
        head = tx.events.head(stream)
        last = -1 if head is None else head.sequence_index
        if last >= 4 * _AT_AN_END:
            ends = tx.events.of_stream(stream, 0, _AT_AN_END)
            ends += tx.events.of_stream(stream, last - _AT_AN_END + 1)
            if any(event.event_type == _WRITTEN for event in ends):
                return story_of(log_id, self._signed(ends))
        return story_of(log_id, self._signed(tx.events.of_stream(stream)))

    def _signed(self, rows: Iterable[StoredEvent]) -> Iterator[dict[str, Any]]:
        for row in rows:
            if row.event_type not in _TELLING:
                continue
            is_whole = sha256(row.body).digest() == row.hash
            if is_whole and self._world.keys.check(Purpose.EVENT, row.hash, row.signature):
                yield canon.loads(row.body)


_TELLING = frozenset({"JOB_OPENED", "JOB_BEGUN", "INPUT_RECEIVED", "REFLECTIVE_LOG_WRITTEN", "JOB_CLOSED"})


def _log_of(row: StoredEvent) -> str | None:
    """The log that an event was written with; None where that cannot be read, which verification finds."""
    try:
        return str(canon.loads(row.body)["payload"]["log_id"])
    except (ValueError, LookupError, TypeError):
        return None


def words_of(received: Mapping[str, Any]) -> str:
    """What a job was asked, as a text; of other JSON that a program was given its canonical form."""
    given = received["text"] if "text" in received else received.get("input")
    return given if isinstance(given, str) else canon.dumps(given).decode()
