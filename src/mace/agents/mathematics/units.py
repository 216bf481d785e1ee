"""The units of measurement and their exact sizes.

Pure table. Every factor is the defined one (an inch is 0.0254 m, a pound 0.45359237 kg, a US gallon 231 cubic inches),
so a conversion is exact arithmetic with fractions and needs no library; the computer-algebra library's own table knows
neither gallons nor Fahrenheit, and a test compares the two where they overlap. Temperatures have a zero point of their
own and can therefore not be part of a compound unit. Units that mean different sizes (a month) are left out.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

Dimension: TypeAlias = tuple[int, ...]

_BASES: Final = ("length", "mass", "time", "current", "temperature", "amount", "angle", "information")


def _dimension(**exponents: int) -> Dimension:
    return tuple(exponents.get(base, 0) for base in _BASES)


NONE: Final = _dimension()
LENGTH, MASS, TIME = _dimension(length=1), _dimension(mass=1), _dimension(time=1)
CURRENT, TEMPERATURE, AMOUNT = _dimension(current=1), _dimension(temperature=1), _dimension(amount=1)
ANGLE, INFORMATION = _dimension(angle=1), _dimension(information=1)
AREA, VOLUME, SPEED = _dimension(length=2), _dimension(length=3), _dimension(length=1, time=-1)
FREQUENCY, FORCE = _dimension(time=-1), _dimension(mass=1, length=1, time=-2)
PRESSURE, ENERGY = _dimension(mass=1, length=-1, time=-2), _dimension(mass=1, length=2, time=-2)
POWER = _dimension(mass=1, length=2, time=-3)
VOLTAGE = _dimension(mass=1, length=2, time=-3, current=-1)
RESISTANCE = _dimension(mass=1, length=2, time=-3, current=-2)


@dataclass(frozen=True, slots=True)
class Unit:
    symbol: str
    factor: Fraction  # times the unit is this many base units (m, kg, s, A, K, mol, degree, bit)
    dimension: Dimension
    offset: Fraction | None = None  # kelvins at the unit's zero; None where zero is zero
    pi_power: int = 0  # the factor is to be multiplied by pi to this power (radians)
    note: str = ""


def times(left: Unit, right: Unit, power: int, sign: str) -> Unit:
    """Return left multiplied by right to a power; `sign` joins the symbols."""
    raised = right.symbol if abs(power) == 1 else f"{right.symbol}^{abs(power)}"
    return Unit(
        symbol=raised if not left.symbol else f"{left.symbol}{sign}{raised}",
        factor=left.factor * right.factor**power,
        dimension=tuple(a + b * power for a, b in zip(left.dimension, right.dimension, strict=True)),
        pi_power=left.pi_power + right.pi_power * power,
        note=left.note or right.note,
    )


UNITY: Final = Unit("", Fraction(1), NONE)

_FOOT, _POUND = Fraction("0.3048"), Fraction("0.45359237")
_GALLON, _IMPERIAL_GALLON = Fraction("0.003785411784"), Fraction("0.00454609")
_GRAVITY, _DAY = Fraction("9.80665"), Fraction(86400)
_MILE, _YEAR, _FLUID_OUNCE = _FOOT * 5280, _DAY * Fraction("365.25"), _GALLON / 128
_US, _YEAR_NOTE = "US customary measure", "a year is taken as 365.25 days"
_SHORT_TON = "a ton is taken as the US short ton of 2000 lb; a metric ton is a tonne"

# symbols (the first is shown, `_` standing for a space) | names | factor | dimension | its SI prefixes
_METRIC: Final[tuple[tuple[str, str, str, Dimension, str], ...]] = (
    ("m", "meter metre", "1", LENGTH, "khdcmµnp"),
    ("g", "gram gramme", "0.001", MASS, "kdcmµnp"),
    ("s sec", "second", "1", TIME, "mµnp"),
    ("A", "ampere amp", "1", CURRENT, "kmµn"),
    ("mol", "mole", "1", AMOUNT, "kmµn"),
    ("L l", "liter litre", "0.001", VOLUME, "hdcmµ"),
    ("Hz", "hertz", "1", FREQUENCY, "TGMk"),
    ("N", "newton", "1", FORCE, "GMkmµ"),
    ("Pa", "pascal", "1", PRESSURE, "GMkhm"),
    ("J", "joule", "1", ENERGY, "TGMkm"),
    ("W", "watt", "1", POWER, "TGMkmµ"),
    ("Wh", "", "3600", ENERGY, "TGMk"),
    ("V", "volt", "1", VOLTAGE, "GMkmµ"),
    ("ohm", "ohm", "1", RESISTANCE, "GMkm"),
    ("eV", "electronvolt", "1.602176634e-19", ENERGY, "TGMkm"),
    ("cal", "calorie", "4.184", ENERGY, "k"),
    ("bar", "bar", "100000", PRESSURE, "Mkm"),
    ("B", "byte", "8", INFORMATION, "TGMk"),
    ("bit b", "bit", "1", INFORMATION, "TGMk"),
)
_PREFIXES: Final = (
    ("T", "tera", 12), ("G", "giga", 9), ("M", "mega", 6), ("k", "kilo", 3), ("h", "hecto", 2), ("d", "deci", -1),
    ("c", "centi", -2), ("m", "milli", -3), ("µ", "micro", -6), ("n", "nano", -9), ("p", "pico", -12),
)  # fmt: skip

_OTHER: Final[tuple[tuple[str, str, Fraction, Dimension, str], ...]] = (
    ("in", "inch inches", _FOOT / 12, LENGTH, ""),
    ("ft", "foot feet", _FOOT, LENGTH, ""),
    ("yd", "yard", _FOOT * 3, LENGTH, ""),
    ("mi", "mile", _MILE, LENGTH, ""),
    ("nmi", "nautical_mile", Fraction(1852), LENGTH, ""),
    ("au", "astronomical_unit", Fraction(149597870700), LENGTH, ""),
    ("ly", "light_year lightyear", Fraction(9460730472580800), LENGTH, ""),
    ("t", "tonne metric_ton", Fraction(1000), MASS, ""),
    ("lb lbs", "pound", _POUND, MASS, ""),
    ("oz", "ounce", _POUND / 16, MASS, ""),
    ("st", "stone", _POUND * 14, MASS, ""),
    ("ton", "ton short_ton", _POUND * 2000, MASS, _SHORT_TON),
    ("long_ton", "long_ton", _POUND * 2240, MASS, ""),
    ("min mins", "minute", Fraction(60), TIME, ""),
    ("h hr hrs", "hour", Fraction(3600), TIME, ""),
    ("d", "day", _DAY, TIME, ""),
    ("wk", "week", _DAY * 7, TIME, ""),
    ("yr", "year", _YEAR, TIME, _YEAR_NOTE),
    ("ha", "hectare", Fraction(10000), AREA, ""),
    ("acre", "acre", _FOOT**2 * 43560, AREA, ""),
    ("gal", "gallon us_gallon", _GALLON, VOLUME, _US),
    ("qt", "quart", _GALLON / 4, VOLUME, _US),
    ("pt", "pint", _GALLON / 8, VOLUME, _US),
    ("cup", "cup", _GALLON / 16, VOLUME, _US),
    ("fl_oz", "fluid_ounce", _FLUID_OUNCE, VOLUME, _US),
    ("tbsp", "tablespoon", _FLUID_OUNCE / 2, VOLUME, _US),
    ("tsp", "teaspoon", _FLUID_OUNCE / 6, VOLUME, _US),
    ("imp_gal", "imperial_gallon uk_gallon", _IMPERIAL_GALLON, VOLUME, ""),
    ("imp_pt", "imperial_pint uk_pint", _IMPERIAL_GALLON / 8, VOLUME, ""),
    ("cc", "", Fraction(1, 1000000), VOLUME, ""),
    ("mph", "", _MILE / 3600, SPEED, ""),
    ("km/h kph kmh kmph", "", Fraction(1000, 3600), SPEED, ""),
    ("kn kt kts", "knot", Fraction(1852, 3600), SPEED, ""),
    ("rpm", "", Fraction(360, 60), _dimension(angle=1, time=-1), ""),
    ("lbf", "", _POUND * _GRAVITY, FORCE, ""),
    ("atm", "atmosphere", Fraction(101325), PRESSURE, ""),
    ("torr", "torr", Fraction(101325, 760), PRESSURE, ""),
    ("mmHg", "", Fraction("133.322387415"), PRESSURE, ""),
    ("psi", "", _POUND * _GRAVITY / (_FOOT / 12) ** 2, PRESSURE, ""),
    ("BTU btu", "", Fraction("1055.05585262"), ENERGY, "the international BTU"),
    ("hp", "horsepower", _FOOT * _POUND * _GRAVITY * 550, POWER, "the mechanical horsepower"),
    ("°", "degree", Fraction(1), ANGLE, ""),
    ("arcmin", "arcminute", Fraction(1, 60), ANGLE, ""),
    ("arcsec", "arcsecond", Fraction(1, 3600), ANGLE, ""),
    ("gon", "gradian", Fraction(9, 10), ANGLE, ""),
    ("turn", "turn revolution", Fraction(360), ANGLE, ""),
    ("KiB", "kibibyte", Fraction(8 * 2**10), INFORMATION, ""),
    ("MiB", "mebibyte", Fraction(8 * 2**20), INFORMATION, ""),
    ("GiB", "gibibyte", Fraction(8 * 2**30), INFORMATION, ""),
    ("TiB", "tebibyte", Fraction(8 * 2**40), INFORMATION, ""),
    ("dozen", "dozen", Fraction(12), NONE, ""),
)

_ZERO_CELSIUS: Final = Fraction("273.15")
_TEMPERATURES: Final = (
    ("°C", "C celsius centigrade", Fraction(1), _ZERO_CELSIUS),
    ("°F", "F fahrenheit", Fraction(5, 9), _ZERO_CELSIUS - Fraction(160, 9)),
    ("K", "K kelvin kelvins", Fraction(1), Fraction(0)),
)


def _build() -> tuple[dict[str, Unit], dict[str, Unit]]:
    """Return the units by symbol (case counts) and by name (lower case; words joined by `_`)."""
    symbols: dict[str, Unit] = {}
    names: dict[str, Unit] = {}
    for written, spelled, factor, dimension, prefixes in _METRIC:
        shown, base = written.split()[0], Fraction(factor)
        scaled = [("", "", Unit(shown, base, dimension))]
        for prefix, prefix_name, power in _PREFIXES:
            if prefix in prefixes:
                size = base * Fraction(10) ** power
                scaled.append((prefix, prefix_name, Unit(prefix + shown, size, dimension)))
        for prefix, prefix_name, unit in scaled:
            for symbol in written.split():  # the tokenizer writes the micro sign as u
                symbols[prefix.replace("µ", "u") + symbol] = unit
            for name in spelled.split():
                names[prefix_name + name] = names[prefix_name + name + "s"] = unit
    for written, spelled, size, dimension, note in _OTHER:
        unit = Unit(written.split()[0].replace("_", " "), size, dimension, note=note)
        symbols.update((symbol, unit) for symbol in written.split())
        for name in spelled.split():
            names[name] = names[name + "s"] = unit
    for shown, spelled, size, offset in _TEMPERATURES:
        unit = Unit(shown, size, TEMPERATURE, offset=offset)
        for name in spelled.split():
            (symbols if len(name) == 1 else names)[name] = unit
    radian = Unit("rad", Fraction(180), ANGLE, pi_power=-1)
    symbols["rad"] = names["radian"] = names["radians"] = radian
    symbols["KB"], symbols["Kb"] = symbols["kB"], symbols["kb"]
    for rate in ("kbps", "Mbps", "Gbps"):
        per_second = times(symbols[rate[0] + "b"], symbols["s"], -1, "/")
        symbols[rate] = Unit(rate, per_second.factor, per_second.dimension)
    return symbols, names


SYMBOLS, NAMES = _build()


def unit_named(words: str) -> Unit | None:
    """Return the unit with this symbol (`km`, `KM`) or name (`nautical miles`)."""
    joined = words.replace(" ", "_")
    return SYMBOLS.get(joined) or NAMES.get(joined.lower()) or SYMBOLS.get(joined.lower())
