"""`mace approve`: what nobody may do alone. Requests are listed, shown, made and voted on; a vote that decides acts."""

from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ApprovalAsks, ApprovalDetails, ApprovalView, VoteChoice

_HERE = "mace.interfaces.cli.approve"
_VOTES: "dict[str, VoteChoice]" = {
    "yes": "approve",
    "no": "reject",
    "abstain": "abstain",
    "approve": "approve",
    "reject": "reject",
}


@group(
    "approve",
    {
        "list": (f"{_HERE}:list_requests", "List requests that wait for a decision."),
        "show": (f"{_HERE}:show", "Show one request, what it asks for, and its votes."),
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
    with session.open("approvals.list", read_only=True) as mace:
        found = mace.approvals.list(only_open=not everything)
        left_out = mace.left_out("approvals.list")["left_out"]
    rows = [
        (item["request_id"], item["kind"], item["status"], item["decided_by"], len(item["votes"]), item["about"])
        for item in found
    ]
    header = ("REQUEST", "KIND", "STATUS", "DECIDED BY", "VOTES", "ABOUT")
    value = {"approvals": found, "left_out": left_out}
    output.show(session, value, output.table(header, rows) if rows else ["No open requests."])
    output.tell_left_out(left_out, "request")


@command("show")
@click.argument("request_id", metavar="ID", type=options.stored_text)
@click.option("--policy-text", is_flag=True, help="Print the text of a proposed policy, and nothing else.")
@click.pass_obj
def show(session: Session, request_id: str, policy_text: bool) -> None:
    """Show one request, what it asks for, and its votes.

    Whoever may vote sees whom an erasure is about, which facts, and by which proof it was asked for.
    """
    with session.open("approvals.show", read_only=True) as mace:
        held = mace.approvals.show(request_id)
    if not policy_text:
        output.show(session, held, _text(held))
        return
    text = held.get("asks", {}).get("policy_text")
    if text is None:
        from mace.core.errors import NotFound

        raise NotFound(what=f"the text of a policy in request {request_id}")
    output.show(session, {"request_id": request_id, "policy_text": text}, output.clean(text, newlines=True))


@command("vote")
@click.argument("request_id", metavar="ID", type=options.stored_text)
@click.argument("answer", metavar="yes|no|abstain", type=click.Choice(list(_VOTES)))
@click.option(
    "--as-member", "member", metavar="NAME", help="Account that votes (default: --user).", type=options.stored_text
)
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why; the person who asked is shown the reasons of a rejection.",
    type=options.stored_text,
)
@click.pass_obj
def vote(session: Session, request_id: str, answer: str, member: str | None, reason: str | None) -> None:
    """Vote on a request; the deciding vote carries it out. If that fails, the vote is not counted."""
    with session.open("approvals.vote", name=member) as mace:
        held = mace.approvals.vote(request_id, _VOTES[answer], reason=reason)
    text = _text(held)
    result = held["result"]
    if "rectification" in result:
        from mace.interfaces.cli.dsr import correction_text

        text += correction_text(result["rectification"], result.get("receipt"))
    if "manifest" in result:
        from mace.interfaces.cli.dsr import paper_text

        text += paper_text(result["manifest"], result.get("receipt"))
    output.show(session, held, text)


@command("review")
@click.argument("job_id", metavar="JOB", type=options.stored_text)
@click.pass_obj
def review(session: Session, job_id: str) -> None:
    """Request a human review of the answer of JOB; the result becomes an amendment of its log."""
    with session.open("approvals.request_review") as mace:
        held = mace.approvals.request_review(job_id)
    _asked(session, held)


@command("policy")
@click.argument("file")
@click.pass_obj
def policy(session: Session, file: str) -> None:
    """Propose the Cedar policy in FILE (`-`: standard input) as the new access policy. It must parse."""
    from mace.interfaces.cli import files

    text = files.read_text(file)
    with session.open("approvals.propose_policy") as mace:
        held = mace.approvals.propose_policy(text)
    _asked(session, held)


@command("quarantine")
@click.argument("module_id", metavar="MODULE", type=options.stored_text)
@click.pass_obj
def quarantine(session: Session, module_id: str) -> None:
    """Request that a module be quarantined."""
    with session.open("modules.request_quarantine") as mace:
        held = mace.modules.request_quarantine(module_id)
    _asked(session, held)


@command("release")
@click.argument("module_id", metavar="MODULE", type=options.stored_text)
@click.pass_obj
def release(session: Session, module_id: str) -> None:
    """Request that a module be released from quarantine."""
    with session.open("modules.request_release") as mace:
        held = mace.modules.request_release(module_id)
    _asked(session, held)


def _asked(session: Session, held: "ApprovalView") -> None:
    output.show(session, held, _text(held))
    output.note(session, f"To decide: mace approve vote {held['request_id']} yes|no|abstain")


def _text(held: "ApprovalView") -> list[str]:
    votes = [
        f"{item['vote']} by {item['member']} at {item['at'][:19]}"
        + (f": {item['reason']}" if item.get("reason") else "")
        for item in held["votes"]
    ]
    pairs = [
        ("kind", held["kind"]),
        ("status", held["status"]),
        ("about", held["about"]),
        *_wanted(held),
        ("asked by", held["requested_by"]),
        ("decided by", "the council" if held["decided_by"] == "council" else "one admin"),
        ("until", held["expires_at"]),
        ("votes", "\n".join(votes) or "none"),
    ]
    return [output.style(f"Approval {output.clean(held['request_id'])}", "title"), *output.fields(pairs)]


def _wanted(held: "ApprovalView") -> list[tuple[str, Any]]:
    """What a yes would do, in words."""
    from mace.interfaces.cli.dsr import keys_text

    pairs: list[tuple[str, Any]] = [("asks to", _in_words(held["kind"], held["details"], held["request_id"]))]
    asks = held.get("asks", {})
    if "person" in asks:
        pairs.append(("person", asks["person"] or "nobody"))
    if "jobs" in asks:
        pairs.append(("scope", "\n".join(asks["jobs"])))
    elif "keys" in asks:
        pairs.append(("scope", keys_text(asks["keys"])))
    if "amounts" in asks:
        pairs.append(("amounts", ", ".join(f"{count} {what}" for what, count in asks["amounts"].items() if count)))
    if "pii_types" in asks:
        pairs.append(("data types", ", ".join(asks["pii_types"])))
    if "created_at" in asks:
        pairs.append(("requested", asks["created_at"]))
    if "identity" in asks:
        pairs.append(("identified by", _proof(asks)))
    if "asked_by" in asks:
        pairs.append(("asked by", f"{asks['asked_by']['name']} ({asks['asked_by']['via']})"))
    if "entry" in asks:
        entry = asks["entry"]
        pairs.append(("destroys", f"{entry['kind']} about {entry['about']} of {entry['at']}"))
    if "quarantined" in asks:
        kept = asks["quarantined"]
        pairs.append(("destroys", f"{kept['payloads']} quarantined {kept['what']} payload(s)"))
    return pairs


def _proof(asks: "ApprovalAsks") -> str:
    """Which proof of identity was given, when, and by whom it was issued."""
    if "proof" not in asks:
        return asks["identity"].get("proof_id", asks["identity"]["method"])
    proof = asks["proof"]
    issued = f"issued by {proof['issued_by']}" + (f" at {proof['issued_at']}" if proof["issued_at"] else "")
    return f"proof {proof['proof_id']}, {issued}, used at {proof['used_at'] or 'unknown'}"


def _in_words(kind: str, details: "ApprovalDetails", request_id: str) -> str:
    match kind:
        case "erasure" if "quarantine_id" in details:
            return f"destroy what was quarantined as {details.get('quarantine_id')} for good"
        case "erasure" if details.get("action") == "purge" and "dsr_id" not in details:
            return f"destroy the forensic entry {details.get('forensic_id')} for good"
        case "erasure" if details.get("action") == "purge":
            return f"destroy the keys of erasure {details.get('dsr_id')} for good"
        case "erasure":
            return f"erase data (mace dsr show {details.get('dsr_id')})"
        case "rectification":
            return f"correct facts of a person (mace dsr show {details.get('dsr_id')})"
        case "quarantine":
            return f"quarantine the module {details.get('module_id')}"
        case "release":
            return f"release the module {details.get('module_id')} from quarantine"
        case "promotion":
            types = ", ".join(details.get("pii_types", []))
            return f"store {types} of {details.get('person')} under {details.get('key')}"
        case "policy_change":
            text = f"mace approve show {request_id} --policy-text"
            return f"put the policy {details.get('policy_sha256')} in force ({text})"
        case "lift_halt":
            return f"let replays run again after incident {details.get('incident_id')}"
        case "review":
            return f"review the answer of job {details.get('job_id')} (mace log show {details.get('log_id')})"
    return _seat(details)


def _seat(details: "ApprovalDetails") -> str:
    """A change of the council in words."""
    account = details.get("account")
    wanted = ", ".join(details.get("roles") or [])
    match details.get("change"):
        case "create":
            return f"make the account {account} with {wanted}"
        case "second_factor":
            to = details.get("sealed_to")
            return f"give {account} another second factor" + (f", sealed to {to}" if to else "")
    parts = [f"make {account} {wanted}"] if wanted else []
    if details.get("active") is not None:
        parts.append(f"switch {account} {'on' if details['active'] else 'off'}")
    return " and ".join(parts)
