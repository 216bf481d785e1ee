"""`mace replay`: decide a job again from its record, and compare every byte."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ReplayAnswer

_MEANING = {
    "MATCH": "every event and the result came out the same, byte for byte",
    "INTEGRITY_FAILURE": "a row that is needed is not what was signed; an incident was opened",
    "MISSING_SNAPSHOT": "the snapshot it was decided on is gone",
    "MISSING_PERSISTED_AGENT_OUTPUT": "a recorded part is gone, or the job never ended",
    "REPLAY_DIVERGENCE": "this version decides otherwise",
    "RESULT_MISMATCH": "the log says something else than what follows from the record",
    "INPUT_ERASED": "the person it belongs to was erased",
    "REPLAY_HALTED": "an incident halts it until it was attested and lifted",
}


@command("replay")
@click.argument("jobs", metavar="JOB...", nargs=-1)
@click.option("--last", type=click.IntRange(1), metavar="N", help="Replay the newest N jobs.")
@click.pass_obj
def replay(session: Session, jobs: tuple[str, ...], last: int | None) -> None:
    """Run jobs again from their record and compare. No model is called, no tool is run, nothing is stored.

    Exit code 0 when all of them match.
    """
    if bool(jobs) == bool(last):
        raise click.UsageError("Give job ids, or --last N.")
    with session.open("replay") as mace:
        names = jobs or tuple(job["job_id"] for job in mace.jobs.list(limit=last or 1)["items"])
        results = [mace.replay(name) for name in names]
    bad = [item for item in results if item["result"] != "MATCH"]
    value: Mapping[str, Any] = (
        results[0] if len(results) == 1 else {"replays": results, "matched": len(results) - len(bad)}
    )
    text = [line for item in results for line in _text(item)]
    if bad:
        from mace.interfaces.cli.errors import Refusal
        from mace.wiring.doors import make_envelope

        code = {"INTEGRITY_FAILURE": "INTEGRITY_FAILURE", "REPLAY_HALTED": "REPLAY_HALTED"}.get(
            bad[0]["result"], "CONFLICT"
        )
        details = {
            "reason": f"{bad[0]['result']}: {_MEANING[bad[0]['result']]}",
            "job_id": bad[0]["job_id"],
            "incident_id": bad[0]["incident_id"] or "",
        }
        raise Refusal(make_envelope(code, details), value, text)
    output.show(session, value, text)


def _text(item: "ReplayAnswer") -> list[str]:
    good = item["result"] == "MATCH"
    text = [f"{output.style(item['result'], 'good' if good else 'bad')}  {item['job_id']}"]
    if good:
        return text
    pairs: list[tuple[str, Any]] = [("meaning", _MEANING[item["result"]])]
    if item["first_difference"] is not None:
        pairs += [(name, value) for name, value in item["first_difference"].items() if value is not None]
    if item["incident_id"]:
        pairs.append(("incident", item["incident_id"]))
    return text + output.fields(pairs)
