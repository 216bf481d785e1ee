"""`mace approve`: what nobody may do alone. Requests are listed, shown, made and voted on; a vote that decides acts."""

from typing import Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

_HERE = "mace.interfaces.cli.approve"
_VOTES = {"yes": "approve", "no": "reject", "abstain": "abstain", "approve": "approve", "reject": "reject"}


@group(
    "approve",
    {
        "list": (f"{_HERE}:list_requests", "List requests that wait for a decision."),
        "show": (f"{_HERE}:show", "Show one request with its votes."),
        "vote": (f"{_HERE}:vote", "Vote on a request; the deciding vote carries it out."),
        "review": (f"{_HERE}:review", "Request a human review of an answer."),
        "policy": (f"{_HERE}:policy", "Propose a new access policy."),
        "quarantine": (f"{_HERE}:quarantine", "Request that a module be quarantined."),
        "release": (f"{_HERE}:release", "Request that a module be released from quarantine."),
    },
)
def approve() -> None:
    """Ask for, list and decide what nobody may do alone."""


@command("list")
@click.option("--all", "everything", is_flag=True, help="Include decided requests.")
@click.pass_obj
def list_requests(session: Session, everything: bool) -> None:
    """List requests that wait for a decision, oldest first."""
    session.must_be("list approvals", "admin", "council", "operator", "auditor")
    with session.open(read_only=True) as mace:
        found = mace.approvals(only_open=not everything)
    rows = [
        (item["request_id"], item["kind"], item["status"], item["decided_by"], len(item["votes"]), item["about"])
        for item in found
    ]
    header = ("REQUEST", "KIND", "STATUS", "DECIDED BY", "VOTES", "ABOUT")
    output.show(session, {"approvals": found}, output.table(header, rows) if rows else ["No open requests."])


@command("show")
@click.argument("request_id", metavar="ID", type=options.stored_text)
@click.pass_obj
def show(session: Session, request_id: str) -> None:
    """Show one request with its votes."""
    session.must_be("read an approval", "admin", "council", "operator", "auditor")
    with session.open(read_only=True) as mace:
        held = mace.approval(request_id)
    output.show(session, held, _text(held))


@command("vote")
@click.argument("request_id", metavar="ID", type=options.stored_text)
@click.argument("answer", metavar="yes|no|abstain", type=click.Choice(list(_VOTES)))
@click.option(
    "--as-member", "member", metavar="NAME", help="Account that votes (default: --user).", type=options.stored_text
)
@options.totp_option
@click.pass_obj
def vote(session: Session, request_id: str, answer: str, member: str | None, totp: str | None) -> None:
    """Vote on a request; the deciding vote carries it out. If that fails, the vote is not counted."""
    session.must_be("vote", "council", "admin")
    with session.open() as mace:
        held = mace.vote(request_id, member or session.actor, _VOTES[answer], totp)
    text = _text(held)
    result = held["result"]
    if "manifest" in result:
        from mace.interfaces.cli.dsr import paper_text

        text += paper_text(result["manifest"], result["receipt"])
    output.show(session, held, text)


@command("review")
@click.argument("job_id", metavar="JOB", type=options.stored_text)
@click.pass_obj
def review(session: Session, job_id: str) -> None:
    """Request a human review of the answer of JOB; the result becomes an amendment of its log."""
    with session.open_to_write("ask for a review") as mace:
        held = mace.request_review(job_id, session.actor)
    _asked(session, held)


@command("policy")
@click.argument("file")
@options.totp_option
@click.pass_obj
def policy(session: Session, file: str, totp: str | None) -> None:
    """Propose the Cedar policy in FILE (`-`: standard input) as the new access policy. It must parse."""
    from mace.interfaces.cli import files

    session.must_be("propose a policy", "admin")
    text = files.read_text(file)
    with session.open() as mace:
        held = mace.propose_policy(text, session.actor, totp)
    _asked(session, held)


@command("quarantine")
@click.argument("module_id", metavar="MODULE", type=options.stored_text)
@options.totp_option
@click.pass_obj
def quarantine(session: Session, module_id: str, totp: str | None) -> None:
    """Request that a module be quarantined."""
    session.must_be("ask for a quarantine", "admin", "operator", "council")
    with session.open() as mace:
        held = mace.request_quarantine(module_id, session.actor, totp)
    _asked(session, held)


@command("release")
@click.argument("module_id", metavar="MODULE", type=options.stored_text)
@options.totp_option
@click.pass_obj
def release(session: Session, module_id: str, totp: str | None) -> None:
    """Request that a module be released from quarantine."""
    session.must_be("ask for a release", "admin", "operator", "council")
    with session.open() as mace:
        held = mace.request_release(module_id, session.actor, totp)
    _asked(session, held)


def _asked(session: Session, held: dict[str, Any]) -> None:
    output.show(session, held, _text(held))
    output.note(session, f"To decide: mace approve vote {held['request_id']} yes|no|abstain")


def _text(held: dict[str, Any]) -> list[str]:
    votes = [f"{item['vote']} by {item['member']} at {item['at'][:19]}" for item in held["votes"]]
    pairs = [
        ("kind", held["kind"]),
        ("status", held["status"]),
        ("about", held["about"]),
        ("asked by", held["requested_by"]),
        ("decided by", "the council" if held["decided_by"] == "council" else "one admin"),
        ("until", held["expires_at"]),
        ("votes", "\n".join(votes) or "none"),
    ]
    return [output.style(f"Approval {output.clean(held['request_id'])}", "title"), *output.fields(pairs)]
