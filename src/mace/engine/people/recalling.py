"""`recall`: what matters now about a person, as a block for a prompt, with where each line comes from.

The turns are searched in the index of that person alone and opened one by one, so what was erased, or is only covered
by an ended consent, is in no answer. The event of a recall names what was put into the block, its hash and that of the
question, both keyed by the person: they say nothing once the person is erased.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from mace.core import canon
from mace.core.errors import (
    Conflict,
    IntegrityFailure,
    InvalidInput,
    NotFound,
    ServiceUnavailable,
    StorageFull,
    WrongType,
)
from mace.core.texts import is_encodable
from mace.core.times import parse_instant
from mace.core.turn_ids import turn_id_of
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import is_personal
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.persons import person_of
from mace.engine.kernel.privacy import check_user_id, check_user_text
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import Spilling
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.people.index import Held, TurnIndexes
from mace.engine.people.turns import Kept, Turns
from mace.memory import keys
from mace.memory.context.request import PHASE7
from mace.memory.people import package, statements
from mace.memory.people.package import KINDS, MAX_BUDGET, MIN_BUDGET, Item
from mace.memory.people.turns import check_conversation
from mace.storage.ports import Tx

EVENT = "MEMORY_RECALLED"
MAX_QUERY_BYTES = 64 << 10
_MAX_RULES = 10
_MAX_CORRECTIONS = 3  # of one fact that are looked at, the newest ones
_MOST_RECENT = 100  # turns of a conversation that are looked at, from the last one back
_MAX_DAMAGED = 100  # turns that one answer names
_TRIES = 5  # of one recall, while what it is about is being erased

ReadFacts = Callable[[Tx, str], list[tuple[str, dict[str, Any]]]]  # a person's facts by key, as `sem_get` gives them
ReadRules = Callable[[str], list[dict[str, Any]]]  # the rules that are nobody's or this person's alone


@dataclass(frozen=True, slots=True)
class Asked:
    """What a recall is to look for."""

    query: str
    budget: int
    kinds: frozenset[str]
    conversation_id: str | None
    goes_on: bool = False  # what was said last in the conversation comes first
    others: bool = True  # also facts that hold no word of the query


class Recalling:
    """Answers what is known about a person."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        spilling: Spilling,
        vault: Vault,
        turns: Turns,
        indexes: TurnIndexes,
        bound: Bound,
        read_facts: ReadFacts,
        read_rules: ReadRules,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._spilling = spilling
        self._vault = vault
        self._turns = turns
        self._indexes = indexes
        self._bound = bound
        self._read_facts = read_facts
        self._read_rules = read_rules

    def recall(
        self,
        user_id: str,
        query: Any,
        budget_tokens: Any = 1000,
        *,
        conversation_id: str | None = None,
        kinds: Any = KINDS,
        scorer: Any = None,
        by: str = "system",
        job_id: str | None = None,
    ) -> dict[str, Any]:
        """Answer with the block and its items; what cannot be done is answered with its envelope.

        `job_id` is the job whose program asks.
        """
        journal = VerbJournal(self._recorder, "recall")
        try:
            check_user_text(user_id)
            asked = read_request(query, budget_tokens, conversation_id, kinds, scorer)
        except WrongType:
            raise
        except InvalidInput as error:
            return self._failed(journal, error.code, {"reason": str(error)})
        return self._answered(journal, user_id, asked, by, job_id)

    def for_question(
        self, user_id: str, query: str, budget_tokens: int, *, conversation_id: str | None, others: bool, job_id: str
    ) -> dict[str, Any]:
        """The same for the prompt of a question: the person's own facts, and in a conversation what was said in it.

        Without `others` only facts that hold a word of the question leave with it.
        """
        journal = VerbJournal(self._recorder, "recall")
        kinds = ("fact",) if conversation_id is None else ("fact", "turn")
        asked = replace(
            read_request(query, budget_tokens, conversation_id, kinds, None),
            goes_on=conversation_id is not None,
            others=others,
        )
        return self._answered(journal, user_id, asked, "system", job_id)

    def _answered(
        self, journal: VerbJournal, user_id: str, asked: Asked, by: str, job_id: str | None
    ) -> dict[str, Any]:
        try:
            person = self._world.store.read(lambda tx: self._person(tx, user_id))
            rules = self._rules(person, asked)
            for _ in range(_TRIES):
                answer, seen = self._world.store.read(lambda tx: self._composed(tx, person, asked, rules))
                receipt = self._receipt(journal, person, asked, answer, seen, by, job_id)
                if receipt is not None:
                    return {**answer, "receipt": receipt}
        except InvalidInput as error:
            return self._failed(journal, error.code, {"reason": str(error)})
        except (ServiceUnavailable, StorageFull) as error:
            return self._failed(journal, "DATA_UNAVAILABLE", {"key": "the memory of a person", "reason": str(error)})
        except IntegrityFailure as error:
            return self._failed(journal, "INTEGRITY_FAILURE", {"reason": str(error)})
        raise Conflict("what is known about this person is being erased; ask again")

    def _failed(self, journal: VerbJournal, code: str, details: dict[str, Any]) -> dict[str, Any]:
        told = journal.envelope(code, details)
        return {
            **package.NOTHING_RECALLED,
            "items": [],
            "error_code": code,
            "user_message": told["user_message"],
            "error": told,
        }

    # Reading

    def _person(self, tx: Tx, user_id: str) -> str:
        """Whose memory is asked for; a name that nobody has yet is looked at for what it says."""
        try:
            person = keys.place_user(user_id, self._world.slots.of(tx)).slug
        except ValueError:
            raise InvalidInput("user_id is not a valid user id") from None
        if tx.vault.key(f"person/{person}") is None:
            check_user_id(user_id)
        return person

    def _composed(
        self, tx: Tx, person: str, asked: Asked, rules: Sequence[Item]
    ) -> tuple[dict[str, Any], dict[str, int]]:
        """The answer, and as of when: what an erasure would change."""
        facts = self._facts(tx, person) if "fact" in asked.kinds else []
        turns: Iterator[Item] = iter(())
        recent: Iterator[Item] = iter(())
        corrections: dict[str, list[Item]] = {}
        damaged: tuple[int, ...] = ()
        if "turn" in asked.kinds:
            look = _Look(self._turns, tx, person, self._indexes.held(tx, person), asked, facts)
            turns, corrections, damaged = look.items(), look.corrections(), look.held.damaged
            recent = look.recent() if asked.goes_on else recent
        ranked = [fact for fact in package.ranked(asked.query, facts) if asked.others or fact.score > 0]
        found = package.chosen(ranked, rules, turns, asked.budget, corrections, recent)
        items = package.fitted(found, asked.budget)
        answer = package.answered(items)
        if damaged:
            answer["damaged"] = [turn_id_of(person, number) for number in damaged[:_MAX_DAMAGED]]
        return answer, self._erasures(tx, person)

    def _erasures(self, tx: Tx, person: str) -> dict[str, int]:
        return {"erased": self._turns.changed_at(tx, person)}

    def _facts(self, tx: Tx, person: str) -> list[Item]:
        found = []
        for key, fact in self._read_facts(tx, person):
            attribute = key.rpartition("/")[2]
            value = fact["value"]
            said = value if isinstance(value, str) else canon.dumps(value).decode()
            text = package.one_line(f"{attribute.replace('_', ' ')}: {said}")
            found.append(
                Item(
                    kind="fact",
                    ref=key,
                    text=text,
                    score=0.0,
                    at=fact["last_updated"],
                    why="fact",
                    attribute=statements.attribute_of(attribute),
                    value=said,
                )
            )
        return found

    def _rules(self, person: str, asked: Asked) -> list[Item]:
        if "rule" not in asked.kinds:
            return []
        found: list[dict[str, Any]] = []
        with suppress(ServiceUnavailable, StorageFull):  # experience lies apart, and may be down
            found = self._read_rules(person)
        longest = package.longest_line(asked.budget)
        items = [
            Item(
                kind="rule",
                ref=row["id"],
                text=package.cut(package.one_line(_rule_text(row)), longest),
                score=0.0,
                at=None,
                why="rule",
            )
            for row in found
            if row["content"]
        ]
        return [item for item in package.ranked(asked.query, items) if item.score > 0][:_MAX_RULES]

    # Looking back

    def recalled(self, user_id: str, receipt: str) -> dict[str, Any]:
        """What one recall of a person put into a prompt, as far as it may still be read."""
        check_user_id(user_id)
        missing = NotFound(what="a recall of this person with this receipt")
        try:
            wanted = bytes.fromhex(receipt)
        except ValueError:
            raise missing from None

        def look(tx: Tx) -> dict[str, Any]:
            person = person_of(self._world.slots, tx, user_id)
            for row in tx.events.by_id(wanted):
                said = self._bound.said(tx, row)  # an event that was changed tells nothing
                if said is None:
                    continue
                event = row.fields(said)
                if event["event_type"] == EVENT and event["payload"]["person"] == person:
                    return self._shown(tx, person, event)
            raise missing

        found = self._world.store.read(look)
        rules = self._rule_texts(found)
        for item in found["items"]:
            if item["kind"] == "rule" and item["ref"] in rules:
                item |= {"text": rules[item["ref"]], "state": "there"}
        return found

    def _shown(self, tx: Tx, person: str, event: dict[str, Any]) -> dict[str, Any]:
        said, recorded_at = event["payload"], event["recorded_at"]
        facts = dict(self._read_facts(tx, person)) if any(item["kind"] == "fact" for item in said["items"]) else {}

        def shown(item: dict[str, str]) -> dict[str, Any]:
            text, at, state = None, None, "erased"
            if item["kind"] == "turn":
                kept = self._turns.one(tx, item["ref"])
                turn = None if kept is None else kept.turn
                if turn is None and not self._turns.is_erased(tx, item["ref"]):
                    state = "damaged"
                if kept is not None and turn is not None:
                    state = "there" if self._turns.is_served(tx, person, kept) else "withheld"
                    at = turn.at
                    if state == "there":
                        text = package.one_line(f"{turn.speaker}: {turn.content}")
            elif item["kind"] == "fact" and item["ref"] in facts:
                fact = facts[item["ref"]]
                value = fact["value"]
                said_value = value if isinstance(value, str) else canon.dumps(value).decode()
                text = package.one_line(f"{item['ref'].rpartition('/')[2].replace('_', ' ')}: {said_value}")
                at = fact["last_updated"]
                is_later = recorded_at is not None and parse_instant(at) > parse_instant(recorded_at)
                state = "changed" if is_later else "there"
            return {"kind": item["kind"], "ref": item["ref"], "text": text, "at": at, "state": state}

        return {
            "receipt": event["event_id"],
            "person": person,
            "job_id": said.get("job_id"),
            "recorded_at": recorded_at,
            "tokens": said["tokens"],
            "scorer": said["scorer"],
            "items": [shown(item) for item in said["items"]],
        }

    def _rule_texts(self, found: dict[str, Any]) -> dict[str, str]:
        if not any(item["kind"] == "rule" for item in found["items"]):
            return {}
        with suppress(ServiceUnavailable, StorageFull):  # experience lies apart, and may be down
            return {
                row["id"]: package.one_line(f"{row['space']} {row['entity']}: {row['content']}")
                for row in self._read_rules(found["person"])
                if row["content"]
            }
        return {}

    # On the record

    def _receipt(
        self,
        journal: VerbJournal,
        person: str,
        asked: Asked,
        answer: dict[str, Any],
        seen: dict[str, int],
        by: str,
        job_id: str | None,
    ) -> str | None:
        """Put on the record what was given out; None where something of it was erased since it was read."""

        def unit(tx: Tx) -> str | None:
            tx.lock(f"erasing/{person}")
            if self._erasures(tx, person) != seen:
                return None
            query, digest = None, answer["package_hash"]
            if tx.vault.key(f"person/{person}") is not None:  # else nothing of theirs is here, nor in the answer
                query = self._vault.person_hash(tx, person, b"recall\0" + asked.query.encode())
                digest = self._vault.person_hash(tx, person, b"package\0" + digest.encode())
            payload: dict[str, Any] = {
                "person": person,
                "query": query,
                "package": digest,
                "items": [{"kind": item["kind"], "ref": item["ref"]} for item in answer["items"]],
                "tokens": answer["tokens"],
                "scorer": PHASE7,
                **({} if job_id is None else {"job_id": job_id}),
            }
            self._indexes.heal(tx, person)
            event = self._recorder.append(tx, journal.origin(tx), EVENT, payload, by)
            return event.event_id.hex()

        return self._spilling.write("recall", unit)


