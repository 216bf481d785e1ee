"""`remember`: what was said is kept, redacted where nothing covers it, sealed, and on the ledger when it answers."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict, IntegrityFailure, InvalidInput, WrongType
from mace.core.times import iso_us
from mace.core.turn_ids import KIND
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import check_idempotency_key
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.gate import FlaggedWrite, Gate
from mace.engine.kernel.joining import OWNER, Speaker, check_joining
from mace.engine.kernel.journal import Journal, VerbJournal
from mace.engine.kernel.let_in import LetIn
from mace.engine.kernel.missing_keys import answer_is_erased, talk_was_erased_since
from mace.engine.kernel.persons import enter_person
from mace.engine.kernel.privacy import Flag, check_user_id, flags_in_json, screen
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.people.conversations import Conversations, read_conversation
from mace.engine.people.index import TurnIndexes
from mace.engine.people.turns import Turns
from mace.ledger import rows
from mace.memory.people.turns import Turn, check_conversation, read_messages, request_of
from mace.storage.ports import Record, Tx

_KEY = "turn"  # under which consent to what stays in a turn is recorded
_TOKEN = b"idempotency\0remember\0"
Flagged = tuple[Turn, tuple[Flag, ...]]  # a turn, and what was found in it


class Remembering:
    """Keeps turns."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        failures: Callable[[], Failures],
        gate: Callable[[], Gate],
        turns: Turns,
        indexes: TurnIndexes,
        conversations: Conversations,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._failures = failures
        self._gate = gate
        self._turns = turns
        self._indexes = indexes
        self._conversations = conversations

    def remember(
        self,
        user_id: str,
        messages: Any,
        *,
        conversation_id: str | None = None,
        consent_id: str | None = None,
        job_seed: str | None = None,
        idempotency_key: str | None = None,
        speaker: Speaker = OWNER,
        by: str = "system",
    ) -> dict[str, Any]:
        """Keep turns of a person; refusals and failures are answers with their envelope."""
        journal = VerbJournal(self._recorder, "remember", None if job_seed is None else check_seed(job_seed))
        talk = conversation_id if isinstance(conversation_id, str) else ""
        begun = self._world.clock.now()
        try:
            check_user_id(user_id)
            talk, checked = "", check_conversation(conversation_id)
            talk = read_conversation(checked)
            if idempotency_key is not None:
                check_idempotency_key(idempotency_key)
            found = self.flagged(read_messages(messages, talk, begun), journal.job_seed)
            request = request_of(messages, talk)
        except WrongType:
            raise
        except InvalidInput as error:
            return self._told(self._failures().refuse(journal, error, {}), talk, journal)
        is_again = False
        tried: list[tuple[Record | None, dict[str, Any]]] = []

        def unit(tx: Tx) -> dict[str, Any]:
            nonlocal is_again
            if tried and tried[-1][0] is not None and tx.records.get(KIND, tried[-1][0].key) == tried[-1][0]:
                return tried[-1][1]  # the attempt that seemed to fail had gone through
            person = enter_person(self._world.slots, tx, journal, user_id)
            tx.lock(f"erasing/{person}")  # an erasure is before this unit or after it
            journal.join_for(tx, person)
            if job_seed is not None:
                check_joining(tx, self._recorder, journal, person, speaker)
            if is_again:  # a second try: what was erased meanwhile is not written again under fresh keys
                self.must_not_be_erased(tx, person, talk, begun)
            is_again = True
            answer = self.keep(
                tx, journal, person, found, request, consent_id=consent_id, idempotency_key=idempotency_key, by=by
            )
            tried.append((tx.records.get(KIND, answer["turn_ids"][0].removeprefix(f"{KIND}/")), answer))
            return answer

        answer = self._failures().put_answer(journal, _KEY, unit)
        return self._told(answer, talk, journal)

    def _told(self, answer: dict[str, Any], conversation_id: str, journal: VerbJournal) -> dict[str, Any]:
        told = {
            "success": answer["success"],
            "turn_ids": answer.get("turn_ids", []),
            "redacted": answer.get("redacted", []),
            "conversation_id": conversation_id,
            "job_id": answer.get("job_id", journal.stream),
            "error_code": answer["error_code"],
        }
        return told | {name: answer[name] for name in ("user_message", "error") if name in answer}

    def flagged(self, turns: Sequence[Turn], job_seed: str) -> list[Flagged]:
        """The turns, each with what is personal above low in it."""
        found = []
        for turn in turns:
            flags = flags_in_json(self._world.keys, turn.content, "content", job_seed)
            if turn.name is not None:
                flags += flags_in_json(self._world.keys, turn.name, "name", job_seed)
            found.append((turn, tuple(flags)))
        return found

    def must_not_be_erased(self, tx: Tx, person: str, conversation_id: str, since: datetime) -> None:
        """Refuse to write what was given before its person or its conversation was erased."""
        talk = self._turns.conversation(tx, person, conversation_id)
        if talk_was_erased_since(tx, person, talk, iso_us(since), self._world.keys):
            raise Conflict("this person or conversation was erased while it was being written; nothing was kept")

    def keep(
        self,
        tx: Tx,
        journal: Journal,
        person: str,
        found: Sequence[Flagged],
        request: bytes,
        *,
        consent_id: str | None,
        idempotency_key: str | None = None,
        on_tape: bool = False,
        by: str = "system",
    ) -> dict[str, Any]:
        """Keep turns inside a unit and answer with their ids; the conversation becomes the person's.

        `on_tape`: of a job, which said whose the conversation is, and whose events come at the end of the unit. The
        index reads turns by their events, so these are taken into it by the next who keep or recall some.
        """
        token = None if idempotency_key is None else self._token(tx, person, idempotency_key)
        if token is not None and (first := self._first_answer(tx, token, request)) is not None:
            return _done(first)
        talk = {} if on_tape else self._conversations.join_if_free(tx, person, found[0][0].conversation_id)
        kept: list[tuple[Turn, LetIn | None]] = []
        cut: set[str] = set()
        for turn, flags in found:
            clean, let_in, types = self._screened(tx, journal, person, turn, flags, consent_id)
            kept.append((clean, let_in))
            cut |= types
        answer: dict[str, Any] = {"turn_ids": [], "redacted": sorted(cut), "job_id": journal.stream}
        tx.lock(f"turns/{person}")
        if on_tape:
            self._indexes.extend(tx, person)
        answer["turn_ids"] = self._turns.next_ids(tx, person, len(kept))
        also = []
        if token is not None:
            data_key = self._vault.data_key(tx, answer["turn_ids"][0], person)
            row = (token, self._world.keys.keyed_hash(data_key, _TOKEN + request), canon.dumps(answer))
            tx.idempotency.add(*row)
            also.append(rows.reference(rows.IDEMPOTENCY, token, rows.idempotency_hash(*row)))
        self._turns.add(tx, journal, person, kept, also=also, talk=talk, by=by)
        if not on_tape:
            self._indexes.extend(tx, person)
        return _done(answer)

    def _screened(
        self, tx: Tx, journal: Journal, person: str, turn: Turn, flags: tuple[Flag, ...], consent_id: str | None
    ) -> tuple[Turn, LetIn | None, set[str]]:
        """A turn as it may be kept, the consent that covers what stays, and the types of what was cut out."""
        if not flags:
            return turn, None, set()
        wanted = FlaggedWrite(key=_KEY, person=person, flags=flags, consent_id=consent_id)
        let_in = self._gate().let_stay(tx, journal, wanted)
        stay = () if let_in is None else let_in.types
        for flag in flags:
            if flag.pii_type not in stay:
                journal.event(tx, "PII_FLAGGED", flag.payload())
        keys, seed = self._world.keys, journal.job_seed
        content = screen(keys, turn.content, seed, field="content", stay=stay).value
        name = None if turn.name is None else screen(keys, turn.name, seed, field="name", stay=stay).value
        clean = Turn(turn.role, content, turn.at, name, turn.conversation_id)
        return clean, let_in, {flag.pii_type for flag in flags} - set(stay)

    # Retried calls

    def _token(self, tx: Tx, person: str, idempotency_key: str) -> str:
        person_key = self._vault.person_key(tx, person)
        return self._world.keys.keyed_hash(person_key, _TOKEN + idempotency_key.encode())

    def _first_answer(self, tx: Tx, token: str, request: bytes) -> dict[str, Any] | None:
        """What was answered to this key before; `Conflict` where that was about something else, or was erased."""
        held = tx.idempotency.get(token)
        named = self._bound.named(tx, rows.IDEMPOTENCY, token)
        if held is None and named is None:
            return None
        if (
            held is None and named is not None and answer_is_erased(tx, named.payload, self._world.keys)
        ):  # answers of erased turns go with them
            raise Conflict("the turns of this idempotency_key were erased since; use a new idempotency_key")
        if held is None or named is None or rows.idempotency_hash(token, *held) != named.hash:
            raise IntegrityFailure("what is kept of this idempotency_key was changed; run verify, and use another key")
        answer: dict[str, Any] = canon.loads(held[1])
        data_key = self._turns.key_of(tx, answer["turn_ids"][0])
        if held[0] != self._world.keys.keyed_hash(data_key, _TOKEN + request):
            raise Conflict("idempotency_key was already used for other turns")
        return answer


def _done(answer: dict[str, Any]) -> dict[str, Any]:
    return {"success": True, "applied": True, "error_code": None, **answer}
