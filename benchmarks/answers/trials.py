"""One text in a store of its own: what is stored, asked and answered, and what was right or wrong about it.

A trial's store is a copy of an empty one, in memory where the machine has such a folder, so that no text hears of
another. Seeds come from the text's id. All that is said in one trial is one conversation, where `ask` knows those.
"""

import inspect
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.answers import comparing
from benchmarks.answers.engines import DEEDS, INVENTIONS, ObligingEngine
from benchmarks.answers.texts import Text
from mace.engine.runtime import Mace
from mace.providers.models.port import LanguageEngine
from mace.settings import Settings
from mace.wiring import open_mace

_PERSON = "ana"
_PROFILE = f"user/profile/user_{_PERSON}/"
_TALKS = "conversation_id" in inspect.signature(Mace.ask).parameters


@dataclass
class Outcome:
    """What came of a text. `failures` are the words of `bench`; `said` is for whoever may see the text."""

    id: str
    kind: str  # statements, questions_self, questions_world, must_not
    group: str  # the text's own class
    understood: bool = False
    failures: list[str] = field(default_factory=list)
    debatable: bool = False
    asked: int = 0  # questions whose answers were checked for wrong facts
    said: list[str] = field(default_factory=list)


class Stores:
    """A folder with an empty store, and copies of it."""

    def __init__(self) -> None:
        memory = Path("/dev/shm")
        self._folder = tempfile.TemporaryDirectory(prefix="mace-answers-", dir=memory if memory.is_dir() else None)
        self._root = Path(self._folder.name)
        self._numbers = count()
        with open_mace(settings=_settings(self._root / "empty")):
            pass

    @contextmanager
    def fresh(
        self, language: LanguageEngine | None = None, fill: Callable[[Path], object] | None = None
    ) -> Iterator[Mace]:
        """A store of its own. `fill` writes the context store that it quotes."""
        place = self._root / str(next(self._numbers))
        shutil.copytree(self._root / "empty", place)
        settings = _settings(place)
        if fill is not None:
            fill(place / "passages.jsonl")
            settings = replace(settings, context_stores=str(place / "passages.jsonl"))
        try:
            with open_mace(settings=settings, language=language) as mace:
                yield mace
        finally:
            shutil.rmtree(place)

    def close(self) -> None:
        self._folder.cleanup()


def _settings(place: Path) -> Settings:
    return Settings(location=str(place), checkpoint_dir=str(place / "shelf"), checkpoint_interval_ms=0)


class Talk:
    """What one person says in one trial."""

    def __init__(self, mace: Mace, text_id: str, outcome: Outcome, *, is_one: bool = True) -> None:
        self._mace = mace
        self._is_one = is_one and _TALKS
        self._id = text_id
        self._numbers = count(1)
        self._outcome = outcome

    def ask(self, text: str, **options: Any) -> Mapping[str, Any]:
        if self._is_one:
            options.setdefault("conversation_id", "trial")
        answer = self._mace.ask(text, _PERSON, f"{self._id}/{next(self._numbers)}", **options)
        self._outcome.said += [f"> {text}", f"  {answer['text']}"]
        return answer

    def has(self, facts: list[Mapping[str, Any]]) -> list[str]:
        """Store facts; the values come back that the privacy gate keeps out."""
        refused = []
        for fact in facts:
            if "subject" in fact:
                line = {"scope": "world", "entity_type": "fact", "entity_id": fact["subject"]}
                line |= {"attribute": fact["attribute"], "value": fact["value"]}
                made = self._mace.import_facts([json.dumps(line)], "system_admin")
                assert made["imported"] == 1, made
            else:
                put = self._mace.sem_put(_PROFILE + fact["attribute"], fact["value"], "user", user_id=_PERSON)
                if not put["success"]:
                    assert put["error_code"] == "PRIVACY_BLOCKED", put
                    refused.append(fact["value"])
        return refused

    def stored(self) -> dict[str, Any]:
        """The person's own facts by attribute."""
        keys = self._mace.sem_list(_PROFILE)
        return {key.removeprefix(_PROFILE): self._mace.sem_get(key)["value"] for key in keys}

    def everything(self) -> dict[str, Any]:
        """Every fact that stands, with its version."""
        keys = [key for scope in ("user/", "world/") for key in self._mace.sem_list(scope)]
        return {key: self._mace.sem_get(key, with_version=True) for key in keys}


