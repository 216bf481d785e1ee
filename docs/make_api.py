"""Write docs/api.md from the table of verbs and their signatures; with `--check` only compare."""

import inspect
import sys
import typing
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import mace
from mace.core import answers, errors
from mace.engine.arguments import marker_of
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS, Verb

TARGET = Path(__file__).with_name("api.md")
GROUPS = ("accounts", "approvals", "incidents", "forensics", "modules", "jobs", "context", "experience")
FAILS = {
    "raises": "raises",
    "fact": "answers with `error_code`",
    "write": "answers with `success` and `error_code`",
    "question": "answers with `error` and `notices`",
    "envelope": "answers with an envelope",
    "remember": "answers with `success` and `error_code`",
    "recall": "answers with `error_code`, and nothing recalled",
}
WHOSE = {
    "person": "the person in `{}`",
    "listed": "the person in `{}`; without one everybody's",
    "name": "the person the words name, in scope `user`",
    "everybody": "everybody's",
    "key": "the person whose fact `{}` is, if it is one's",
    "prefix": "the person whose facts are under `{}`, if they are one's",
    **{
        kind: f"the person whose {kind} `{{}}` names, if it is one's"
        for kind in ("job", "stream", "log", "event", "consent", "dsr")
    },
}
FUNCTIONS = ("open", "program", "current_job", "verify", "generate_canonical_key", "route_query", "detect")
JOB = tuple(name for name in vars(mace.Job) if not name.startswith("_"))
OF_JOB = """How it is used: [programs.md](programs.md).

`job.withheld` is a list of the types of personal data that were cut out of the last call's request and result.
"""
INTERNAL = {"boundary"}  # for tests that kill a process at a named point
CHOICES = {  # long ones are shown by their name
    getattr(answers, name): name
    for name in answers.__all__
    if get_origin(getattr(answers, name)) is Literal and len(get_args(getattr(answers, name))) > 8
}
EXCEPTIONS = """
## Exceptions

Every one is a `MaceError` with `code`, `details` (a dict without personal data) and `user_message`.

| exception | is a | code | status | when |
| --- | --- | --- | --- | --- |
"""
HEAD = """# The Python API

Made from the table of verbs by `make docs`; do not edit.

```python
import mace

with mace.open("my-agent") as m:                      # the owner's verbs
    ana = m.acting_as(m.on_behalf_of("ana"))          # the same verbs for one of your users
    ana.sem_put("user/profile/user_ana/favorite_food", "pizza")
    print(ana.ask("What is my favorite food?")["text"])
```

Types of answers are `TypedDict`s in `mace.core.answers`, listed at the end; closed choices are `Literal`s. Who may call
which verb is in [access.md](access.md).

## One rule for failures

- A broken contract (wrong type, malformed key, argument beyond its limit) is raised: `InvalidInput`, `WrongType`.
- What a caller may not do is refused by the policy in the form of the verb: raised as `PermissionDenied`, or in the
  answer where the verb answers with its failures. A caller who is not proved is always raised: `AuthError`.
- Everything else: the row of the verb says whether it raises or answers. `m.raise_for(answer)` turns a failed answer
  into its exception and returns every other one. Failed is an answer with an `error_code`, and a question whose
  `answer` is None unless its error is `LOW_CONFIDENCE`. What `replay` and `verify` report is no failure.
- `source` follows from the caller. The owner, who may write as anybody, names it: `user`, `agent:<id>`, `system` or
  `system_admin`.

## Opening and callers
"""


def rendered() -> str:
    """The page."""
    parts = [HEAD]
    parts += map(_plain, ("caller", "owner", "authenticate", "on_behalf_of", "acting_as", "raise_for", "close"))
    parts.append("\n## Verbs of `m`\n")
    parts += [_verb(row, getattr(Mace, row.name)) for row in VERBS if "." not in row.name and not row.planned]
    for group in GROUPS:
        cls = getattr(import_module(f"mace.engine.groups.{group}"), f"{group.capitalize()}Group")
        parts.append(f"\n## `m.{group}`\n\n{inspect.getdoc(cls)}\n")
        rows = [row for row in VERBS if row.name.startswith(f"{group}.") and not row.planned]
        parts += [_verb(row, getattr(cls, row.name.partition(".")[2])) for row in rows]
    parts += [
        "\n## Functions of `mace`\n",
        *map(_function, FUNCTIONS),
        f"\n## `job`\n\n{inspect.getdoc(mace.Job)} {OF_JOB}",
        *map(_of_job, JOB),
    ]
    parts += [EXCEPTIONS, *map(_exception, _errors()), "\n## Answers\n\nFields marked `?` may be missing.\n"]
    parts += [_answer(name) for name in sorted(answers.__all__) if typing.is_typeddict(getattr(answers, name))]
    return "".join(parts)


def _function(name: str) -> str:
    function = getattr(mace, name)
    hints = typing.get_type_hints(function, include_extras=True)
    signature = f"mace.{name}({_parameters(function, hints)}) -> {_name(hints['return'])}"
    return f"\n### `mace.{name}`\n\n```python\n{signature}\n```\n\n{inspect.getdoc(function)}\n"


