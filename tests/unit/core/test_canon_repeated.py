"""JSON from outside names each member once: of two, another reader may believe the other one."""

import pytest

from mace.core import canon


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":1}', '{"a":1,"b":{"c":[{"d":1,"d":2}]}}', '[{"a":1},{"b":1,"b":2}]', '{"a":1,"\\u0061":2}'],
)
def test_a_member_that_is_there_twice_is_refused(text: str):
    assert canon.loads(text) is not None
    for data in (text, text.encode()):
        with pytest.raises(ValueError, match="is there twice"):
            canon.loads_once(data)


@pytest.mark.parametrize("text", ['{"a":1,"b":{"a":1}}', "[]", "1", '{"n":' + "9" * 300 + "}"])
def test_everything_else_reads_as_ever(text: str):
    assert canon.loads_once(text) == canon.loads(text)


def test_depth_is_an_error_of_the_text():
    with pytest.raises(ValueError, match=r"."):
        canon.loads_once("[" * 100_000 + "]" * 100_000)