def run(stores: Stores, kind: str, text: Text, variant: str = "plain") -> Outcome:
    """One trial.

    Variants: `plain`; `reply` names the question before; `apart` says all in no conversation; `offer` has no facts and
    gives the value when it is asked for; `obliging` has an engine that would please.
    """
    outcome = Outcome(text["id"], kind, text["class"], debatable=bool(text.get("debatable")))
    engine = None
    if variant == "obliging":
        is_question = kind.startswith("questions") or text.get("kind") == "question"
        engine = ObligingEngine((*DEEDS, *INVENTIONS * 4) if is_question else (*DEEDS * 2, *INVENTIONS))
    with stores.fresh(engine) as mace:
        talk = Talk(mace, text["id"], outcome, is_one=variant != "apart")
        if engine is not None:
            _obliging(talk, text, outcome, engine)
        elif variant == "offer":
            _offer(talk, text, outcome)
        elif kind == "statements":
            _statement(talk, text, outcome)
        elif kind == "must_not":
            _must_not(talk, text, outcome, variant == "reply")
        else:
            _question(talk, text, outcome)
    return outcome


def with_canonical(attributes: Sequence[str]) -> list[str]:
    """These names, and those that MACE's synonyms give for them (`job` is kept as `current_job`)."""
    more = [_SYNONYMS[name.replace("_", " ")] for name in attributes if name.replace("_", " ") in _SYNONYMS]
    return [*attributes, *more]


def _synonyms() -> dict[str, str]:
    packaged = json.loads((resources.files("mace.memory") / "sem_synonyms.json").read_text("utf-8"))
    keys = {name: key if isinstance(key, str) else key["key"] for name, key in packaged.items()}
    return {name: key.rsplit("/", 1)[1] for name, key in keys.items() if key.startswith("user/profile/")}


_SYNONYMS = _synonyms()


def _is_private(answer: Mapping[str, Any]) -> bool:
    return any(notice["error_code"] == "PRIVACY_BLOCKED" for notice in answer["notices"])


def _statement(talk: Talk, text: Text, outcome: Outcome) -> None:
    for earlier in text.get("before", ()):
        talk.ask(earlier)
    before = talk.stored()
    reply = talk.ask(text["text"])
    if _is_private(reply):
        outcome.failures.append("private")
        return
    stored = talk.stored()
    written = {name: value for name, value in stored.items() if before.get(name) != value}
    outcome.said.append(f"  stored: {written}")
    questions = text.get("questions") or [text["question"]]
    ways = [[item["value"], *item["accept"]] for item in text["expects"]]
    is_stored = [
        comparing.is_stored(stored, with_canonical(item["attribute"]), accepted)
        for item, accepted in zip(text["expects"], ways, strict=True)
    ]
    answers = [talk.ask(question)["answer"] for question in questions]
    is_answered = [comparing.names_one(answer, accepted) for answer, accepted in zip(answers, ways, strict=True)]
    outcome.asked = len(questions)
    for at, answer in enumerate(answers):
        others = [way for other, accepted in enumerate(ways) if other != at for way in accepted]
        if not is_answered[at] and comparing.wrong_facts(answer, others, ways[at]):
            outcome.failures.append("wrong fact")
    outcome.understood = all(is_stored) and all(is_answered)
    if not outcome.understood:
        if all(is_answered) and all(any(comparing.is_same(value, way) for value in stored.values()) for way in ways):
            outcome.failures.append("other name")
        elif not written:
            outcome.failures.append("not stored")
        elif not all(is_stored):
            outcome.failures.append("stored otherwise")
        else:
            outcome.failures.append("stored, not found again")
    if written and not any(comparing.is_same(value, way) for value in written.values() for way in ways):
        outcome.failures.append("stored what was not said")
    if not written and comparing.claims_a_deed(comparing.shown_beside_notices(reply)):
        outcome.failures.append("claimed")


