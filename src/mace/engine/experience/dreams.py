"""The Dreamer at work: looks at what is due, lets the rules decide, and makes each change an event of its own.

Never on the way of a caller: wiring calls it after results and on a timer. A pass touches the pairs that changed or are
due by decay and no others. Words are distilled before anything is written; a change is whole on the ledger or not at
all, and the store follows the ledger. What could not be distilled stays as it is and is tried again later.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from mace.agents.model_text import first_json
from mace.core import canon
from mace.core.errors import Conflict, Erased, IntegrityFailure, NotFound
from mace.engine.experience import agreement, rows
from mace.engine.experience.asking import PatientEngine, as_kept
from mace.engine.experience.changes import ChangeRecords, Planned, told
from mace.engine.experience.contents import Contents, without_personal_data
from mace.engine.experience.feed import Feed
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.memory.experience import distilling, dreaming, megrams, pairs, potentials
from mace.memory.experience.distilling import Source
from mace.memory.experience.dreaming import Rule, Verdict
from mace.memory.experience.pairs import Pair
from mace.providers.models.port import ModelDown, ModelRequest
from mace.storage.experience_ports import NEVER, ChangeRow, Experience, ExperienceStore, MegramRow, PairRow
from mace.storage.ports import Tx

_STEP = 1000  # pairs looked at in one unit
_READ_FOR_WORDS = 1000  # of a pair's newest Megrams, the strongest are chosen among so many
_DAMAGED = "what it is made of cannot be read; run verify"
_DOWN = "no language engine answered"
_EVENTS = {
    "promotion": "EXPERIENCE_PROMOTED",
    "demotion": "EXPERIENCE_DEMOTED",
    "forgetting": "EXPERIENCE_FORGOTTEN",
}
_LISTS = {"promotion": "promoted", "demotion": "demoted", "forgetting": "forgotten"}


@dataclass(slots=True)
class Found:
    """A pair for which something is due, as it was seen."""

    pair: Pair
    rules: dict[str, MegramRow]
    standing: list[Rule]  # the same, as the decision saw them
    verdicts: list[Verdict]


class Dreams:
    """Consolidates, demotes and forgets experience; each change is an event and can be rolled back."""

    def __init__(
        self, world: World, recorder: Recorder, store: ExperienceStore, feed: Feed, contents: Contents
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._store = store
        self._feed = feed
        self._contents = contents
        self._papers = ChangeRecords(contents)

    def dream(
        self,
        now_us: int,
        journal: Journal | None = None,
        *,
        dry_run: bool = False,
        stopping: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """One pass; without a journal the changes go to the system's own stream.

        `stopping` is asked between steps; what was not looked at then stays due.
        """
        report: dict[str, Any] = {
            "now": megrams.iso_of(now_us),
            "dry_run": dry_run,
            "looked_at": 0,
            "promoted": [],
            "demoted": [],
            "forgotten": [],
            "failed": [],
        }
        if dry_run:
            self._imagine(now_us, report)
            return report
        into = journal or SystemJournal(self._recorder)
        engine = None if self._world.language is None else PatientEngine(self._world.language)
        self._feed.catch_up()
        stuck: dict[tuple[str, str], bytes] = {}
        while not stopping() and self._pass(now_us, into, report, engine, stuck, stopping):
            pass
        return report

    # Looking

    def _pass(
        self,
        now_us: int,
        journal: Journal,
        report: dict[str, Any],
        engine: PatientEngine | None,
        stuck: dict[tuple[str, str], bytes],
        stopping: Callable[[], bool],
    ) -> bool:
        """Look at the next pairs that are due; say whether there were any.

        A pair stays due until a change of it took hold, so that whoever dies here or finds no words leaves it to the
        next dream; those of this one that are `stuck` are not tried again as long as they are as they were.
        """
        looked, found, broken = self._store.write(lambda x: self._look(x, now_us, stuck))
        report["looked_at"] += looked
        self._report_broken(broken, journal, report)
        stuck |= {(row.space, row.entity): row.state for row in broken}
        planned: list[Planned] = []
        for item in found:
            if stopping():
                break
            planned += self._plan(item, now_us, journal, report, engine)
        moved = self._carry_out(planned, now_us, journal, report) if planned else set()
        pairs_seen = ((item.pair.space, item.pair.entity, item.pair) for item in found)
        seen = {(space, entity): pair.packed() for space, entity, pair in pairs_seen if (space, entity) not in moved}
        stuck |= self._store.read(lambda x: {key: state for key, state in seen.items() if _is_still(x, key, state)})
        return bool(looked)

    def _look(
        self, x: Experience, now_us: int, stuck: dict[tuple[str, str], bytes]
    ) -> tuple[int, list[Found], list[PairRow]]:
        """Settle the pairs for which nothing is to be done; return the others, and those whose rules are damaged."""
        due = [row for row in x.due(now_us, _STEP + len(stuck)) if stuck.get((row.space, row.entity)) != row.state]
        found: list[Found] = []
        settled: list[PairRow] = []
        broken: list[PairRow] = []
        for row in due:
            pair = pairs.unpacked(row.space, row.entity, row.state)
            try:
                item = self._due(x, pair, now_us)
            except IntegrityFailure:
                broken.append(row)
                continue
            if item is not None:
                found.append(item)
                continue
            later = max(dreaming.next_look(pair, now_us), now_us + 1)
            settled.append(PairRow(row.space, row.entity, row.state, later))
        x.put_pairs(settled)
        return len(due), found, broken

    def _report_broken(self, broken: list[PairRow], journal: Journal | None, report: dict[str, Any]) -> None:
        """One pair's damage must not keep the Dreamer from the others; it is told, and the pair stays as it is."""
        for row in broken:
            pair = pairs.unpacked(row.space, row.entity, row.state)
            change = Planned(pair, Verdict("promotion", 0.0, 0.0, ""), "", "")
            self._failed(change, _DAMAGED, journal, report)

    def _due(self, x: Experience, pair: Pair, now_us: int) -> Found | None:
        held: dict[str, MegramRow] = {}
        rules: list[Rule] = []
        if pair.rules_for or pair.rules_against:
            held = {row.megram_id: row for row in agreement.rules_of(x, pair)}
            recalled = x.recalled_us(list(held))
            # Nothing that was asked for "later than now" may outweigh what is known now.
            rules = [
                Rule(name, row.sigma, max(row.created_us, min(recalled.get(name, 0), now_us)))
                for name, row in held.items()
            ]
        verdicts = dreaming.verdicts(pair, rules, now_us)
        return Found(pair, held, rules, verdicts) if verdicts else None

    def _imagine(self, now_us: int, report: dict[str, Any]) -> None:
        def look(x: Experience) -> tuple[int, list[Found], list[PairRow]]:
            due = x.due(now_us, 10**9)
            found: list[Found] = []
            broken: list[PairRow] = []
            for row in due:
                try:
                    item = self._due(x, pairs.unpacked(row.space, row.entity, row.state), now_us)
                except IntegrityFailure:
                    broken.append(row)
                else:
                    found += [] if item is None else [item]
            return len(due), found, broken

        report["looked_at"], found, broken = self._store.read(look)
        self._report_broken(broken, None, report)
        for item in found:
            while planned := self._plan(item, now_us, None, report, None):
                for change in planned:
                    # Without the id of a change that never was: the same `now` gives the same report.
                    report[_LISTS[change.verdict.kind]].append({**told(change), "change_id": None})
                item = _imagined(item, planned, now_us)

    # Planning

    def _plan(
        self, item: Found, now_us: int, journal: Journal | None, report: dict[str, Any], engine: PatientEngine | None
    ) -> list[Planned]:
        """Find the words and the evidence of each change; nothing is changed where a rule could not be distilled."""
        planned: list[Planned] = []
        after = item.pair.last_change
        for verdict in item.verdicts:
            change = Planned(item.pair, verdict, self._world.entropy.token(16).hex(), after)
            if verdict.kind == "demotion" and verdict.rule is not None:
                change.rule = item.rules.get(verdict.rule.megram_id)  # one that is only imagined has no row
            failure = None
            try:
                if verdict.kind == "promotion" or journal is None:
                    self._gather(change, now_us)
                if verdict.kind == "promotion":
                    failure = self._distil(change, item, engine)
            except IntegrityFailure:  # one pair's damage must not keep the Dreamer from the others
                failure = _DAMAGED
            if failure is not None:
                self._failed(change, failure, journal, report)
                return []
            planned.append(change)
            after = change.change_id
        return planned

    def _gather(self, change: Planned, now_us: int) -> None:
        """Choose the strongest Megrams behind a change, those that point its way first, and read their words."""
        pair, verdict = change.pair, change.verdict
        now = pair.now(now_us)
        seen = self._store.read(lambda x: x.of_pair(pair.space, pair.entity, "", _READ_FOR_WORDS))
        if verdict.kind == "promotion":
            seen = [row for row in seen if not row.marked and row.place > pair.marked_through]
        weighed = [(potentials.weight(row.f, row.k, row.created_us, now), row) for row in seen]
        weighed.sort(key=lambda item: (item[1].sigma * verdict.decision <= 0, -item[0], item[1].megram_id))
        chosen = weighed[: distilling.MAX_SOURCES]

        def read(tx: Tx) -> tuple[list[str | None], dict[str, tuple[str, ...]]]:
            whose = {row.megram_id: tuple(self._contents.persons(tx, row)) for _, row in chosen}
            return [self._contents.open(tx, row) for _, row in chosen], whose

        texts, change.whose = self._world.store.read(read)
        change.sources = [row for (_, row), text in zip(chosen, texts, strict=True) if text is not None]
        change.told = [
            {**rows.shown(row, None if text is None else without_personal_data(text), None), "weight": weight}
            for (weight, row), text in zip(chosen, texts, strict=True)
        ]

    def _distil(self, change: Planned, item: Found, engine: PatientEngine | None) -> str | None:
        """Find a rule's words; return what went wrong, if anything did. Without sources no engine is asked."""
        pair, state = change.pair, change.verdict.state
        voice = None if engine is None else _heard(change)
        sources = [Source(told["state"], told["content"], told["weight"]) for told in change.told]
        if engine is None or voice is None:
            change.by = "extract"
            # Cleaned once more: JSON in which something is escaped says it only when it is read.
            plain = [replace(one, content=without_personal_data(distilling.readable(one.content))) for one in sources]
            change.words = distilling.extract(pair.space, pair.entity, state, plain)
            # A rule that an earlier version extracted from the same sources says the same.
            same = {change.words, distilling.extract_v1(pair.space, pair.entity, state, sources)}
        else:
            change.by = "engine"
            sent = {name for name, people in change.whose.items() if people == ((voice,) if voice else ())}
            change.sources = [row for row in change.sources if row.megram_id in sent]
            sources = [one for one, told in zip(sources, change.told, strict=True) if told["id"] in sent]
            request = ModelRequest(
                system=distilling.SYSTEM,
                prompt=distilling.prompt(pair.space, pair.entity, state, pair.count, sources),
                max_output_tokens=distilling.MAX_ANSWER_TOKENS,
            )
            try:
                answer = engine.complete(request)
            except ModelDown as down:
                return f"{_DOWN}: {', '.join(attempt.kind for attempt in down.attempts) or 'none'}"
            except Exception as error:  # an engine that breaks must not keep the Dreamer from the other pairs
                return f"the language engine failed: {type(error).__name__}"
            change.asked = as_kept(request, answer)
            words = distilling.read_answer(first_json(answer.text))
            if words is None:
                return "the language engine's answer is not a rule"
            change.words = without_personal_data(words)
            same = {change.words}
        change.confirms = self._same_words(change, item, same)
        return None

    def _same_words(self, change: Planned, item: Found, same: set[str]) -> str:
        """The id of a live rule that says this already, in the same words or nearly, or nothing."""
        alike = [row for row in item.rules.values() if row.sigma == change.verdict.sigma]
        texts = self._world.store.read(lambda tx: [self._contents.open(tx, row) for row in alike])
        standing = {row.megram_id: text for row, text in zip(alike, texts, strict=True)}
        exact = next((rule_id for rule_id, text in standing.items() if text in same), "")
        pair, state = change.pair, change.verdict.state
        return exact or distilling.confirmed(pair.space, pair.entity, state, change.words, standing)

    def _failed(self, change: Planned, reason: str, journal: Journal | None, report: dict[str, Any]) -> None:
        told = {"space": change.pair.space, "entity": change.pair.entity, "reason": reason}
        # An engine that is down is down for every cluster: once on the record is enough.
        known = reason.startswith(_DOWN) and any(item["reason"] == reason for item in report["failed"])
        report["failed"].append(told)
        if journal is None or known:
            return

        def unit(tx: Tx) -> None:
            try:
                payload = {**told, **self._papers.origin_of_words(tx, change)}
            except (Erased, IntegrityFailure):  # then what was asked is not kept
                payload = {**told, "by": change.by}
            if "asked" in payload:
                payload["change_id"] = change.change_id
            journal.event(tx, "DISTILLING_FAILED", payload)

        self._world.store.write(unit)

    # Changing

    def _carry_out(
        self, planned: list[Planned], now_us: int, journal: Journal, report: dict[str, Any]
    ) -> set[tuple[str, str]]:
        """Put the changes on the ledger in one unit, bring them into the store, and tell which of them took hold.

        Returned are the pairs of those that did.
        """

        def unit(tx: Tx) -> list[Planned]:
            written: list[Planned] = []
            broken: set[tuple[str, str]] = set()
            for change in planned:
                pair = (change.pair.space, change.pair.entity)
                if pair in broken:
                    continue
                try:
                    payload = self._papers.payload(tx, change, now_us)
                except (Erased, IntegrityFailure):  # somebody's words went meanwhile: the next pass sees what is left
                    broken.add(pair)
                    continue
                journal.event(tx, _EVENTS[change.verdict.kind], payload)
                written.append(change)
            return written

        written = self._world.store.write(unit)
        self._feed.catch_up()
        stands = self._store.read(lambda x: {c.change_id for c in written if x.change(c.change_id) is not None})
        moved: set[tuple[str, str]] = set()
        for change in written:
            if change.change_id in stands:
                report[_LISTS[change.verdict.kind]].append(told(change))
                moved.add((change.pair.space, change.pair.entity))
        return moved

    # Undoing

    def roll_back(self, change_id: str) -> dict[str, Any]:
        """Undo the last change of a pair, on the record."""
        self._feed.catch_up()
        change = self._store.read(lambda x: x.change(change_id))
        if change is None:
            raise NotFound(what="a change with this change_id")
        if change.undone_by:
            raise Conflict("the change has already been rolled back")
        held = self._store.read(lambda x: x.pair(change.space, change.entity))
        last = "" if held is None else pairs.unpacked(change.space, change.entity, held.state).last_change
        if last != change_id:
            raise Conflict(f"roll back the later change {last} of this pair first")
        journal = VerbJournal(self._recorder, "roll_back")
        own = self._world.entropy.token(16).hex()
        payload = {"change_id": own, "undoes": change_id, "space": change.space, "entity": change.entity}
        self._world.store.write(lambda tx: journal.event(tx, "EXPERIENCE_ROLLED_BACK", payload, "system_admin"))
        self._feed.catch_up()
        after = self._store.read(lambda x: x.change(change_id))
        if after is None or after.undone_by != own:
            raise Conflict("this pair was changed at the same time; retry")
        return _shown(after)

    def change(self, change_id: str) -> dict[str, Any]:
        """One change, with what an engine was asked for it."""
        row = self._store.read(lambda x: x.change(change_id))
        if row is None:
            raise NotFound(what="this change")

        def look(tx: Tx) -> dict[str, Any] | None:
            found = [event for event in tx.events.scan(row.place, 1) if event.position == row.place]
            if not found or not self._feed.is_good(found[0]):
                raise IntegrityFailure("the event of this change cannot be trusted; run verify")
            return self._papers.asked(tx, canon.loads(found[0].body)["payload"])

        return {**_shown(row), "asked": self._world.store.read(look)}

    def changes(self, limit: int) -> list[dict[str, Any]]:
        """Return the newest changes of the Dreamer, newest first."""
        return [_shown(row) for row in self._store.read(lambda x: x.changes(limit))]


