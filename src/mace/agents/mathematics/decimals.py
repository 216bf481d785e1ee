"""Exact fractions as decimal text.

Pure, and the same bytes everywhere: only integers and `decimal` with contexts of its own are used, never a float.
"""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from mace.agents.mathematics.limits import APPROXIMATE_DIGITS

_MAX_PLACES = 15  # a decimal longer than this says less than its fraction
_MAX_SCALE: int = 10**_MAX_PLACES


def terminates(value: Fraction) -> bool:
    """Say whether the value has a decimal form that ends soon."""
    rest: int = _MAX_SCALE % value.denominator
    return rest == 0


def decimal_text(value: Fraction) -> str:
    """Return the exact decimal form of a value that `terminates`."""
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(value.numerator) * (_MAX_SCALE // value.denominator), _MAX_SCALE)
    decimals = f"{rest:0{_MAX_PLACES}d}".rstrip("0")
    return f"{sign}{whole}.{decimals}" if decimals else f"{sign}{whole}"


def approximate(value: Fraction, digits: int = APPROXIMATE_DIGITS) -> str:
    """Return the value with so many significant digits."""
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=10**9, Emin=-(10**9))
    return plain(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def shorten(number: str, digits: int = APPROXIMATE_DIGITS) -> str:
    """Return a decimal number in text with so many significant digits."""
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=10**9, Emin=-(10**9))
    return plain(context.create_decimal(number))


def plain(number: Decimal) -> str:
    """Return a decimal without trailing zeros, with an exponent only where it is very large or small."""
    if number.is_zero():
        return "0"
    if -7 <= number.adjusted() < 15:
        text = format(number, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = number.scaleb(-number.adjusted()), number.adjusted()
    digits = format(mantissa, "f").rstrip("0").rstrip(".")
    return f"{digits}e{exponent}"


def round_half_up(value: Fraction, places: int) -> Fraction:
    """Return the value rounded to decimal places as people do it: halves go away from zero."""
    scale = Fraction(10) ** places
    scaled = abs(value) * scale
    rounded = (scaled.numerator * 2 + scaled.denominator) // (scaled.denominator * 2)
    return (rounded if value >= 0 else -rounded) / scale
