"""`mace ask`: the answer first, then where it came from."""

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import AskAnswer, Envelope, Evidence, ReflectiveLog


@command("ask")
@click.argument("question", nargs=-1)
@click.option("--anonymous", is_flag=True, help="Ask anonymously: no profile is read or written.")
@click.option("--seed", metavar="TEXT", help="Seed of the job (default: a new one).")
@click.option("--query-id", metavar="ID", help="Your own id for this question.")
@click.option(
    "--reply-to", metavar="JOB", help="Job of an earlier question that this text answers; the answer is remembered."
)
@click.option(
    "--conversation", metavar="ID", type=options.stored_text, help="Conversation of the user that this belongs to."
)
@click.option("--consent", "consent_id", metavar="ID", help="Id of the consent that covers personal data in the text.")
@click.option("--why", is_flag=True, help="Also show the route, the reasoning and the council's votes.")
@click.pass_obj
def ask(
    session: Session,
    question: tuple[str, ...],
    anonymous: bool,
    seed: str | None,
    query_id: str | None,
    reply_to: str | None,
    conversation: str | None,
    consent_id: str | None,
    why: bool,
) -> None:
    """Ask a question. Without one, or with `-`, it is read from standard input.

    Exit code 0 when there is an answer, 1 when there is none (the reason is printed).
    """
    text = " ".join(question)
    if not question or text == "-":
        text = sys.stdin.read().removesuffix("\n")
    with session.open("ask") as mace:
        if anonymous and not session.owns(mace):
            raise click.UsageError("--anonymous is for the owner of the store; everybody else asks as who they are")
        user = None if anonymous else session.speaker(mace)
        result = mace.ask(
            text,
            user,
            seed,
            query_id=query_id,
            consent_id=consent_id,
            in_reply_to=reply_to,
            conversation_id=conversation,
        )
        log = mace.read_reflective_log(result["log_id"]) if why and result["log_id"] else None
        shown = _text(result, log, user)
        if result["error"] is not None and result["answer"] is None:
            from mace.interfaces.cli.errors import Refusal

            raise Refusal(_with_hint(result["error"], session), result, shown)
    output.show(session, result, shown)


def _with_hint(told: "Envelope", session: Session) -> dict[str, Any]:
    """What nobody here can answer an engine could: say how to set one where there is none."""
    envelope: dict[str, Any] = {**told}
    if told["error_code"] == "ROUTER_NO_MATCH" and not (
        session.settings.llm_model or session.settings.llm_backup_model
    ):
        hint = "no language engine is configured, which would answer: set llm_model (MACE_LLM_MODEL)"
        envelope["meta"] = {**told["meta"], "hint": hint}
    return envelope


def _text(result: "AskAnswer", log: "ReflectiveLog | None", user: str | None) -> list[str]:
    text = []
    if result["answer"] is not None:
        text += [output.style(output.clean(message), "warn") for message in messages(result)]
        text += [output.clean(result["answer"], newlines=True), *output.fields(sources(result))]
    elif user is None and "SEM_NOT_FOUND" in [notice["error_code"] for notice in result["notices"]]:
        text.append("To be remembered it must be somebody's: ask and tell it with --user NAME")
    elif _may_be_told(result):
        speaker = "" if user is None else f" --user {shlex.quote(output.clean(user))}"
        text.append(f"To tell me: mace ask{speaker} --reply-to {result['job_id']} VALUE")
    if log is not None:
        text += ["", output.style("How it was decided", "title"), *output.fields(decided(result, log))]
    return text


def _may_be_told(result: "AskAnswer") -> bool:
    """Whether nothing but a fact was missing, of the asker or of the world: then a reply is remembered."""
    keys = [notice["meta"].get("key") for notice in result["notices"] if notice["error_code"] == "SEM_NOT_FOUND"]
    return any(isinstance(key, str) and key.startswith(("user/", "world/")) for key in keys)


def messages(result: "AskAnswer") -> list[str]:
    """What is told beside an answer: the usual words, what else happened, and what to do about it."""
    told: list[str] = []
    for notice in result["notices"]:
        meta: Any = notice["meta"]
        said = meta.get("said")
        usual = None if said and notice["error_code"] == "LLM_SERVICE_DOWN" else notice["user_message"]
        hint = f"Hint: {meta['remedy']}" if meta.get("remedy") else None
        told += [word for word in (usual, said, hint) if word]
    return list(dict.fromkeys(told))


def sources(result: "AskAnswer") -> list[tuple[str, Any]]:
    """Where an answer comes from."""
    pairs: list[tuple[str, Any]] = [("from", _named(item)) for item in result["evidence"]]
    pairs.append(("by", f"{result['agent_id']} ({result['route_reason']}), confidence {result['confidence']:.2f}"))
    pairs.append(("job", result["job_id"]))
    return pairs


def _named(item: "Evidence") -> str:
    names = {"fact": "the fact", "computation": "computed by", "operation": "done:", "model": "the language engine"}
    return f"{names.get(item['kind'], item['kind'])} {item['ref']}"


def decided(result: "AskAnswer", log: "ReflectiveLog") -> list[tuple[str, Any]]:
    """How it was decided: route, reasoning, votes, cost."""
    pairs: list[tuple[str, Any]] = []
    for entry in result["route_trace"]:
        without = f", without {', '.join(entry['removed'])}" if entry["removed"] else ""
        pairs.append((f"route {entry['iteration']}", f"{entry['chosen']} ({entry['route_reason']}){without}"))
    outputs, votes = log["agent_outputs"], log["council_votes"]
    for item in outputs if isinstance(outputs, list) else []:  # else they were erased meanwhile
        pairs += [(output.clean(item["agent_id"]), step) for step in item["reasoning_trace"]]
    for vote in votes if isinstance(votes, list) else []:
        scores = ", ".join(f"{name} {score:.2f}" for name, score in sorted(vote["scores"].items()))
        pairs.append(
            (output.clean(vote["council_agent_id"]), f"{'approves' if vote['approve'] else 'rejects'}: {scores}")
        )
    metrics: Any = log["runtime_metrics"]  # of a question these are ours, and never sealed
    pairs.append(("cost", f"{metrics['total_time_ms']} ms, {metrics['tokens_used']} tokens"))
    return pairs
