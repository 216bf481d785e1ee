"""`mace remember`: what a user said is kept, one turn or a file of them, in lists that one call takes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import click

from mace.interfaces.cli import files, options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import Message, RememberAnswer
    from mace.engine.runtime import Mace

_AT_ONCE = 1000  # turns that one call takes
_BYTES_AT_ONCE = 4 << 20
_ROLES = ("user", "assistant", "system", "tool")


@command("remember")
@click.argument("text", nargs=-1, type=options.stored_text)
@click.option(
    "--file", "file", metavar="FILE|-", help="JSONL file with one message a line, or a JSON list of messages."
)
@click.option(
    "--conversation", metavar="ID", type=options.stored_text, help="Conversation the turns belong to (default: main)."
)
@click.option("--role", "said_by", type=click.Choice(_ROLES), help="Who said the text (default: user).")
@click.option("--name", metavar="NAME", type=options.stored_text, help="Name of the speaker.")
@click.option("--at", metavar="INSTANT", type=options.stored_text, help="When it was said (default: now).")
@click.option("--consent", "consent_id", metavar="ID", help="Id of the consent that covers personal data in the text.")
@click.option(
    "--idempotency-key",
    metavar="KEY",
    type=options.stored_text,
    help="A second call with the same key and words keeps nothing more.",
)
@click.pass_obj
def remember(
    session: Session,
    text: tuple[str, ...],
    file: str | None,
    conversation: str | None,
    said_by: str | None,
    name: str | None,
    at: str | None,
    consent_id: str | None,
    idempotency_key: str | None,
) -> None:
    """Keep what a user said, sealed under their key, for `mace recall`.

    TEXT is one turn; - reads it from standard input. A message of a file is {"role": ..., "content": ...}, optionally
    with at and name; all are checked before the first is kept. Personal data that no consent covers is cut out.

    \b
    mace remember "I moved to Lyon." --user ana
    mace remember "You could try the market." --user ana --role assistant --conversation day-1
    mace remember --file talk.jsonl --user ana --conversation day-1 --idempotency-key talk-1
    """
    if bool(text) == (file is not None):
        raise click.UsageError("give a TEXT (or - for standard input), or --file FILE")
    of_a_text = {"--role": said_by, "--name": name, "--at": at}
    given = [option for option, value in of_a_text.items() if value is not None]
    if file is not None and given:
        raise click.UsageError(
            f"{', '.join(given)} {'is' if len(given) == 1 else 'are'} for a TEXT; a file says it itself"
        )
    if file is not None:
        messages = _read(file)
    else:
        message = {"role": said_by or "user", "content": options.words(" ".join(text)), "name": name, "at": at}
        messages = [{field: value for field, value in message.items() if value is not None}]
    with session.open("remember") as mace:
        answer = _kept(session, mace, messages, conversation, consent_id, idempotency_key)
    output.show(session, answer, _told(answer))


def _read(file: str) -> list[dict[str, Any]]:
    """The messages of a file; the first wrong one is named by its line, or its place in the list."""
    from mace.core.errors import InvalidInput

    data = files.read_bytes(file)
    is_list = data.lstrip()[:1] == b"["
    if is_list:
        listed = files.json_value(_text(data, file), file)
        placed = [(f"message {number}", message) for number, message in enumerate(listed, 1)]
    else:
        lines = [(f"line {number}", line) for number, line in enumerate(_text(data, file).splitlines(), 1)]
        placed = [(place, files.json_value(line, f"{place} of {file}")) for place, line in lines if line.strip()]
    if not placed:
        raise InvalidInput(f"{file} has no messages")
    for place, message in placed:
        _check(message, f"{place} of {file}")
    return [message for _, message in placed]


def _text(data: bytes, file: str) -> str:
    from mace.core.errors import InvalidInput

    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not valid UTF-8") from None


def _check(message: Any, place: str) -> None:
    from mace.core.errors import InvalidInput
    from mace.engine.offline.arguments import check_message

    try:
        check_message(message)
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from None


def _parts(messages: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The messages in lists that one call takes."""
    part: list[dict[str, Any]] = []
    size = 0
    for message in messages:
        more = len(message["content"].encode())
        if part and (len(part) == _AT_ONCE or size + more > _BYTES_AT_ONCE):
            yield part
            part, size = [], 0
        part.append(message)
        size += more
    if part:
        yield part


def _kept(
    session: Session,
    mace: "Mace",
    messages: list[dict[str, Any]],
    conversation: str | None,
    consent_id: str | None,
    idempotency_key: str | None,
) -> "RememberAnswer":
    user = cast(str, session.speaker(mace))
    turn_ids: list[str] = []
    redacted: set[str] = set()
    parts = list(_parts(messages))
    with output.Progress(session, "Keeping") as progress:
        for number, part in enumerate(parts):
            key = idempotency_key if len(parts) == 1 or idempotency_key is None else f"{idempotency_key}/{number}"
            answer = mace.remember(
                user,
                cast("list[Message]", part),
                conversation_id=conversation,
                consent_id=consent_id,
                idempotency_key=key,
            )
            if not answer["success"]:
                raise _refusal(answer, turn_ids, len(messages))
            turn_ids += answer["turn_ids"]
            redacted |= set(answer["redacted"])
            progress(len(turn_ids), len(messages))
    return {**answer, "turn_ids": turn_ids, "redacted": sorted(redacted)}


def _refusal(answer: "RememberAnswer", turn_ids: list[str], count: int) -> Exception:
    from mace.interfaces.cli.errors import Refusal

    told = cast(dict[str, Any], answer["error"])
    if turn_ids:
        hint = f"{len(turn_ids)} of {count} turns were kept before; with --idempotency-key they are not kept twice"
        told = {**told, "meta": {**told["meta"], "hint": hint}}
    return Refusal(told, {"turn_ids": turn_ids})


def _told(answer: "RememberAnswer") -> list[str]:
    ids = answer["turn_ids"]
    named = ids[0] if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"
    text = [
        f"Kept {output.counted(len(ids), 'turn')} of conversation {output.clean(answer['conversation_id'])}: {named}"
    ]
    if answer["redacted"]:
        types = ", ".join(answer["redacted"])
        text.append(f"Cut out, because no consent covers it: {types} (see mace consent grant, and --consent)")
    return text
