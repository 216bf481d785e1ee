"""How turns are called: by their person and their number, one after another."""

KIND = "turn"
_DIGITS = 8


def turn_id_of(person: str, number: int) -> str:
    """What a turn is called everywhere: by its person and its number."""
    return f"{KIND}/{person}/{number:0{_DIGITS}d}"


def parse_turn_id(turn_id: str) -> tuple[str, int] | None:
    """The person and the number that a name of a turn says, or None."""
    kind, _, rest = turn_id.partition("/")
    person, _, number = rest.rpartition("/")
    if kind != KIND or not person or len(number) != _DIGITS or not number.isdecimal() or not number.isascii():
        return None
    return person, int(number)
