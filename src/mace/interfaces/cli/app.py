"""The tree of commands, loaded one by one, and the options that every command has.

A group here is a table: name, where its command lies, and its line in the help. `mace --help` reads tables only. To add
a command, write it with `@command()` in a module of its own and add its line.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import click

ROLES = ("viewer", "user", "agent", "operator", "auditor", "admin", "council")

Table = Mapping[str, tuple[str, str]]  # name: ("module:function", the line in the help)

COMMANDS: Table = {
    "init": ("mace.interfaces.cli.init:init", "Create a MACE store in a directory or a database."),
    "join": ("mace.interfaces.cli.join:join", "Join a store in PostgreSQL as one more node."),
    "ask": ("mace.interfaces.cli.ask:ask", "Ask a question."),
    "chat": ("mace.interfaces.cli.chat:chat", "Ask in a conversation, one question after another."),
    "remember": ("mace.interfaces.cli.remember:remember", "Keep what a user said, or a whole conversation."),
    "recall": ("mace.interfaces.cli.recall:recall", "Show what matters now about a user, as a block for a prompt."),
    "fact": ("mace.interfaces.cli.fact:fact", "Read, write, list and import exact facts."),
    "context": (
        "mace.interfaces.cli.context:context",
        "Select passages from JSONL stores; append, check.",
    ),
    "experience": (
        "mace.interfaces.cli.experience:experience",
        "Show past outcomes and rules; retract, export, import.",
    ),
    "dream": ("mace.interfaces.cli.dream:dream", "Consolidate experience into rules (--dry-run to preview)."),
    "jobs": ("mace.interfaces.cli.jobs:jobs", "List, show, resume, cancel and answer jobs."),
    "replay": ("mace.interfaces.cli.replay:replay", "Run a job again from its record and compare the result."),
    "log": ("mace.interfaces.cli.log:log", "Show, write, amend, export, prove and verify the log."),
    "detect": ("mace.interfaces.cli.detect:detect", "Find personal data in a text; nothing is stored."),
    "consent": ("mace.interfaces.cli.consent:consent", "Record, revoke, list and check consent."),
    "dsr": ("mace.interfaces.cli.dsr:dsr", "Export and erase a person's data."),
    "approve": ("mace.interfaces.cli.approve:approve", "Request, list and vote on actions that need approval."),
    "account": ("mace.interfaces.cli.account:account", "Manage accounts, tokens and second factors."),
    "incident": ("mace.interfaces.cli.incident:incident", "List, show, acknowledge and report incidents."),
    "admin": (
        "mace.interfaces.cli.admin:admin",
        "Manage keys, modules, queued writes, quarantine and the forensic store.",
    ),
    "sweep": ("mace.interfaces.cli.sweep:sweep", "Do what time alone causes: expiries, alerts, retention."),
    "doctor": ("mace.interfaces.cli.doctor:doctor", "Check the settings, the store, the keys and the disk."),
    "demo": ("mace.interfaces.cli.demo:demo", "Show what MACE does, offline, in a temporary directory."),
}


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Put a shared option into the session; the one nearest to the end of the line wins."""
    if value in (None, False) or parameter.name is None:
        return
    if parameter.name == "totp" and value == "-" and not context.resilient_parsing:
        from mace.interfaces.cli import secret

        value = secret.asked("Second-factor code")  # before the command reads standard input for itself
    if parameter.name == "user" and value is not None and not value.strip():  # an unset variable of a shell
        raise click.BadParameter("must be the name of a user, got nothing", context, parameter)
    setattr(context.find_root().obj, parameter.name, value)


def _shared() -> list[click.Parameter]:
    def option(*names: str, **rest: Any) -> click.Option:
        return click.Option(names, expose_value=False, callback=_keep, **rest)

    return [
        option("-C", "--location", metavar="DIR|URL", help="Store location (also MACE_LOCATION: hides a password)."),
        option("--json", "json", is_flag=True, help="Print JSON for programs."),
        option(
            "--user",
            metavar="NAME",
            help="Ask and write as this user (default: your login); --as user reads as them.",
        ),
        option("--as", "role", type=click.Choice(ROLES), metavar="ROLE", help=f"Act as {', '.join(ROLES)}."),
        option(
            "--totp",
            metavar="CODE|-",
            help="Second-factor code of the account that acts (--user); others on this machine can see an argument, "
            "- asks for it (also MACE_TOTP).",
        ),
        option("--totp-file", metavar="FILE", help="File with the second-factor code."),
        option("-q", "--quiet", is_flag=True, help="Hide progress and hints."),
    ]


class _SharedOptions(click.Command):
    """Adds the shared options to a command and keeps them apart from its own in its help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._shared = _shared()
        self.params = [*self.params, *self._shared]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], "Options of every command": []}
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if line is not None:
                groups["Options of every command" if parameter in self._shared else "Options"].append(line)
        for title, lines in groups.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


class Door(_SharedOptions):
    """One command."""


class LazyGroup(_SharedOptions, click.Group):
    """A group whose commands are imported when they are run, not when they are listed."""

    def __init__(self, *args: Any, table: Table | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table = table or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        module, _, name = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self._table:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self._table, 1)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._table.items()])
        super().format_options(ctx, formatter)


def command(name: str | None = None) -> Callable[[Callable[..., Any]], Door]:
    """Make a function a command with the shared options; it gets its session through `click.pass_obj`."""
    return click.command(name, cls=Door)


def group(name: str, table: Table, **rest: Any) -> Callable[[Callable[..., Any]], LazyGroup]:
    return click.group(name, cls=LazyGroup, table=table, **rest)


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from mace.version import VERSION

        click.echo(f"mace {VERSION}")
        context.exit()


@group("mace", COMMANDS)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def root() -> None:
    """A runtime for LLM agents that must answer for what they do.

    Start with `mace demo`, then `mace init`. Options may be given before or after the command.
    """
