"""`mace replay`: decide a job again from its record, and compare every byte."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.programs import program_option
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ReplayAnswer
    from mace.engine.runtime import Mace

_MEANING = {
    "MATCH": "every event and the result came out the same, byte for byte",
    "INTEGRITY_FAILURE": "a row that is needed is not what was signed; an incident was opened",
    "MISSING_SNAPSHOT": "the snapshot it was decided on is gone",
    "MISSING_PERSISTED_AGENT_OUTPUT": "a recorded part of the job is gone",
    "REPLAY_DIVERGENCE": "played again, the job does something else than its record says",
    "RESULT_MISMATCH": "the log says something else than what follows from the record",
    "INPUT_ERASED": "what the job received was erased, with the person it belongs to or by request",
    "REPLAY_HALTED": "an incident halts it until it was attested and lifted",
    "NO_PROGRAM": "the record is whole, but the function that the job was performed with is not here",
}
_TO_DO = {
    "INTEGRITY_FAILURE": "mace log verify names what was changed; mace incident list has the incident",
    "MISSING_SNAPSHOT": "mace log verify names what is gone",
    "MISSING_PERSISTED_AGENT_OUTPUT": "mace log verify names what is gone",
    "REPLAY_DIVERGENCE": "give the function as it was when the job ran (--program), docs/programs.md has "
    "the usual causes; for a question, replay it with the version of MACE that answered it",
    "RESULT_MISMATCH": "mace log verify tells whether the log was changed",
    "INPUT_ERASED": "nothing: it cannot be played any more, its events are still verified by mace log verify",
    "REPLAY_HALTED": "mace log attest, then mace log unhalt",
    "NO_PROGRAM": "name the function in its recorded version with --program MODULE:NAME",
}
_A_BLOCK = "a recorded block, which has no function to play: its whole record was checked"


@command("replay")
@click.argument("jobs", metavar="JOB...", nargs=-1)
@click.option("--last", type=click.IntRange(1), metavar="N", help="Replay the newest N jobs.")
@click.option(
    "--conversation", metavar="ID", type=options.stored_text, help="Replay the questions of a conversation of the user."
)
@program_option
@click.pass_obj
def replay(
    session: Session, jobs: tuple[str, ...], last: int | None, conversation: str | None, programs: tuple[str, ...]
) -> None:
    """Run jobs again from their record and compare. No recorded call is made again, and nothing is stored.

    Jobs of a program need its function, in the version that was recorded: --program support.py. A recorded block has
    none: its record is checked, and the result is NO_PROGRAM. Exit code 0 when all match and all blocks are whole.
    """
    from mace.interfaces.cli.programs import load

    if [bool(jobs), last is not None, conversation is not None].count(True) != 1:
        raise click.UsageError("Give job ids, or --last N, or --conversation ID.")
    functions = load(programs)
    with session.open("replay", programs=functions) as mace:
        names = jobs or _of_conversation(session, mace, conversation) or _newest(mace, last)
        results = [mace.replay(name) for name in names]
        states = {item["job_id"]: _state(mace, item) for item in results}
    checked = [item for item in results if is_block(item)]
    bad = [item for item in results if item["result"] != "MATCH" and not is_block(item)]
    value: Mapping[str, Any] = (
        results[0]
        if len(results) == 1
        else {"replays": results, "matched": len(results) - len(bad) - len(checked), "checked": len(checked)}
    )
    text = [line for item in results for line in _text(item, states[item["job_id"]])]
    if bad:
        from mace.interfaces.cli.errors import Refusal

        raise Refusal(_refusal(bad, len(results), states), value, text)
    output.show(session, value, text)


def _of_conversation(session: Session, mace: "Mace", conversation: str | None) -> tuple[str, ...]:
    """The questions of a conversation, oldest first; `NotFound` where it has none."""
    from mace.core.errors import NotFound

    if conversation is None:
        return ()
    found: list[str] = []
    cursor = None
    while True:
        page = mace.jobs.list(person=session.actor, conversation_id=conversation, cursor=cursor, limit=500)
        found += [job["job_id"] for job in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    if not found:
        raise NotFound(what="a question in this conversation")
    return tuple(reversed(found))


def _newest(mace: "Mace", last: int | None) -> tuple[str, ...]:
    return tuple(job["job_id"] for job in mace.jobs.list(limit=last or 1)["items"])


def is_block(item: "ReplayAnswer") -> bool:
    """Whether a job has no function by its kind: then there is nothing to play, and its record was checked."""
    return item["result"] == "NO_PROGRAM" and (item["first_difference"] or {}).get("kind") == "block"


def told(item: "ReplayAnswer", state: str | None) -> tuple[str, str]:
    """What a result means, and what to do; `state` is that of a job which never came to an end."""
    if is_block(item):
        return _A_BLOCK, ""
    if state is not None:
        to_do = "take it up again with mace jobs resume" if state == "interrupted" else "nothing is left to play"
        to_do = "wait for its end" if state in ("running", "waiting") else to_do
        return f"the job is {state}: it has no end that could be compared", to_do
    return _MEANING[item["result"]], _TO_DO.get(item["result"], "")


def _state(mace: "Mace", item: "ReplayAnswer") -> str | None:
    """How a job stands that never came to an end by itself; None where that is not why it cannot be played."""
    from mace.core.errors import MaceError

    if item["result"] != "MISSING_PERSISTED_AGENT_OUTPUT":
        return None
    try:
        view = mace.job(item["job_id"])
    except MaceError:
        return None
    return view["status"] if view["log_id"] is None and view["status"] not in ("closed", "failed") else None


def _refusal(bad: "list[ReplayAnswer]", of: int, states: "Mapping[str, str | None]") -> dict[str, Any]:
    """The envelope of the first job that did not match, which says plainly what is the matter."""
    from mace.wiring.doors import make_envelope

    first = bad[0]
    what, to_do = told(first, states[first["job_id"]])
    codes = {"INTEGRITY_FAILURE": "INTEGRITY_FAILURE", "REPLAY_HALTED": "REPLAY_HALTED"}
    details = {
        "reason": f"{first['result']}: {what}",
        "job_id": first["job_id"],
        "incident_id": first["incident_id"] or "",
    }
    envelope = make_envelope(codes.get(first["result"], "CONFLICT"), details)
    if first["result"] in codes:
        return envelope
    counted = "" if of == 1 else f"{len(bad)} of {of} jobs were not replayed as they ran. Job {first['job_id']}: "
    said = f"{counted}{what}."
    return {
        **envelope,
        "user_message": said[:1].upper() + said[1:],
        "developer_message": f"{first['result']}. To do: {to_do}.",
    }


def _text(item: "ReplayAnswer", state: str | None) -> list[str]:
    if is_block(item):
        return [f"{output.style('CHECKED', 'good')}  {item['job_id']}", *output.fields([("meaning", _A_BLOCK)])]
    good = item["result"] == "MATCH"
    text = [f"{output.style(item['result'], 'good' if good else 'bad')}  {item['job_id']}"]
    if good:
        return text
    what, to_do = told(item, state)
    pairs: list[tuple[str, Any]] = [("meaning", what), ("to do", to_do)]
    if item["first_difference"] is not None and state is None:  # else it is said
        pairs += [(name, value) for name, value in item["first_difference"].items() if value is not None]
    if item["incident_id"]:
        pairs.append(("incident", item["incident_id"]))
    return text + output.fields(pairs)
