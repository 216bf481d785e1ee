"""Chapter: experience. An agent lives through some weeks; what it learned becomes a rule, is doubted, and comes back.

Every instant is given, so the chapter is the same on every day it is played.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mace.interfaces.cli.demo import ledger
from mace.interfaces.cli.demo.stage import Chapter, Stage, Step

if TYPE_CHECKING:
    from mace.core.answers import MegramState, NewMegram
    from mace.engine.groups.experience import ExperienceGroup

_MAY_1 = datetime(2026, 5, 1, 9, tzinfo=UTC)
_MAY_20_MORNING = datetime(2026, 5, 20, 9, tzinfo=UTC)
_MAY_20, _JUNE_11, _OCTOBER = "2026-05-20T12:00:00Z", "2026-06-11T12:00:00Z", "2026-10-01T00:00:00Z"
_DEPLOY = ("tool:shell", "path:deploy.sh")
_MIRROR = ("tool:http_get", "path:https://mirror.example/list.csv")
_GLOB = ("tool:glob", "path:reports/*.csv")


@contextmanager
def _agent(stage: Stage, at: datetime) -> "Iterator[ExperienceGroup]":
    """The agent's own process, on a day of its life."""
    from mace import settings, wiring
    from mace.wiring.doors import clock_at

    chosen = settings.read(str(stage.location), stage.environ)
    with wiring.open_mace(settings=chosen, clock=clock_at(at)) as mace:
        yield mace.experience


def _live(stage: Stage) -> None:
    stage.shell('python agent.py   # m.experience.write({space, entity, content, state}, "solver"), now and then')
    lived: list[tuple[tuple[str, str], int, MegramState, str]]
    lived = [(_DEPLOY, day, "accept", "run it with --check first, then for real") for day in range(0, 20, 2)]
    lived += [(_MIRROR, day, "abandon", "the mirror refuses every request") for day in (12, 15)]
    lived += [(_GLOB, 14, "refine", "look one folder deeper")]
    with _agent(stage, _MAY_20_MORNING) as experience:
        for (space, entity), day, state, content in lived:
            instant = (_MAY_1 + timedelta(days=day)).isoformat()
            megram: NewMegram = {
                "space": space,
                "entity": entity,
                "content": content,
                "state": state,
                "created_at": instant,
            }
            experience.write(megram, "solver")
    known = stage.mace("experience", "show", *_DEPLOY, "--now", _MAY_20, "-n", "2")
    stage.expect("what went well ten times is to be done again", known.value["action"] == "Exploit")
    bad = stage.mace("experience", "show", *_MIRROR, "--now", _MAY_20, show=False)
    later = stage.mace("experience", "show", *_MIRROR, "--now", _OCTOBER, show=False)
    stage.expect("what was refused twice is avoided", bad.value["action"] == "Avoid")
    stage.expect("and by October it has faded", later.value["action"] == "Ignore")


def _imagine(stage: Stage) -> None:
    imagined = stage.mace("dream", "--dry-run", "--now", _MAY_20, "-q").value
    stage.expect("one rule would be made", [item["entity"] for item in imagined["promoted"]] == [_DEPLOY[1]])
    stage.expect("a trifle would be forgotten", [item["entity"] for item in imagined["forgotten"]] == [_GLOB[1]])
    nothing = stage.mace("dream", "--changes", show=False).value["changes"]
    stage.expect("and nothing was changed", nothing == [])
    stage.memo["imagined"] = imagined["promoted"][0]


def _dream(stage: Stage) -> None:
    made = stage.mace("dream", "--now", _MAY_20, "-q", show=False).value["promoted"][0]
    listed = stage.mace("dream", "--changes")
    stage.expect("every change is an event that can be undone", len(listed.value["changes"]) == 2)
    same = made["evidence_hash"] == stage.memo["imagined"]["evidence_hash"]
    stage.expect("with the hash of the evidence it was shown with", same)
    rules = stage.mace("experience", "show", *_DEPLOY, "--now", _MAY_20, show=False).value["rules"]
    stage.lines("\n".join(rule["content"] for rule in rules))
    stage.expect("the rule stands, and time does not wear it out", [rule["sigma"] for rule in rules] == [1.0])
    again = stage.mace("dream", "--now", _MAY_20, show=False).value
    stage.expect("one cluster is promoted once", again["promoted"] == [])
    stage.memo["rule"] = rules[0]["id"]


def _doubt(stage: Stage) -> None:
    stage.shell('python agent.py   # three weeks later: m.experience.record_negative_feedback(rule_id, "...")')
    for hour in range(3):
        with _agent(stage, datetime(2026, 6, 11, 9 + hour, tzinfo=UTC)) as experience:
            experience.record_negative_feedback(stage.memo["rule"], "the script has no --check any more")
    dreamt = stage.mace("dream", "--now", _JUNE_11, "-q").value
    stage.expect(
        "a rule that new outcomes contradict is demoted", dreamt["demoted"][0]["rule_id"] == stage.memo["rule"]
    )
    known = stage.mace("experience", "show", *_DEPLOY, "--now", _JUNE_11, "-n", "0")
    stage.expect("and the advice turns", known.value["action"] == "Avoid" and known.value["rules"] == [])
    stage.memo["change"] = dreamt["demoted"][0]["change_id"]


def _undo(stage: Stage) -> None:
    stage.mace("dream", "--roll-back", stage.memo["change"])
    rules = stage.mace("experience", "show", *_DEPLOY, "--now", _JUNE_11, show=False).value["rules"]
    stage.expect("the rule is back, word for word", [rule["id"] for rule in rules] == [stage.memo["rule"]])
    still = stage.mace("dream", "--dry-run", "--now", _JUNE_11, "-q")
    stage.expect("the Dreamer does not insist", still.value["demoted"] == [])
    stage.expect("nothing was edited on the way: the log verifies", stage.mace("log", "verify").value["ok"])


CHAPTER = Chapter(
    "experience",
    "Experience that fades, becomes a rule, and can be doubted",
    [
        Step(
            "Three weeks of work",
            "Each result leaves a trace that fades with time; their sum suggests an action.",
            _live,
        ),
        Step("What would a dream change?", "A dry run shows it as a diff, with the evidence under it.", _imagine),
        Step("The dream", "What happened often enough becomes a rule.", _dream),
        Step("The rule is doubted", "Feedback is written against it; what was written before stays.", _doubt),
        Step("A person disagrees", "A change is rolled back by another event, on the record.", _undo),
    ],
    needs=[ledger.OPENED],
)
