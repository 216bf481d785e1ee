"""How deep a policy may nest: what is counted, what is skipped, and that the packaged policy is far from the limits."""

import pytest

import governed
from mace.core.errors import InvalidInput
from mace.governance.policy.bounds import MAX_IFS, MAX_OPEN_BRACKETS, MAX_OPERATORS, MAX_POLICY_BYTES, check_bounds
from mace.governance.policy.engine import CedarPolicy
from mace.governance.policy.parsing import fault_of


def policy(condition: str) -> str:
    return f'@id("a") permit(principal, action, resource) when {{ {condition} }};'


def joined(operator: str, times: int) -> str:
    return policy(operator.join(["true"] * (times + 1)))


GOOD = {
    "the packaged policy": governed.policy_text(),
    "brackets at the limit": policy("(" * (MAX_OPEN_BRACKETS - 1) + "true" + ")" * (MAX_OPEN_BRACKETS - 1)),
    "ifs at the limit": policy("if true then true else " * MAX_IFS + "true"),
    "operators at the limit": joined(" && ", MAX_OPERATORS - 3),
    "brackets in a string": policy('"' + "(" * 5000 + '" == ""'),
    "brackets after an escaped quote": policy('"\\"' + "[" * 5000 + '" == ""'),
    "brackets in a comment": "// " + "({[ if && " * 5000 + "\n" + policy("true"),
    "a comment that a carriage return ends": "// ((((\r" + policy("true"),
    "names that begin like if": policy(" && ".join(["principal.iffy == 1"] * 100)),
    "many policies": "".join(
        f'@id("p{n}") permit(principal, action, resource) when {{ {" && ".join(["true"] * 400)} }};\n'
        for n in range(20)
    ),
}
BAD = {
    "parentheses": (policy("(" * 700 + "true" + ")" * 700), str(MAX_OPEN_BRACKETS)),
    "sets": (policy("[" * 1000 + "]" * 1000 + " == 1"), str(MAX_OPEN_BRACKETS)),
    "records": (policy('{"a": ' * 1000 + "1" + "}" * 1000 + " == 1"), str(MAX_OPEN_BRACKETS)),
    "mixed": (policy("([" * 20), str(MAX_OPEN_BRACKETS)),
    "else if": (policy("if true then true else " * 5000 + "true"), str(MAX_IFS)),
    "if in if": (policy("if " * 5000 + "true" + " then true else true" * 5000), str(MAX_IFS)),
    "and": (joined(" && ", 20_000), str(MAX_OPERATORS)),
    "or": (joined(" || ", 20_000), str(MAX_OPERATORS)),
    "plus": (policy(" + ".join(["1"] * 20_000) + " == 1"), str(MAX_OPERATORS)),
    "minus": (policy(" - ".join(["1"] * 20_000) + " == 1"), str(MAX_OPERATORS)),
    "times": (policy(" * ".join(["1"] * 20_000) + " == 1"), str(MAX_OPERATORS)),
    "not": (policy("!" * 20_000 + "true"), str(MAX_OPERATORS)),
    "attributes": (policy("context" + ".a" * 20_000), str(MAX_OPERATORS)),
    "indexes": (policy("context" + '["a"]' * 20_000), str(MAX_OPERATORS)),
    "whens": ('@id("a") permit(principal, action, resource) ' + "when {true} " * 20_000 + ";", str(MAX_OPERATORS)),
    "behind a comment": ("// (\n" + policy("(" * 700), str(MAX_OPEN_BRACKETS)),
    "behind a carriage return": ("// \r" + policy("(" * 700), str(MAX_OPEN_BRACKETS)),
    "behind a string": (policy('"\\\\" == ' + "(" * 700), str(MAX_OPEN_BRACKETS)),
    "length": ("/" * (MAX_POLICY_BYTES + 1), str(MAX_POLICY_BYTES)),
    "bytes, not characters": ("é" * (MAX_POLICY_BYTES // 2 + 1), str(MAX_POLICY_BYTES)),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_what_is_within_the_bounds_passes_and_parses(text: str):
    check_bounds(text)
    CedarPolicy(text)
    assert fault_of(text) is None


@pytest.mark.parametrize(("text", "limit"), BAD.values(), ids=BAD)
def test_what_is_beyond_them_is_refused_and_the_limit_named(text: str, limit: str):
    with pytest.raises(InvalidInput, match=limit):
        check_bounds(text)


@pytest.mark.parametrize("text", ['"' + '\\"' * 120_000, '"\\' * 80_000, "//" * 120_000, "a" * 250_000])
def test_what_never_ends_is_looked_at_once(text: str):
    """Tried again at each quote, the first of these would take minutes."""
    check_bounds(text)


def test_a_fault_is_told_in_words():
    assert fault_of("permit(principal action resource);") == "the policy text does not parse"
