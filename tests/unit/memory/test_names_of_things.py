"""How names outside scope `user` are told apart, and where each is found; users with apostrophes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.core.canon import sha256_hex
from mace.memory import keys
from mace.memory.keys import fold_identity, fold_name, key_to_name, key_to_read, literal_identity, place


class Names(dict[str, str]):
    """A registry; slots that were only written by their keys are listed in `written`."""

    def __init__(self, *written: str) -> None:
        super().__init__()
        self.written = set(written)

    def __call__(self, slot: str) -> str | None:
        return self.get(slot) or (literal_identity(slot) if slot in self.written else None)

    def is_literal(self, slot: str) -> bool:
        return slot in self.written and slot not in self

    def store(self, name: str) -> str:
        """Write under a raw name, as an import does."""
        placed = place("world", "fact", name, "x", None, self)
        self.update(placed.register)
        self.written.add(f"world/fact/{placed.slug}")
        return placed.slug

    def find(self, name: str) -> str:
        return keys.parse_key(key_to_read("world", "fact", name, "x", None, self)).entity_id

    def give(self, name: str) -> str:
        return key_to_name("world", "fact", name, "x", None, self).slug


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("C", "c"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("Ohm's law", "ohms law"),
        ("Ohm’s law", "ohms law"),
        ("ohms_law", "ohms law"),
        ("  OHMS -_ Law ", "ohms law"),
        ("Café", "cafe"),
        ("Cafe\u0301", "cafe"),
        ("Ｃ＋＋", "c++"),
        ("Straße", "strasse"),
        ("TCP/IP", "tcp/ip"),
        ("A & B", "a & b"),
        ("user_guide", "user guide"),
        ("Intro (Part 1)", "intro (part 1)"),
        ("か", "か"),
        ("が", "が"),
        ("й", "й"),
        ("'", ""),
    ],
)
def test_what_spellings_of_a_name_share(raw: str, folded: str):
    assert fold_name(raw) == folded
    assert fold_name(folded) == folded


def test_marks_piled_up_are_refused():
    with pytest.raises(ValueError):
        fold_name("a" + "\u0301" * 100)


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (["C", "C++", "C#", "c", "C ++"], ["c", "c-372946", "c-84a516", "c", "c-e6e6d3"]),
        (["C++", "C", "C#"], ["c", "c-84a516", "c-84a516841b"]),
        (["Hooke's law", "Hooke’s law", "Hookes law", "hookes-LAW"], ["hookes_law"] * 4),
        (["Intro: Part 1", "Intro (Part 1)"], ["intro_part_1", "intro_part_1-95c0e6"]),
        (["Café", "Cafe"], ["cafe", "cafe"]),
        (["Yahoo", "Yahoo!", "Yahoo?"], ["yahoo", "yahoo-f42343", "yahoo-f42343e885"]),
    ],
)
def test_names_that_are_stored_one_after_another(names: list[str], slugs: list[str]):
    registry = Names()
    assert [registry.store(name) for name in names] == slugs
    assert [registry.find(name) for name in names] == slugs
    assert [registry.give(name) for name in names] == slugs


@pytest.mark.parametrize(
    ("name", "slug", "is_found"),
    [
        ("C", "c", True),
        ("C++", "c", False),
        ("C#", "c", False),
        ("C*", "c", False),
        ("@C", "c", False),
        ("C&", "c", False),
        ("C%", "c", False),
        ("C!", "c", False),
        ("TCP/IP", "tcp_ip", True),
        ("T.C.P: I.P.", "t_c_p_i_p", True),
        ("Washington, D.C.", "washington_d_c", True),
        ("Intro (Part 1)", "intro_part_1", True),
        ("Part; 1", "part_1", True),
        ("A & B", "a_b", False),
        ("A/B + C", "a_b_c", False),
        ("Boyle's law", "boyles_law", True),
        ("Boyle’s Law", "boyles_law", True),
        ("Über", "uber", True),
    ],
)
def test_a_name_without_a_seat_and_a_key_that_was_written(name: str, slug: str, is_found: bool):
    registry = Names(f"world/fact/{slug}")
    assert (registry.find(name) == slug) is is_found
    assert (registry.give(name) == slug) is is_found
    assert registry == {}


def test_a_name_whose_words_are_a_keys_has_it_and_others_get_a_suffix():
    registry = Names("world/fact/boyles_law", "world/fact/tcp_ip", "world/fact/c")
    stored = [registry.store(name) for name in ("Boyle's law", "TCP/IP", "C++", "c")]
    assert stored == ["boyles_law", "tcp_ip-c56b3e", "c-372946", "c"]
    assert set(registry) == {"world/fact/tcp_ip-c56b3e", "world/fact/c-372946"}


def test_a_suffix_that_was_written_by_its_key_is_found_by_the_name_it_was_given_for():
    registry = Names("world/fact/c")
    given_slug = registry.give("C++")
    registry.written.add(f"world/fact/{given_slug}")  # by whoever was given the key and knows no more than that
    assert registry.find("C++") == registry.give("C++") == registry.store("C++") == given_slug == "c-372946"


def test_two_names_that_were_given_are_kept_apart_though_one_reads_the_other():
    registry = Names()
    assert registry.store("tcp ip") == "tcp_ip"
    assert registry.find("TCP/IP") == "tcp_ip"
    assert registry.give("TCP/IP") != "tcp_ip"


# Entries of earlier versions, which hold the hash of the older fold


def older(*entries: tuple[str, str]) -> Names:
    registry = Names()
    for slug, name in entries:
        registry[f"world/fact/{slug}"] = sha256_hex(fold_identity(name))
    return registry


@pytest.mark.parametrize(
    ("entries", "name", "slug"),
    [
        ([("ohms_law", "Ohm's law")], "Ohm's law", "ohms_law"),
        ([("ohms_law", "Ohm's law")], "Ohm’s law", "ohms_law"),
        ([("ohms_law", "Ohm's law")], "Ohms law", "ohms_law"),
        ([("ohms_law", "Ohm’s law")], "ohms_law", "ohms_law"),
        ([("ohms_law", "ohms law")], "Ohm's law", "ohms_law"),
        ([("ohms_law", "ohms_law")], "Ohm's law", "ohms_law"),
        ([("yahoo", "Yahoo!")], "Yahoo!", "yahoo"),
        ([("c", "C++")], "C++", "c"),
        ([("c", "C++")], "C", "c-84a516"),
        ([("c", "C")], "C#", "c-84a516"),
        ([("c", "C")], "C++", "c-372946"),
        ([("boyles_law", "Boyles law"), ("boyles_law-d033f4", "Boyle's law")], "Boyle's law", "boyles_law-d033f4"),
        ([("boyles_law", "Boyles law"), ("boyles_law-d033f4", "Boyle's law")], "Boyles law", "boyles_law"),
    ],
)
def test_entries_of_earlier_versions_are_looked_for_too(entries: list[tuple[str, str]], name: str, slug: str):
    registry = older(*entries)
    assert place("world", "fact", name, "x", None, registry).slug == slug


@pytest.mark.parametrize(
    ("seats", "user_id", "slug"),
    [
        ({}, "o'brien", "user_obrien"),
        ({"user_obrien": "obrien"}, "o'brien", "user_obrien"),
        ({"user_obrien": "obrien"}, "O’Brien", "user_obrien"),
        ({"user_obrien": "o'brien"}, "o'brien", "user_obrien"),
        ({"user_obrien": "o'brien"}, "o’brien", "user_obrien"),
        ({"user_obrien": "o'brien"}, "obrien", "user_obrien-8334cb"),
        ({"user_obrien": "o'brien", "user_obrien-NN": "o’brien"}, "o’brien", "user_obrien-NN"),
        ({"user_obrien": "o'brien", "user_obrien-NN": "o’brien"}, "o'brien", "user_obrien"),
    ],
)
def test_users_with_apostrophes_are_one_unless_they_were_registered_apart(
    seats: dict[str, str], user_id: str, slug: str
):
    suffix = keys._sha1("o’brien")[:6]
    registry = {f"user/{seat.replace('NN', suffix)}": sha256_hex(name) for seat, name in seats.items()}
    assert keys.place_user(user_id, registry.get).slug == slug.replace("NN", suffix)


# Anything


RAW = st.text(alphabet="aAbB cC+#*&@%./,:;()-_'’!éÉ\u0301か", min_size=1, max_size=6)


def is_a_name(raw: str) -> bool:
    try:
        keys.generate_canonical_key("world", "fact", raw, "x")
    except ValueError:
        return False
    return True


NAMES = st.lists(RAW.filter(is_a_name), min_size=1, max_size=12)


@given(NAMES)
def test_names_of_different_identity_never_share_a_key_and_a_look_writes_nothing(names: list[str]):
    registry = Names()
    owner: dict[str, str] = {}
    for name in names:
        before = dict(registry), set(registry.written)
        given_key, found = registry.give(name), registry.find(name)
        assert (dict(registry), registry.written) == before
        slug = registry.store(name)
        assert given_key == slug
        assert owner.setdefault(slug, fold_name(name)) == fold_name(name)
        assert found in (slug, keys.normalise(name))
    for name in names:
        assert owner[registry.find(name)] == fold_name(name)
        assert registry.find(name) == registry.give(name) == registry.store(name)


@given(RAW)
def test_folding_a_name_again_changes_nothing(raw: str):
    assert fold_name(fold_name(raw)) == fold_name(raw)


@given(RAW.filter(is_a_name), st.sampled_from("+#*@&%"))
def test_a_telling_symbol_is_never_read_as_the_name_without_it(raw: str, symbol: str):
    slug = keys.parse_key(keys.generate_canonical_key("world", "fact", raw, "x")).entity_id
    registry = Names(f"world/fact/{slug}")
    if not raw.isascii() or any(other in raw for other in "+#*@&%"):
        return
    assert registry.find(raw + symbol) != slug
    assert registry.find(symbol + raw) != slug
