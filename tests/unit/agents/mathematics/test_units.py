"""Sizes of units against the computer-algebra library's own table and against their definitions."""

from fractions import Fraction

import pytest
import sympy
from sympy.physics import units as library

from mace.agents.mathematics import Declined, MathAnswer, immediate
from mace.agents.mathematics.units import NAMES, SYMBOLS, TEMPERATURE, Unit, unit_named

# Our name -> theirs. Left out: their nautical mile is 6076 feet and their astronomical unit the one before 2012.
SHARED = {
    "m": "meter",
    "km": "kilometer",
    "cm": "centimeter",
    "mm": "millimeter",
    "in": "inch",
    "ft": "foot",
    "yd": "yard",
    "mi": "mile",
    "ly": "lightyear",
    "g": "gram",
    "kg": "kilogram",
    "lb": "pound",
    "t": "tonne",
    "s": "second",
    "min": "minute",
    "h": "hour",
    "d": "day",
    "L": "liter",
    "mL": "milliliter",
    "Pa": "pascal",
    "bar": "bar",
    "atm": "atmosphere",
    "psi": "psi",
    "N": "newton",
    "J": "joule",
    "W": "watt",
    "V": "volt",
    "ohm": "ohm",
    "Hz": "hertz",
    "eV": "electronvolt",
    "ha": "hectare",
    "byte": "byte",
    "KiB": "kibibyte",
    "MiB": "mebibyte",
}
SI = [library.meter, library.kilogram, library.second, library.ampere, library.bit]


@pytest.mark.parametrize(("ours", "theirs"), SHARED.items())
def test_sizes_agree_with_the_library(ours: str, theirs: str):
    unit = unit_named(ours)
    assert unit is not None
    converted = sympy.sympify(library.convert_to(getattr(library, theirs), SI))
    factor = converted.as_coeff_Mul()[0]
    # Their psi is rounded; all the others are the defined sizes.
    assert abs(factor / sympy.Rational(unit.factor.numerator, unit.factor.denominator) - 1) < sympy.Rational(1, 10**6)
    if theirs not in ("psi", "electronvolt"):
        assert Fraction(str(sympy.Rational(str(factor)))) == unit.factor


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("inch", "0.0254"),
        ("pound", "0.45359237"),
        ("ounce", "0.028349523125"),
        ("gallon", "0.003785411784"),
        ("imperial gallon", "0.00454609"),
        ("acre", "4046.8564224"),
        ("cup", "0.0002365882365"),
        ("tablespoon", "0.00001478676478125"),
        ("teaspoon", "0.00000492892159375"),
        ("fluid ounce", "0.0000295735295625"),
        ("horsepower", "745.69987158227022"),
        ("cal", "4.184"),
        ("kcal", "4184"),
        ("kWh", "3600000"),
        ("knot", "1852/3600"),
        ("mph", "0.44704"),
        ("km/h", "1/3.6"),
        ("stone", "6.35029318"),
        ("week", "604800"),
        ("GB", "8000000000"),
        ("Mbps", "1000000"),
        ("turn", "360"),
        ("torr", "101325/760"),
    ],
)
def test_sizes_are_the_defined_ones(name: str, factor: str):
    unit = SYMBOLS.get(name) or unit_named(name)
    top, _, bottom = factor.partition("/")
    assert unit is not None
    assert unit.factor == Fraction(top) / Fraction(bottom or "1")


def test_no_symbol_names_two_sizes():
    for symbol, unit in SYMBOLS.items():
        named = NAMES.get(symbol)
        assert named is None or (named.factor, named.dimension) == (unit.factor, unit.dimension), symbol


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("dB", None),
        ("KM", "km"),
        ("Miles", "mi"),
        ("MB", "MB"),
        ("Mb", "Mbit"),
        ("mW", "mW"),
        ("MW", "MW"),
        ("foo", None),
        ("light years", "ly"),
        ("month", None),
        ("µm", None),
        ("um", "µm"),
    ],
)
def test_case_counts_only_where_it_must(written: str, text: str | None):
    unit = unit_named(written)
    assert (unit.symbol if unit else None) == text


ALL = sorted({unit.symbol: unit for unit in (*SYMBOLS.values(), *NAMES.values())}.items())


@pytest.mark.parametrize("unit", [unit for _, unit in ALL if unit.offset is None], ids=lambda unit: unit.symbol)
def test_every_unit_converts_to_itself(unit: Unit):
    outcome = immediate(f"convert 7 {unit.symbol} to {unit.symbol}")
    assert isinstance(outcome, MathAnswer), outcome
    assert outcome.value == f"7 {unit.symbol}"


@pytest.mark.parametrize(("kelvin", "other"), [("273.15 K", "0 °C"), ("0 K", "-459.67 °F"), ("255.372222 K", None)])
def test_temperatures_have_their_zero(kelvin: str, other: str | None):
    if other is not None:
        outcome = immediate(f"convert {kelvin} to {other.split()[1]}")
        assert isinstance(outcome, MathAnswer)
        assert outcome.text == f"{kelvin} = {other}"
    assert all(unit.offset is not None for unit in SYMBOLS.values() if unit.dimension == TEMPERATURE)


@pytest.mark.parametrize(
    "text",
    [
        "5 °C/s to °F/s",
        "5 C^2 to F^2",
        "3 m to m^2",
        "5 km to",
        "to km",
        "5 to km",
        "km to m to cm",
        "5 m^0 to m",
        "5 m^99 to m^99",
        "1/0 km to m",
    ],
)
def test_what_cannot_be_converted_is_declined(text: str):
    assert isinstance(immediate(text), Declined)
