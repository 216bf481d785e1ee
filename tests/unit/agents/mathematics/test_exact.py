"""Exact arithmetic by hand and by the computer-algebra library agree, and sizes are bounded before either runs."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.build import Names, build, fraction
from mace.agents.mathematics.cursor import Cursor
from mace.agents.mathematics.decimals import approximate, decimal_text, round_half_up, shorten, terminates
from mace.agents.mathematics.estimate import size_of
from mace.agents.mathematics.exact import NotRational, Undefined, evaluate
from mace.agents.mathematics.expressions import whole_expression
from mace.agents.mathematics.limits import MAX_DIGITS
from mace.agents.mathematics.tokens import tokenize
from mace.agents.mathematics.tree import Add, Call, Factorial, Multiply, Negate, Node, Number, PartOf, Percent, Power


def parse(text: str) -> Node:
    return whole_expression(Cursor(tokenize(text)))


_leaves: st.SearchStrategy[Node] = st.one_of(
    st.integers(0, 60).map(lambda number: Number(Fraction(number))),
    st.integers(0, 500).map(lambda number: Number(Fraction(number, 100), decimal=True)),
)


def _branches(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(Negate, inner),
        st.builds(Percent, inner),
        st.builds(Factorial, inner),
        st.builds(Power, inner, inner),
        st.builds(PartOf, st.builds(Percent, inner), inner, st.booleans()),
        st.lists(st.tuples(st.sampled_from("+-"), inner), min_size=2, max_size=3).map(
            lambda terms: Add((("+", terms[0][1]), *terms[1:]))
        ),
        st.lists(st.tuples(st.sampled_from(["*", "/", "mod"]), inner), min_size=2, max_size=3).map(
            lambda factors: Multiply((("*", factors[0][1]), *factors[1:]))
        ),
        st.builds(
            lambda name, node: Call(name, (node,)), st.sampled_from(["sqrt", "cbrt", "abs", "floor", "ceil"]), inner
        ),
        st.builds(
            lambda name, left, right: Call(name, (left, right)),
            st.sampled_from(["gcd", "lcm", "min", "max", "mean", "binomial"]),
            inner,
            inner,
        ),
    )


@settings(max_examples=500, deadline=None)
@given(st.recursive(_leaves, _branches, max_leaves=6))
def test_both_ways_of_computing_give_the_same_number(node: Node):
    try:
        size = size_of(node)
        value = evaluate(node)
    except (Refusal, NotRational):
        return
    except Undefined:
        with pytest.raises(Undefined):
            build(node, Names(()))
        return
    by_library = sympy.simplify(build(node, Names(())))
    assert by_library.is_Rational
    assert fraction(by_library) == value
    # The estimate is an upper bound.
    assert len(str(max(abs(value.numerator), value.denominator))) <= size.digits + 1.5
    assert size.value in (None, value)


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9",
        "2^13300",
        "(1/3)^9000",
        "1466!",
        "2^6000 * 3^6000",
        "10^3000 * 10^1001",
        "exp(10^7)",
        "2^(2^14)",
        "2^13300.5",
        "(((3!)!)!)!",
        "10^20 choose 10^10",
        "2^-13300",
    ],
)
def test_what_would_be_too_large_is_refused(text: str):
    with pytest.raises(Refusal) as refused:
        size_of(parse(text))
    assert refused.value.declined.kind == "too_large"


@pytest.mark.parametrize(
    "text",
    [
        "2^13000",
        "(1/3)^8000",
        "1400!",
        "exp(10^5)",
        "1^(10^30)",
        "0^(10^30)",
        "(-1)^(10^30)",
        "1000 choose 500",
        "x^10000",
        "(x+1)^1000",
        "e^(100 pi i)",
        "2^sqrt(2)",
        "sin(10^30)",
    ],
)
def test_what_is_large_but_feasible_is_not(text: str):
    assert size_of(parse(text)).digits <= max(MAX_DIGITS, 10**6)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 4), "0.25"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(3), "3"),
        (Fraction(-100), "-100"),
        (Fraction(1, 10**15), "0.000000000000001"),
    ],
)
def test_decimals_that_end_are_exact(value: Fraction, text: str):
    assert terminates(value)
    assert decimal_text(value) == text
    assert Fraction(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "0.3333333333"),
        (Fraction(-2, 3), "-0.6666666667"),
        (Fraction(10**20, 3), "3.333333333e19"),
        (Fraction(1, 3 * 10**9), "3.333333333e-10"),
        (Fraction(200, 3), "66.66666667"),
        (Fraction(10**12, 3), "333333333300"),
        (Fraction(0), "0"),
    ],
)
def test_decimals_that_do_not_end_have_ten_digits(value: Fraction, text: str):
    assert approximate(value) == text


@pytest.mark.parametrize(
    ("number", "text"), [("1.4142135623730950488", "1.414213562"), ("1e-30", "1e-30"), ("-0.0", "0"), ("2.50", "2.5")]
)
def test_decimals_from_the_library_are_shortened(number: str, text: str):
    assert shorten(number) == text


@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        (Fraction(5, 2), 0, Fraction(3)),
        (Fraction(-5, 2), 0, Fraction(-3)),
        (Fraction(12345, 1000), 2, Fraction(1235, 100)),
        (Fraction(15), -1, Fraction(20)),
        (Fraction(14), -1, Fraction(10)),
    ],
)
def test_halves_are_rounded_away_from_zero(value: Fraction, places: int, rounded: Fraction):
    assert round_half_up(value, places) == rounded
