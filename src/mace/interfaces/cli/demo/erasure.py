"""Chapter: a person is erased. From the proof of identity to the receipt; the log still verifies, others stay."""

from mace.interfaces.cli.demo import ledger
from mace.interfaces.cli.demo.stage import Chapter, Stage, Step

_ANA = ("--user", "ana")
_BO = ("--user", "bo")
_SAID = "ultramarine"
_KEY = "user/profile/user_ana/favorite_color"


def _two_people(stage: Stage) -> None:
    stage.mace("ask", f"Remember my favorite colour is {_SAID}", *_ANA)
    asked = stage.mace("ask", "What is my favorite colour?", *_ANA)
    stage.expect("Ana's fact is there", _SAID in asked.value["text"])
    stage.memo["ana_job"] = asked.value["job_id"]
    stage.mace("ask", "Remember my favorite colour is amber", *_BO)
    before = stage.mace("replay", stage.memo["ana_job"], show=False)
    stage.expect("and her question can be played again", before.value["result"] == "MATCH")
    inside = stage.mace("admin", "forensic-key", "my-agent/forensic.key", show=False, exit_code=1)
    stage.expect("a forensic key is not kept where the data is", inside.value["error_code"] == "INVALID_INPUT")
    stage.mace("admin", "forensic-key", "elsewhere/forensic.key", "-q")


def _ask_for_it(stage: Stage) -> None:
    refused = stage.mace("dsr", "delete", "ana", "--proof", "AAAA-BBBB-CCCC-DDDD", exit_code=1)
    stage.expect("nobody deletes a person without proving to be them", refused.value["status"] == "refused")
    code = stage.mace("dsr", "proof", "ana", "-q").value["proof"]
    exported = stage.mace("dsr", "export", "ana", "--proof", code, "-o", "ana.json")
    package = (stage.folder / "ana.json").read_text()
    stage.expect("Ana takes along what she said", _SAID in package and "amber" not in package)
    used = stage.mace("dsr", "delete", "ana", "--proof", code, show=False, exit_code=1)
    stage.expect(
        "a proof is valid only once", exported.exit_code == 0 and used.value["error_code"] == "PERMISSION_DENIED"
    )
    code = stage.mace("dsr", "proof", "ana", "-q", show=False).value["proof"]
    asked = stage.mace("dsr", "delete", "ana", "--proof", code)
    still = stage.mace("fact", "get", _KEY, show=False)
    stage.expect("nothing is erased before it is approved", still.value["value"] == _SAID)
    stage.memo["dsr"] = asked.value["dsr_id"]


def _approve(stage: Stage) -> None:
    waiting = stage.mace("approve", "list").value["approvals"]
    stage.expect("the request waits", stage.memo["dsr"] in [item["request_id"] for item in waiting])
    voted = stage.mace("approve", "vote", stage.memo["dsr"], "yes")
    stage.expect("the vote that decides carries it out", voted.value["status"] == "approved")
    shown = stage.mace("dsr", "show", stage.memo["dsr"], show=False).value
    stage.expect(
        "a manifest lists what was erased, with a signed receipt",
        shown["status"] == "completed"
        and _KEY in [item["key"] for item in shown["manifest"]["facts"]]
        and len(shown["receipt"]["signature"]) == 128,
    )


def _gone(stage: Stage) -> None:
    nothing = stage.mace("ask", "What is my favorite colour?", *_ANA, exit_code=1)
    stage.expect("the fact is gone", nothing.value["error_code"] == "SEM_NOT_FOUND")
    played = stage.mace("replay", stage.memo["ana_job"], exit_code=1)
    stage.expect("her question can no longer be played", played.value["result"] == "INPUT_ERASED")
    raw = b"".join(path.read_bytes() for path in stage.location.rglob("*") if path.is_file())
    stage.expect("what she said is nowhere in the files", bool(raw) and _SAID.encode() not in raw)
    other = stage.mace("ask", "What is my favorite colour?", *_BO)
    stage.expect("Bo's fact is untouched", "amber" in other.value["text"])
    checked = stage.mace("log", "verify")
    stage.expect("and the whole log still verifies", checked.value["ok"])


CHAPTER = Chapter(
    "erasure",
    "A person is erased, the log still verifies",
    [
        Step(
            "Two people, and a key kept elsewhere",
            "Whatever is erased is sealed to a forensic key whose private half is kept elsewhere.",
            _two_people,
        ),
        Step("Ana asks to be erased", "With a one-time code from an admin who knows who she is.", _ask_for_it),
        Step("It is approved", "By the council; here, where there is none, by the owner.", _approve),
        Step("She is gone, the proofs are not", "Keys went, no signed byte was changed.", _gone),
    ],
    needs=[ledger.OPENED],
)
