"""Whom a question misses that nobody answers."""

import pytest

from mace.agents.absent import nobody_is_told, who_is_out


@pytest.mark.parametrize(
    ("code", "wanted", "out", "missed"),
    [
        ("ROUTER_NO_MATCH", ["math_agent", "generic_agent"], ["math_agent"], "math_agent"),
        ("ROUTER_NO_MATCH", ["generic_agent"], ["math_agent"], None),
        ("ROUTER_NO_MATCH", ["math_agent"], [], None),
        ("SEM_NOT_FOUND", ["knowledge_agent"], ["knowledge_agent"], None),
    ],
)
def test_who_is_out_is_told_where_nobody_had_anything_to_say(
    code: str, wanted: list[str], out: list[str], missed: str | None
):
    assert who_is_out(code, wanted, out) == missed
    assert nobody_is_told(code, wanted, out) is None
