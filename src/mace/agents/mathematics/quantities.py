"""Reading questions about units: convert 5 km to miles, 5 ft 3 in in cm, how many feet are in a mile.

Pure. A unit's name means a unit only here, so that `m`, `g` or `C` stay variables everywhere else. `in` is an inch
only directly behind a number.
"""

from fractions import Fraction

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.cursor import Cursor, NotThisForm
from mace.agents.mathematics.decimals import decimal_text, terminates
from mace.agents.mathematics.echo import fraction_text
from mace.agents.mathematics.number_words import take_number_words
from mace.agents.mathematics.questions import Convert
from mace.agents.mathematics.units import SYMBOLS, TEMPERATURE, UNITY, Unit, times, unit_named

_TO = ("to", "into", "in", "as")


def read_conversion(cursor: Cursor) -> Convert:
    """Read a question that asks for a quantity in another unit."""
    cursor.take("convert", "change")
    if cursor.take("how many"):
        return _how_many(cursor)
    amounts, written = _amounts(cursor)
    cursor.need(*_TO)
    target = _unit(cursor)
    cursor.need_end()
    return _checked(amounts, target, written)


def _how_many(cursor: Cursor) -> Convert:
    target = _unit(cursor)
    cursor.need("are there in", "are in", "is in", "in", "are", "is", "make", "equal", "per")
    if cursor.take("a", "an") or unit_here(cursor) is not None:
        unit = _unit(cursor)
        cursor.need_end()
        return _checked(((Fraction(1), unit),), target, f"1 {unit.symbol}")
    amounts, written = _amounts(cursor)
    cursor.need_end()
    return _checked(amounts, target, written)


def _checked(amounts: tuple[tuple[Fraction, Unit], ...], target: Unit, written: str) -> Convert:
    units = [unit for _, unit in amounts] + [target]
    if any(unit.dimension != target.dimension for unit in units):
        raise Refusal("the units measure different things")
    if target.dimension == TEMPERATURE and len(amounts) > 1:
        raise Refusal("temperatures cannot be added up")
    return Convert(amounts, target, written)


def _amounts(cursor: Cursor) -> tuple[tuple[tuple[Fraction, Unit], ...], str]:
    """Read 5 ft 3 in, 5 ft and 3 in, 5 km + 300 m, -40 °F."""
    amounts: list[tuple[Fraction, Unit]] = []
    written = ""
    sign = -1 if cursor.take("-", "minus") else 1
    joint = "-" if sign < 0 else ""
    while True:
        number, text = _number(cursor)
        unit = _unit(cursor)
        amounts.append((number * sign, unit))
        written += f"{joint}{text} {unit.symbol}"
        taken = cursor.take("+", "-", "and", ",")
        sign = -1 if taken == "-" else 1
        joint = f" {taken} " if taken in ("+", "-") else " "
        if taken is None and cursor.current.kind != "number":
            return tuple(amounts), written


def _number(cursor: Cursor) -> tuple[Fraction, str]:
    token = cursor.current
    if token.kind != "number" or token.value is None:
        if cursor.take("a", "an"):
            return Fraction(1), "1"
        words = take_number_words(cursor)
        if words is None:
            raise NotThisForm
        return words, fraction_text(words)
    cursor.step()
    value = token.value
    if cursor.current.text == "/" and cursor.ahead(1).kind == "number":
        cursor.step()
        divisor = cursor.step().value
        if not divisor:
            raise NotThisForm
        value /= divisor
    shown = decimal_text(value) if token.decimal and terminates(value) else fraction_text(value)
    return value, shown


def _unit(cursor: Cursor) -> Unit:
    """Read a unit: km, square meters, m/s^2, miles per hour, kg*m^2/s^3."""
    unit = _factor(cursor, UNITY, 1, "")
    if unit.offset is not None:
        return unit
    while True:
        start = cursor.at
        if cursor.take("/", "per"):
            unit = _factor(cursor, unit, -1, "/")
        elif cursor.take("*"):
            unit = _factor(cursor, unit, 1, "*")
        else:
            cursor.at = start
            return unit


def _factor(cursor: Cursor, left: Unit, sign: int, joint: str) -> Unit:
    power = 0
    if cursor.take("square", "sq"):
        power = 2
    elif cursor.take("cubic", "cu"):
        power = 3
    found = unit_here(cursor)
    if found is None:
        raise NotThisForm
    unit, length = found
    cursor.at += length
    written_power = _power(cursor)
    if unit.offset is not None:
        if power or written_power != 1 or left.symbol:
            raise NotThisForm
        return unit
    if power and written_power != 1:
        raise NotThisForm
    power = (power or written_power) * sign
    if not -9 <= power <= 9 or power == 0:
        raise NotThisForm
    return times(left, unit, power, joint)


def _power(cursor: Cursor) -> int:
    token = cursor.current
    value: Fraction | None = None
    if token.kind == "superscript":
        value = cursor.step().value
    elif token.text == "^" and cursor.ahead(1).kind == "number":
        cursor.step()
        value = cursor.step().value
    elif cursor.take("squared"):
        return 2
    elif cursor.take("cubed"):
        return 3
    elif token.text in ("2", "3") and token.tight and unit_here(cursor, 1) is None:  # m2, cm3
        value = cursor.step().value
    else:
        return 1
    if value is None or value.denominator != 1:
        raise NotThisForm
    return int(value)


def unit_here(cursor: Cursor, start: int = 0) -> tuple[Unit, int] | None:
    """Return the unit whose name stands here and the number of its tokens; longer names first."""
    skipped = start
    degrees = False
    while cursor.ahead(skipped).word in ("°", "degrees", "degree", "deg"):
        degrees = True
        skipped += 1
        if skipped - start > 1:
            return None
    if degrees:
        unit = unit_named(cursor.ahead(skipped).text)
        if unit is not None and unit.offset is not None:
            return unit, skipped - start + 1
        return SYMBOLS["°"], skipped - start
    token = cursor.ahead(skipped)
    if token.kind == "word":
        two = unit_named(f"{token.text} {cursor.ahead(skipped + 1).text}")
        if two is not None and cursor.ahead(skipped + 1).kind == "word":
            return two, skipped - start + 2
        text = token.text
        if "_" in text and token.indexed and text.split("_")[1] in ("2", "3"):  # m2: a letter with an index
            base = unit_named(text.split("_")[0])
            return (times(UNITY, base, int(text[-1]), ""), skipped - start + 1) if base else None
        unit = unit_named(text)
        if unit is not None:
            return unit, skipped - start + 1
    return None
