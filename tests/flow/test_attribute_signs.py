"""Attributes whose words differ in a sign alone are several."""

import json

import places


def test_import_tells_them_apart(place: places.Place):
    raw = {"scope": "world", "entity_type": "fact", "entity_id": "Brindle editor"}
    names = {"C++ support": "full", "C# support": "partial", "C support": "none"}
    lines = [json.dumps({**raw, "attribute": name, "value": value}) for name, value in names.items()]
    with place.open() as mace:
        assert mace.import_facts(lines, "system")["imported"] == 3
        stored = {
            name: mace.sem_get(f"world/fact/brindle_editor/{name}")["value"]
            for name in ("c_plus_plus_support", "c_sharp_support", "c_support")
        }
    assert list(stored.values()) == ["full", "partial", "none"]
