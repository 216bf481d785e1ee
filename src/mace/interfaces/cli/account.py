"""`mace account`: who may act, with which roles, tokens and second factors. Secrets are shown once, never again."""

from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import ROLES, command, group
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import AccountView, Role, TokenView

_HERE = "mace.interfaces.cli.account"
_LONGEST_DAYS = 365


@group(
    "account",
    {
        "create": (f"{_HERE}:create", "Create an account."),
        "list": (f"{_HERE}:list_accounts", "List accounts; with NAME, one account and its tokens."),
        "change": (f"{_HERE}:change", "Change an account's roles, or enable or disable it."),
        "token": (f"{_HERE}:token", "Create a bearer token for an account."),
        "revoke": (f"{_HERE}:revoke", "Revoke a token."),
        "enrol": (f"{_HERE}:enrol", "Enrol a second factor for an account (QR code)."),
        "key": (f"{_HERE}:key", "Make a key pair that a second factor can be sealed to."),
        "open": (f"{_HERE}:open_factor", "Open a second factor that was sealed to your key (QR code)."),
    },
)
def account() -> None:
    """Make accounts, tokens and second factors."""


_ROLE = click.Choice(ROLES)


@command("create")
@click.argument("name", type=options.stored_text)
@click.option(
    "--role",
    "roles",
    multiple=True,
    required=True,
    type=_ROLE,
    metavar="ROLE",
    help="Role of the account; may be repeated.",
)
@click.option("--person", metavar="USER", help="User the account belongs to.", type=options.stored_text)
@click.pass_obj
def create(session: Session, name: str, roles: "tuple[Role, ...]", person: str | None) -> None:
    """Create an account. For admins; until an admin has a second factor, for whoever runs the node.

    A seat on the council is decided by the council where there is one: the request is printed.
    """
    with session.open("accounts.create") as mace:
        made = mace.accounts.create(name, list(roles), user_id=person)
    output.show(session, made, _text(made))
    output.note(session, f"To add a second factor: mace account enrol {made['name']}")


@command("list")
@click.argument("name", required=False, type=options.stored_text)
@click.pass_obj
def list_accounts(session: Session, name: str | None) -> None:
    """List accounts; with NAME, one account and the ids of its tokens."""
    with session.open("accounts.list", read_only=True) as mace:
        found = mace.accounts.list()
        if name is not None:
            one = _found(found, name)
            tokens = mace.accounts.tokens(name)
            output.show(session, {**one, "tokens": tokens}, [*_text(one), *_tokens_text(tokens)])
            return
    rows = [
        (
            item["name"],
            "on" if item["active"] else "off",
            "yes" if item["second_factor"] else "no",
            ", ".join(item["roles"]),
        )
        for item in found
    ]
    header = ("ACCOUNT", "STATE", "SECOND FACTOR", "ROLES")
    output.show(session, {"accounts": found}, output.table(header, rows) if rows else ["No accounts."])


def _found(accounts: "list[AccountView]", name: str) -> "AccountView":
    from mace.core.errors import NotFound

    for item in accounts:
        if item["name"] == name:
            return item
    raise NotFound(what="the account")


@command("change")
@click.argument("name", type=options.stored_text)
@click.option(
    "--role",
    "roles",
    multiple=True,
    type=_ROLE,
    metavar="ROLE",
    help="New role; may be repeated. Replaces the old roles.",
)
@click.option("--on/--off", "active", default=None, help="Enable or disable the account and its tokens.")
@click.pass_obj
def change(session: Session, name: str, roles: "tuple[Role, ...]", active: bool | None) -> None:
    """Change an account's roles, or enable or disable it."""
    if not roles and active is None:
        raise click.UsageError("give at least one of --role, --on, --off")
    with session.open("accounts.change") as mace:
        after = mace.accounts.change(name, roles=list(roles) or None, active=active)
    output.show(session, after, _text(after))


@command("token")
@click.argument("name", type=options.stored_text)
@click.option("--days", type=click.IntRange(1, _LONGEST_DAYS), default=30, show_default=True, help="Lifetime in days.")
@click.option(
    "--role", "roles", multiple=True, type=_ROLE, metavar="ROLE", help="Limit the token to this role; may be repeated."
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="ACTION",
    help="Limit the token to this action; may be repeated.",
    type=options.stored_text,
)
@click.pass_obj
def token(session: Session, name: str, days: int, roles: "tuple[Role, ...]", scopes: tuple[str, ...]) -> None:
    """Create a bearer token for an account; it is shown only once."""
    from datetime import timedelta

    with session.open("accounts.issue_token") as mace:
        made = mace.accounts.issue_token(
            name, life=timedelta(days=days), roles=list(roles) or None, scopes=list(scopes) or None
        )
    pairs = [
        ("token", made["token"]),
        ("id", made["token_id"]),
        ("roles", ", ".join(made["roles"])),
        ("until", made["expires_at"]),
    ]
    output.show(session, made, output.fields(pairs, ""))
    output.note(session, "Save it now: it is not shown again.")