class _Look:
    """One look at what a person said: turns by score, and those that contradict the person's facts."""

    def __init__(self, turns: Turns, tx: Tx, person: str, held: Held, asked: Asked, facts: Sequence[Item]) -> None:
        self.held = held
        self._turns, self._tx, self._person, self._asked, self._facts = turns, tx, person, asked, facts
        self._attributes = frozenset(item.attribute for item in facts)
        self._longest = package.longest_line(asked.budget)
        self._opened: dict[int, Kept | None] = {}

    def items(self) -> Iterator[Item]:
        """The turns that may matter, best first."""
        if not len(self.held.numbers):
            return
        only = None
        if self._asked.conversation_id is not None:
            only = self._conversation()
            if only is None:
                return
        for ranked in self.held.talks.best(self._asked.query, self._text, only):
            kept = self._kept(int(self.held.numbers[ranked.place]))
            if kept is not None:
                yield self._item(kept, ranked.score, "match" if ranked.is_match else "neighbour")

    def recent(self) -> Iterator[Item]:
        """What was said last in the conversation, the newest first."""
        talk = self._conversation()
        if talk is None:
            return
        for number in reversed(self.held.numbers[self.held.conversation_of == talk][-_MOST_RECENT:].tolist()):
            kept = self._kept(number)
            if kept is not None:
                yield self._item(kept, 1.0, "recent", package.longest_recent(self._asked.budget))

    def corrections(self) -> dict[str, list[Item]]:
        """By fact: the newest turns in which the person says otherwise since, whatever is asked."""
        found: dict[str, list[Item]] = {}
        for fact in self._facts:
            for number in reversed(self.held.stated.get(fact.attribute, ())[-_MAX_CORRECTIONS:]):
                kept = self._kept(number)
                if kept is None:
                    continue
                item = self._item(kept, fact.score, "match")
                if package.contradicts(item, fact) and (item.at or "") > (fact.at or ""):
                    found.setdefault(fact.ref, []).append(item)
                    break
        return found

    def _conversation(self) -> int | None:
        name = self._turns.conversation(self._tx, self._person, self._asked.conversation_id or "")
        return self.held.conversations.index(name) if name in self.held.conversations else None

    def _text(self, place: int) -> str:
        kept = self._one(int(self.held.numbers[place]))
        return "" if kept is None or kept.turn is None else kept.turn.read_as

    def _one(self, number: int) -> Kept | None:
        if number not in self._opened:
            self._opened[number] = self._turns.one(self._tx, turn_id_of(self._person, number))
        return self._opened[number]

    def _kept(self, number: int) -> Kept | None:
        """A turn that may be given out."""
        kept = self._one(number)
        return kept if kept is not None and self._turns.is_served(self._tx, self._person, kept) else None

    def _item(self, kept: Kept, score: float, why: package.Why, longest: int | None = None) -> Item:
        turn = kept.turn
        assert turn is not None
        said = None
        if turn.role == "user" and self._attributes:
            said = statements.stated(turn.content, self._attributes)
        speaker = package.shown_name(turn.speaker) or turn.role
        room = max((longest or self._longest) - package.tokens_of(f"{speaker}: ") - 1, 1)
        return Item(
            kind="turn",
            ref=kept.turn_id,
            text=package.cut(package.one_line(turn.content), room),
            score=score,
            at=turn.at,
            speaker=speaker,
            conversation_id=turn.conversation_id,
            why=why,
            attribute="" if said is None else said.attribute,
            value="" if said is None else said.value,
            says_only_that=said is not None and said.is_all,
        )