def _errors() -> list[type[errors.MaceError]]:
    found = [getattr(mace, name) for name in sorted(mace.__all__)]
    return [item for item in found if isinstance(item, type) and issubclass(item, errors.MaceError)]


def _exception(kind: type[errors.MaceError]) -> str:
    base = kind.__bases__[0].__name__
    told = (inspect.getdoc(kind) or "").splitlines()[0] if kind.__doc__ != kind.__bases__[0].__doc__ else ""
    status = errors.FAILURES[kind.code].status
    return f"| `{kind.__name__}` | `{base}` | `{kind.code}` | {status} | {told} |\n"


def _answer(name: str) -> str:
    kind = getattr(answers, name)
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = []
    for field, hint in hints.items():
        optional = field in kind.__optional_keys__
        bare = get_args(hint)[0] if get_origin(hint) in (typing.NotRequired, typing.Required) else hint
        fields.append(f"{field}{'?' if optional else ''}: {_name(bare)}")
    return f"\n### `{name}`\n\n{inspect.getdoc(kind)}\n\n`{{{', '.join(fields)}}}`\n"


def _plain(name: str) -> str:
    member = inspect.getattr_static(Mace, name)
    if isinstance(member, property):
        return f"\n### `m.{name}`\n\n{inspect.getdoc(member)}\n"
    hints = typing.get_type_hints(member, include_extras=True)
    signature = f"({_parameters(member, hints)}) -> {_name(hints['return'])}"
    return f"\n### `m.{name}`\n\n```python\nm.{name}{signature}\n```\n\n{inspect.getdoc(member)}\n"


def _of_job(name: str) -> str:
    member = inspect.getattr_static(mace.Job, name)
    if isinstance(member, property):
        hints = typing.get_type_hints(member.fget, include_extras=True)
        return f"\n### `job.{name}`\n\n`{_name(hints['return'])}`. {inspect.getdoc(member)}\n"
    hints = typing.get_type_hints(member, include_extras=True)
    await_ = "await " if inspect.iscoroutinefunction(member) else ""
    gives = _name(hints["return"])
    if inspect.isgeneratorfunction(inspect.unwrap(member)):  # under @contextmanager
        gives = gives.replace("Iterator", "AbstractContextManager")
    signature = f"{await_}job.{name}({_parameters(member, hints)}) -> {gives}"
    return f"\n### `job.{name}`\n\n```python\n{signature}\n```\n\n{inspect.getdoc(member)}\n"


def _verb(row: Verb, method: Any) -> str:
    hints = typing.get_type_hints(method, include_extras=True)
    signature = f"m.{row.name}({_parameters(method, hints)}) -> {_name(hints['return'])}"
    lines = [f"\n### `m.{row.name}`\n\n```python\n{signature}\n"]
    lines.append(f"```\n\n{inspect.getdoc(method)}\n\n")
    lines.append(f"- action: `{row.action}`\n" if row.action else f"- short for `m.{row.same_as}`\n")
    lines.append(f"- failures: {FAILS[row.fails]}; {row.does}\n" if row.action else "")
    if row.thing != "nobody":
        lines.append(f"- whose: {WHOSE[row.thing].format(row.by)}\n")
    limits = [f"`{name}` {told}" for name, told in _limits(method, hints)]
    if limits:
        lines.append(f"- limits: {'; '.join(limits)}\n")
    lines.append(f"- example: `{row.example}`\n")
    return "".join(lines)


def _limits(method: Any, hints: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in inspect.signature(method).parameters:
        marker = marker_of(hints.get(name))
        if marker is not None and marker.told():
            yield name, marker.told()


def _parameters(method: Any, hints: dict[str, Any]) -> str:
    shown, star = [], False
    for name, parameter in inspect.signature(method).parameters.items():
        if name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        if name in INTERNAL:
            continue
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        shown.append(f"{stars}{name}: {_name(hints[name])}{default}")
    return ", ".join(shown)


def _name(hint: Any) -> str:
    """A type as a person writes it."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _name(get_args(hint)[0])
    if origin is Literal and hint in CHOICES:
        return CHOICES[hint]
    if origin is Literal:
        return " | ".join(repr(choice) for choice in get_args(hint))
    if hint is type(None):
        return "None"
    if _is_json(hint):
        return "Json"
    if origin in (typing.Union, UnionType):
        return " | ".join(_name(part) for part in get_args(hint))
    if origin is not None and get_args(hint):
        base = getattr(origin, "__name__", str(origin))
        if base == "Callable":
            takes, gives = get_args(hint)
            if takes is ...:
                return f"Callable[..., {_name(gives)}]"
            return f"Callable[[{', '.join(map(_name, takes))}], {_name(gives)}]"
        return f"{base}[{', '.join(_name(part) for part in get_args(hint))}]"
    return getattr(hint, "__name__", str(hint))


def _is_json(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, UnionType) and {float, str, bool} <= set(get_args(hint))


def main() -> int:
    text = rendered()
    if "--check" in sys.argv:
        current = TARGET.read_text("utf-8") if TARGET.exists() else ""
        if current != text:
            print("docs/api.md is not what the table of verbs says; run `make docs`")
            return 1
        return 0
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