@command("revoke")
@click.argument("name", type=options.stored_text)
@click.argument("token_id", type=options.stored_text)
@click.pass_obj
def revoke(session: Session, name: str, token_id: str) -> None:
    """Revoke a token of an account by its id (not the token itself)."""
    with session.open("accounts.revoke_token") as mace:
        done = mace.accounts.revoke_token(name, token_id)
    output.show(session, done, "Revoked.")


@command("enrol")
@click.argument("name", type=options.stored_text)
@click.option(
    "--sealed-to",
    metavar="PUBLIC",
    type=options.stored_text,
    help="Public key of whoever it is for (mace account key); needed for members of a council.",
)
@click.pass_obj
def enrol(session: Session, name: str, sealed_to: str | None) -> None:
    """Enrol a (new) second factor: scan the QR code with an authenticator. It is shown only once.

    For a member of the council, where there is one, the council approves it first, and it is sealed to their key.
    """
    with session.open("accounts.enrol_second_factor") as mace:
        made = mace.accounts.enrol_second_factor(name, sealed_to=sealed_to)
    if made["sealed"] is not None:
        output.show(session, made, made["sealed"])
        output.note(session, f"Hand it on: whoever has the key opens it with mace account open {name} SEALED")
    else:
        _show_secret(session, dict(made), made["uri"], made["secret"])
    output.note(session, "It is not shown again. Any earlier second factor of this account no longer works.")


@command("key")
@click.argument("file")
@click.pass_obj
def key(session: Session, file: str) -> None:
    """Make a key pair that a second factor can be sealed to: the private key goes to FILE; prints the public one."""
    from mace.wiring.doors import make_forensic_key

    private, public = make_forensic_key()
    with options.private_file(file) as target:
        target.write(private.encode() + b"\n")
    output.show(session, {"public_key": public, "private_key_file": file}, public)
    output.note(session, "Give the public key to an admin, and tell the council that it is yours.")


@command("open")
@click.argument("name", type=options.stored_text)
@click.argument("sealed", type=options.stored_text)
@click.option("--key-file", metavar="FILE", required=True, help="File with your private key (mace account key).")
@click.pass_obj
def open_factor(session: Session, name: str, sealed: str, key_file: str) -> None:
    """Open a second factor that was sealed to your key, and show its QR code. Needs no store."""
    from mace.interfaces.cli import secret
    from mace.wiring.doors import open_second_factor

    private = secret.needed(None, key_file, "key", "Private key")
    made = open_second_factor(name, sealed, private)
    _show_secret(session, made, made["uri"], made["secret"])


def _show_secret(session: Session, value: dict[str, Any], uri: str, plain: str) -> None:
    text = [] if session.json else _qr_lines(uri)
    output.show(session, value, [*text, *output.fields([("uri", uri), ("secret", plain)], "")])


def _qr_lines(text: str) -> list[str]:
    """A QR code in half blocks, light on dark, for any terminal."""
    import io

    import segno

    drawn = io.StringIO()
    segno.make(text, error="m").terminal(drawn, compact=True)
    return drawn.getvalue().rstrip("\n").split("\n")


def _text(item: "AccountView") -> list[str]:
    pairs = [
        ("roles", ", ".join(item["roles"])),
        ("state", "on" if item["active"] else "off"),
        ("second factor", "yes" if item["second_factor"] else "none yet"),
        ("person", item["person"] or "nobody's"),
        ("created", f"{item['created_at']} by {item['by']}"),
    ]
    return [output.style(f"Account {output.clean(item['name'])}", "title"), *output.fields(pairs)]


def _tokens_text(tokens: "list[TokenView]") -> list[str]:
    rows = [
        (
            item["token_id"],
            item["expires_at"][:19],
            "revoked" if item["revoked"] else "given",
            ", ".join(item["roles"]),
            ", ".join(item["scopes"]) or "all",
        )
        for item in tokens
    ]
    return output.table(("TOKEN", "UNTIL", "STATE", "ROLES", "ACTIONS"), rows) if rows else ["No tokens."]