def read_request(query: Any, budget_tokens: Any, conversation_id: Any, kinds: Any, scorer: Any) -> Asked:
    """What a recall asks for, or what is wrong with it."""
    if not isinstance(query, str):
        raise WrongType(f"query must be a str, got {type(query).__name__}")
    if not query.strip() or not is_encodable(query) or len(query.encode()) > MAX_QUERY_BYTES:
        raise InvalidInput(f"query must have words, at most {MAX_QUERY_BYTES} bytes and no unpaired surrogates")
    if type(budget_tokens) is not int:
        raise WrongType(f"budget_tokens must be an int, got {type(budget_tokens).__name__}")
    if not MIN_BUDGET <= budget_tokens <= MAX_BUDGET:
        raise InvalidInput(f"budget_tokens must be between {MIN_BUDGET} and {MAX_BUDGET}, got {budget_tokens}")
    talk = None if conversation_id is None else check_conversation(conversation_id)
    if talk is not None and is_personal(talk):
        raise InvalidInput("conversation_id must not contain personal data")
    if isinstance(kinds, str) or not isinstance(kinds, Sequence | frozenset | set) or not kinds:
        raise InvalidInput(f"kinds must be a list of {', '.join(KINDS)}")
    if any(kind not in KINDS for kind in kinds):
        raise InvalidInput(f"kinds must be some of {', '.join(KINDS)}")
    if scorer is not None and scorer != PHASE7:
        raise InvalidInput(f"scorer must be {PHASE7}, or left out")
    return Asked(query, budget_tokens, frozenset(kinds), talk)


def _rule_text(row: dict[str, Any]) -> str:
    """A rule with what it is about, unless it says so itself."""
    content = str(row["content"])
    is_said = row["space"] in content and row["entity"] in content
    return content if is_said else f"{row['space']} {row['entity']}: {content}"