def _heard(change: Planned) -> str | None:
    """Whose words are sent to an engine for this change, empty for nobody's; None where there is nothing to send."""
    said = [told for told in change.told if told["content"]]
    weights = [told["weight"] if told["sigma"] * change.verdict.decision > 0 else 0.0 for told in said]
    return distilling.one_voice([change.whose[told["id"]] for told in said], weights)


def _imagined(item: Found, planned: list[Planned], now_us: int) -> Found:
    """A pair as these changes would leave it, with what would then be due: a real dream goes on until nothing is."""
    pair = pairs.unpacked(item.pair.space, item.pair.entity, item.pair.packed())
    standing = list(item.standing)
    for change in planned:
        verdict = change.verdict
        if verdict.kind == "promotion":
            pair.fresh, pair.marked_through = potentials.Sums(), NEVER
            if not change.confirms:
                standing.insert(0, Rule(change.change_id, verdict.sigma, now_us))
        elif verdict.rule is not None:
            standing.remove(verdict.rule)
            pair.count_in(1.0, verdict.sigma, megrams.SLOWEST, verdict.rule.origin_us)
        else:
            pair.live, pair.fresh, pair.count, pair.newest_us = potentials.Sums(), potentials.Sums(), 0, 0
    return Found(pair, item.rules, standing, dreaming.verdicts(pair, standing, now_us))


def _is_still(x: Experience, key: tuple[str, str], state: bytes) -> bool:
    held = x.pair(*key)
    return held is not None and held.state == state


def _shown(row: ChangeRow) -> dict[str, Any]:
    body = canon.loads(row.body)
    told = ("attention", "decision", "why", "at", "evidence_hash", "rule_id", "by")
    return {
        "change_id": row.change_id,
        "kind": row.kind,
        "space": row.space,
        "entity": row.entity,
        **{name: body[name] for name in told if name in body},
        "rolled_back_by": row.undone_by or None,
    }
