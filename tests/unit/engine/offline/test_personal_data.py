"""Personal data in a text and in JSON: where it stands, and how the rest reads."""

import pytest

from mace.core.errors import InvalidInput
from mace.engine.offline import personal_data

ADDRESS = "ana@example.org"


def test_a_text():
    found = personal_data.in_text(f"write to {ADDRESS} today")
    (item,) = found["findings"]
    assert (item["type"], item["start"], item["end"]) == ("email", 9, 9 + len(ADDRESS))
    assert ADDRESS not in repr(found)
    assert found["reads"].startswith("write to ")
    assert personal_data.in_text("nothing here") == {"findings": [], "reads": "nothing here"}


def test_json_says_under_which_names_and_repeats_no_personal_name():
    found = personal_data.in_json({"a": [{"mail": ADDRESS}], ADDRESS: {"b": ADDRESS}})
    places = {(tuple(item["path"]), item["in_key"]) for item in found["findings"]}
    assert (("a", 0, "mail"), False) in places
    assert (("1", "b"), False) in {(tuple(str(step) for step in path), key) for path, key in places}
    assert ADDRESS not in repr(found)


def test_what_is_nested_too_deeply_is_refused():
    value: object = ADDRESS
    for _ in range(5000):
        value = [value]
    with pytest.raises(InvalidInput, match="nested deeper than 200"):
        personal_data.in_json(value)