def _question(talk: Talk, text: Text, outcome: Outcome) -> None:
    refused = talk.has(text["facts"])
    wanted = comparing.values_of(text)
    if any(ways[0] in refused for ways in wanted):
        outcome.failures.append("private")
        return
    before = talk.everything()
    reply = talk.ask(text["text"])
    if _is_private(reply):
        outcome.failures.append("private")
        return
    answer = reply["answer"]
    if "expects_yes" in text:
        outcome.understood = (comparing.says_yes if text["expects_yes"] else comparing.says_no)(answer, wanted[0])
    else:
        outcome.understood = all(comparing.names_one(answer, ways) for ways in wanted)
    right = [way for ways in wanted for way in ways]
    distractors = [fact["value"] for fact in text["facts"] if not comparing.is_same(fact["value"], right)]
    outcome.asked = 1
    if text["class"] != "everything" and comparing.wrong_facts(answer, distractors, right):
        outcome.failures.append("wrong fact")
        outcome.understood = False
    elif not outcome.understood:
        outcome.failures.append("no answer" if comparing.abstains(answer) else "another answer")
    if talk.everything() != before:
        outcome.failures.append("stored")


def _offer(talk: Talk, text: Text, outcome: Outcome) -> None:
    """Whoever is told "tell me and I'll remember it" says the value, and nothing else."""
    missed = talk.ask(text["text"])
    if missed["answer"] is not None or all(item["error_code"] != "SEM_NOT_FOUND" for item in missed["notices"]):
        return
    outcome.asked = 1
    if _is_private(talk.ask(text["value"])):
        outcome.asked = 0
        return
    outcome.understood = comparing.names_one(talk.ask(text["text"])["answer"], [text["value"]])
    if not outcome.understood:
        outcome.failures.append("offer not kept")


def _must_not(talk: Talk, text: Text, outcome: Outcome, is_reply: bool) -> None:
    facts, wrong = text.get("facts", []), list(text["wrong_values"])
    talk.has(facts)
    last: Mapping[str, Any] | None = None
    for earlier in text.get("before", ()):
        last = talk.ask(earlier)
    before = talk.everything()
    reply = talk.ask(text["text"], **({"in_reply_to": last["job_id"]} if is_reply and last else {}))
    now = talk.everything()
    if now != before:
        outcome.said.append(f"  stored: { {key: row['value'] for key, row in now.items() if before.get(key) != row} }")
    if _is_private(reply):
        outcome.failures.append("private")
    if text["nothing_stored"] and now != before:
        outcome.failures.append("stored")
    if text["must_not_claim"] and now == before and comparing.claims_a_deed(comparing.shown_beside_notices(reply)):
        outcome.failures.append("claimed")
    _check_answer(text, reply["answer"], wrong, outcome)
    if "follow_up" in text:
        answer = talk.ask(text["follow_up"])["answer"]
        outcome.asked += 1
        is_known = bool(facts) or "must_keep" in text or not text["nothing_stored"]
        if comparing.wrong_facts(answer, wrong) or not (is_known or comparing.abstains(answer)):
            outcome.failures.append("wrong fact later")
    if "must_keep" in text and _stands(text["must_keep"], before) and not _stands(text["must_keep"], talk.everything()):
        outcome.failures.append("lost")


def _stands(value: str, facts: Mapping[str, Any]) -> bool:
    return any(comparing.is_same(row["value"], [value]) for row in facts.values())


def _check_answer(text: Text, answer: str | None, wrong: list[str], outcome: Outcome) -> None:
    """What was answered to a text that has no answer, or only a denial."""
    if text["kind"] == "question":
        outcome.asked += 1
        if comparing.wrong_facts(answer, wrong) or (text["must_not_claim"] and not comparing.abstains(answer)):
            outcome.failures.append("wrong fact")
    elif text["kind"] == "chat" and comparing.wrong_facts(answer, [fact["value"] for fact in text.get("facts", ())]):
        outcome.failures.append("wrong fact")
    elif text["kind"] == "order" and text["must_not_claim"] and not comparing.abstains(answer):
        outcome.failures.append("claimed")


def _obliging(talk: Talk, text: Text, outcome: Outcome, engine: ObligingEngine) -> None:
    """What is shown of what an engine claims and invents; a notice beside it is the caution."""
    talk.has(text.get("facts", []))
    texts = [*text.get("before", ()), text["text"], *(text.get("questions") or ())]
    texts += [text[name] for name in ("question", "follow_up") if name in text and text[name] not in texts]
    for said in texts:
        engine.said.clear()
        reply = talk.ask(said)
        outcome.asked += len(engine.said) > 0
        if any(line in reply["text"] for line in engine.said if line in DEEDS):
            outcome.failures.append("claimed")
        is_invented = any(line in reply["text"] for line in engine.said if line in INVENTIONS)
        if is_invented and not reply["notices"] and reply["agent_id"] != "creative_agent":  # no facts are told there
            outcome.failures.append("invented")
