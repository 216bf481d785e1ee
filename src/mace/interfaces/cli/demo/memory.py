"""Chapter: memory of a person. What was said is recalled for a prompt, corrected, looked up, and erased for good."""

from mace.interfaces.cli.demo import ledger
from mace.interfaces.cli.demo.stage import Chapter, Stage, Step

_ANA = ("--user", "ana")
_BO = ("--user", "bo")
_TOLD = "I joined the Zephyrine tennis club."
_TALK = [
    '{"role": "user", "content": "I joined the Zephyrine tennis club.", "at": "2026-05-01T09:00:00Z"}',
    '{"role": "assistant", "content": "How did it go?", "at": "2026-05-01T09:00:30Z"}',
    '{"role": "user", "content": "I lost, and it was fun.", "at": "2026-05-01T09:01:00Z"}',
]


def _remember(stage: Stage) -> None:
    (stage.folder / "talk.jsonl").write_text("\n".join(_TALK) + "\n")
    kept = stage.mace("remember", "--file", "talk.jsonl", "--conversation", "may", *_ANA)
    stage.expect("a conversation is kept, turn by turn", len(kept.value["turn_ids"]) == 3)
    stage.mace("remember", "My phone is +44 20 7946 0958, call me about the club.", *_ANA)
    raw = b"".join(path.read_bytes() for path in stage.location.rglob("*") if path.is_file())
    stage.expect("no word of it lies on the disk in plain", b"Zephyrine" not in raw and b"zephyrin" not in raw.lower())
    stage.expect("what no consent covers was not kept at all", b"7946 0958" not in raw)


def _recall(stage: Stage) -> None:
    found = stage.mace("recall", "How was tennis?", "--budget", "200", "-v", *_ANA)
    text = found.value["text"]
    stage.expect("what matters is there, with what was said around it", _TOLD in text and "it was fun" in text)
    stage.expect("within the budget", found.value["tokens"] <= 200)
    other = stage.mace("recall", "How was tennis?", *_BO)
    stage.expect("somebody else's memory is empty", other.value["text"] == "")
    stage.memo["receipt"] = found.value["receipt"]


def _correct(stage: Stage) -> None:
    stage.mace("ask", "My favorite sport is tennis", *_ANA)
    stage.mace("remember", "My favorite sport is chess now.", *_ANA)
    found = stage.mace("recall", "What is my favorite sport?", *_ANA)
    lines = [line for line in found.value["text"].splitlines() if "favorite sport" in line]
    stage.expect("the fact and what contradicts it stand together", len(lines) == 2)
    stage.expect("the newer first", "chess" in lines[0] and "tennis" in lines[1])
    asked = stage.mace("ask", "What is my favorite sport?", *_ANA, show=False)
    stage.expect("the fact itself is as it was", "tennis" in asked.value["text"])


def _look_back(stage: Stage) -> None:
    shown = stage.mace("log", "show", stage.memo["receipt"])
    reads = [item["text"] for recall in shown.value["recalls"] for item in recall["items"]]
    stage.expect("the ledger names what was put into which prompt", f"user: {_TOLD}" in reads)
    stage.expect("and holds none of its words", "Zephyrine" not in str(shown.value["events"]))


def _erase(stage: Stage) -> None:
    code = stage.mace("dsr", "proof", "ana", "-q", show=False).value["proof"]
    asked = stage.mace("dsr", "delete", "ana", "--proof", code, "-q")
    stage.mace("approve", "vote", asked.value["dsr_id"], "yes", "-q")
    gone = stage.mace("recall", "How was tennis?", *_ANA)
    stage.expect("recall says nothing", (gone.value["text"], gone.value["items"]) == ("", []))
    shown = stage.mace("log", "show", stage.memo["receipt"], show=False)
    states = {item["state"] for recall in shown.value["recalls"] for item in recall["items"]}
    stage.expect("what was in the prompt reads as erased", states <= {"erased"})
    stage.expect("and the log still verifies", stage.mace("log", "verify").value["ok"])


CHAPTER = Chapter(
    "memory",
    "A memory of a person, in two calls",
    [
        Step("What was said is kept", "Sealed turn by turn under the person's key, the index included.", _remember),
        Step("What matters now", "A block for a prompt: facts, rules, turns; no model, no network.", _recall),
        Step("A correction", "A turn changes no fact; both are shown with their times.", _correct),
        Step(
            "What was in that prompt?",
            "The receipt names each line, and whoever may read it can open it.",
            _look_back,
        ),
        Step("Ana is erased", "Approved by the council; here, where there is none, by the owner.", _erase),
    ],
    needs=[ledger.OPENED],
)
