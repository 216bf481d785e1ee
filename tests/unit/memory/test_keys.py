"""Canonical keys: tables with literal results (hashes made with `sha1sum`), and properties over any text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mace.memory.keys import (
    SCOPES,
    Key,
    Registration,
    check_prefix,
    claim_of,
    fold_identity,
    generate_canonical_key,
    identity_hash,
    key_to_read,
    normalise,
    parse_key,
    place,
    place_user,
    prefix_matches,
    same_user,
    user_of_key,
    valid_key,
)

TUFF = "ce28f91d9b85f6028cf329429b10e1e3eebd35dd9670f861d097ee46c1d83aa7"  # sha256 of `tuff`
LONG_A = "The history of the steam engine from Newcomen to the present day, in four volumes"
LONG_SLUG = "the_history_of_the_steam_engine_from_newcomen_to"


class Registry(dict[str, str]):
    """What the store keeps: the first to take a slot has it for good."""

    def take(self, *registrations: Registration) -> None:
        for slot, identity in registrations:
            self.setdefault(slot, identity)

    def user(self, user_id: str) -> str:
        seat = place_user(user_id, self.get)
        self.take(*seat.register)
        return seat.slug


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Favorite Color", "favorite_color"),
        ("Favorite--Colour!!", "favorite_colour"),
        ("Ohm's law", "ohms_law"),
        ("Ohm’s law", "ohms_law"),
        ("résumé", "resume"),
        ("re\u0301sume\u0301", "resume"),
        ("ÅNGSTRÖM", "angstrom"),
        ("ﬁne ＦＵＬＬ ①", "fine_full_1"),
        ("1\ufe0f\u20e3 first", "1_first"),
        ("K (kelvin)", "k_kelvin"),
        ("İstanbul", "istanbul"),
        ("Straße", "stra_e"),
        ("a\u200bb", "a_b"),
        ("__a__b__", "a_b"),
        ("a\nb\x00c", "a_b_c"),
        ("万有引力", ""),
        ("", ""),
        ("x" * 300, "x" * 300),
    ],
)
def test_normalise(text: str, slug: str):
    assert normalise(text) == slug


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("TUFF", "tuff"),
        ("TuFf!", "tuff"),
        (" user_Tuff ", "tuff"),
        ("user_user_tuff", "tuff"),
        ("user_!user_ tuff", "tuff"),
        ("ｕｓｅｒ＿Ｔｕｆｆ", "tuff"),
        ("user", "user"),
        ("user_", "user"),
        ("a.b", "a.b"),
        ("a_b", "a_b"),
        ("A \t B", "a b"),
        ("«Straße»", "strasse"),
        ("C++", "c++"),
        ("!!!", ""),
        ("", ""),
    ],
)
def test_fold_identity(raw: str, folded: str):
    assert fold_identity(raw) == folded


@pytest.mark.parametrize(
    ("scope", "entity_type", "entity_id", "attribute", "user_id", "key"),
    [
        ("world", "fact", "Ohm's law", "Definition", None, "world/fact/ohms_law/definition"),
        ("mace", "config", "router", "default depth", None, "mace/config/router/default_depth"),
        ("agent", "meta", "logic_v1", "capabilities", "ignored", "agent/meta/logic_v1/capabilities"),
        (" WORLD ", "Fact!", "pi", "value", None, "world/fact/pi/value"),
        # users: the prefix is there once, wherever the id came from, and user_id wins
        ("user", "profile", "tuff", "x", None, "user/profile/user_tuff/x"),
        ("user", "profile", "user_tuff", "x", None, "user/profile/user_tuff/x"),
        ("user", "profile", None, "x", "user_tuff", "user/profile/user_tuff/x"),
        ("user", "profile", None, "x", "User-Tuff", "user/profile/user_tuff/x"),
        ("user", "profile", "ann", "x", "tuff", "user/profile/user_tuff/x"),
        ("user", "profile", "ann", "x", "", "user/profile/user_ann/x"),
        ("user", "profile", None, "x", "user", "user/profile/user_user/x"),
        ("user", "profile", None, "x", "Weiß", "user/profile/user_weiss/x"),
        ("user", "profile", None, "x", "WEISS", "user/profile/user_weiss/x"),
        # long ids: more than 48 characters of slug
        ("world", "fact", "a" * 48, "x", None, f"world/fact/{'a' * 48}/x"),
        ("world", "fact", "a" * 49, "x", None, f"world/fact/{'a' * 48}-1e666934/x"),
        ("world", "fact", "a!" * 24, "x", None, "world/fact/" + "_".join("a" * 24) + "/x"),
        ("world", "fact", LONG_A, "x", None, f"world/fact/{LONG_SLUG}-61397da1/x"),
        ("world", "fact", "中" * 48 + "b" * 49, "x", None, "world/fact/x-d9df4879/x"),
        ("world", "fact", "㎯" * 20, "x", None, f"world/fact/{'rad_s2' * 8}-8c48af87/x"),
        ("user", "profile", "u" * 48, "x", None, f"user/profile/user_{'u' * 48}/x"),
        ("user", "profile", "user_" + "u" * 48, "x", None, f"user/profile/user_{'u' * 48}/x"),
        ("user", "profile", "u" * 49, "x", None, f"user/profile/user_{'u' * 48}-f16bf916/x"),
        ("user", "profile", None, "x", f" user_{'U' * 49}!", f"user/profile/user_{'u' * 48}-f16bf916/x"),
        # no ASCII form
        ("world", "fact", "万有引力", "x", None, "world/fact/x-5f48c861/x"),
        ("world", "fact", "你好 世界!", "x", None, "world/fact/x-fc9ce487/x"),
        ("world", "fact", "🎉", "x", None, "world/fact/x-c20dbb2b/x"),
        ("user", "profile", "张伟", "x", None, "user/profile/user_x-4e999891/x"),
        ("user", "profile", None, "x", " user_张伟!", "user/profile/user_x-4e999891/x"),
        # an attribute is cut
        ("world", "fact", "pi", "v" * 70, None, f"world/fact/pi/{'v' * 64}"),
    ],
)
def test_generate(scope: str, entity_type: str, entity_id: str | None, attribute: str, user_id: str | None, key: str):
    assert generate_canonical_key(scope, entity_type, entity_id, attribute, user_id) == key
    assert valid_key(key)


REFUSED = {
    "scope": ["article", "", "世界", None],
    "entity_type": ["", "事实", "t" * 65, None],
    "entity_id_raw": ["", "  ", "!?", "＋＋", "“”", "\u200b", None, 5, "a\ud800"],
    "attribute_raw": ["", "---", "定义", None, "a\ud800"],
}


@pytest.mark.parametrize(("part", "value"), [(part, value) for part, values in REFUSED.items() for value in values])
def test_what_gives_no_key_is_refused(part, value):
    parts = {"scope": "world", "entity_type": "fact", "entity_id_raw": "pi", "attribute_raw": "value"}
    assert generate_canonical_key(**parts) == "world/fact/pi/value"
    with pytest.raises(ValueError):
        generate_canonical_key(**{**parts, part: value}, user_id="tuff")


@pytest.mark.parametrize(("raw", "user_id"), [(None, None), (None, " ! "), ("ann", "!"), ("ann", 7), ("!", None)])
def test_a_user_needs_an_id(raw, user_id):
    with pytest.raises(ValueError):
        generate_canonical_key("user", "profile", raw, "name", user_id)


def test_a_refusal_does_not_repeat_what_was_given():
    with pytest.raises(ValueError) as refusal:
        generate_canonical_key("secret scope", "x", "y", "z")
    assert "secret" not in str(refusal.value)


def test_piled_up_marks_are_refused_where_they_count_and_dropped_where_they_do_not():
    piled = "a" + "\u0301\u0323" * 20_000
    assert normalise(piled) == "a"
    assert fold_identity("a" + "\u0301" * 30) == "á" + "\u0301" * 29
    for text in (piled, "a" + "\uff9e\u0301" * 40):  # a half-width sound mark decomposes into a combining one
        with pytest.raises(ValueError):
            fold_identity(text)
        with pytest.raises(ValueError):
            place("world", "fact", text, "x", None, Registry().get)


def test_parse_key():
    key = parse_key("user/profile/user_tuff/favorite_color")
    assert key == Key("user", "profile", "user_tuff", "favorite_color")
    assert str(key) == "user/profile/user_tuff/favorite_color"


WRONG = """user/profile/user_tuff user/profile/user_tuff/a/b article/x/y/z users/x/y/z User/profile/user_tuff/a
user/pro-file/user_tuff/a user/profile/user_tuff/a-b user/profile//a user/profile/user_tuff/é world/fact/a/١"""
LINES = ["user/profile/user_tuff/a\n", "\nuser/profile/user_tuff/a", "user/profile/user_tuff/a "]
TOO_LONG = [f"world/fact/a/{'b' * 65}", f"world/fact/{'a' * 65}/b", f"world/{'f' * 65}/a/b"]


@pytest.mark.parametrize("key", [*WRONG.split(), *LINES, *TOO_LONG, "", b"world/fact/a/b", None])
def test_an_invalid_key_is_refused(key):
    assert not valid_key(key)
    with pytest.raises(ValueError):
        parse_key(key)
    with pytest.raises(ValueError):
        user_of_key(key)


WHOLE = """user user/ user/profile user/profile/user_tuff user/profile/user_tuff/ user/profile/user_tuff/name"""
OTHER = """user/prof user/profile/user_tu user/profile/user_tuff/nam world"""


def test_a_prefix_is_made_of_whole_components():
    for prefix in ("", *WHOLE.split()):
        assert prefix_matches("user/profile/user_tuff/name", prefix), prefix
    for prefix in OTHER.split():
        assert not prefix_matches("user/profile/user_tuff/name", prefix), prefix


@pytest.mark.parametrize(
    "prefix",
    ["us", "/", "/user", "user//", "user/profile/user_tuff/name/", "a/b/c/d", "user/%", "user/profile/*", None],
)
def test_what_is_no_prefix_is_refused(prefix):
    with pytest.raises(ValueError):
        check_prefix(prefix)


def test_the_first_identity_has_the_plain_key_and_the_second_the_suffix():
    registry = Registry()
    first = place("user", "profile", None, "name", "a_b", registry.get)
    registry.take(*first.register)
    second = place("user", "profile", None, "name", "a.b", registry.get)
    assert (first.key, first.collided) == ("user/profile/user_a_b/name", False)
    assert (second.key, second.slug) == ("user/profile/user_a_b-69f664/name", "user_a_b-69f664")
    assert second.collided and second.newly_collided
    registry.take(*second.register)
    for spelling in ("a.b", "A.B!", " user_a.b", "ａ.ｂ"):
        again = place("user", "profile", None, "name", spelling, registry.get)
        assert again.key == "user/profile/user_a_b-69f664/name"
        assert again.register == () and again.collided and not again.newly_collided


def test_the_registry_holds_hashes_and_one_slot_per_person():
    registry = Registry()
    registry.user(" TuFf!")
    assert registry == {"user/user_tuff": TUFF}
    other_type = place("user", "preference", "tuff", "theme", None, registry.get)
    assert (other_type.key, other_type.register) == ("user/preference/user_tuff/theme", ())


def test_spellings_of_one_identity_do_not_collide():
    registry = Registry()
    for spelling in ("Ohm's law", "OHM'S  LAW", "Ohm’s-law", "ohms_law", "Öhms law"):
        placement = place("world", "fact", spelling, "definition", None, registry.get)
        registry.take(*placement.register)
        assert (placement.key, placement.collided) == ("world/fact/ohms_law/definition", False)


def test_other_types_and_scopes_are_other_slots():
    registry = Registry()
    registry.take(*place("world", "fact", "a.b", "x", None, registry.get).register)
    for scope, entity_type in (("world", "article"), ("config", "fact")):
        assert place(scope, entity_type, "a-b", "x", None, registry.get).key == f"{scope}/{entity_type}/a_b/x"


def test_an_id_made_to_hit_anothers_suffix_gets_a_longer_one():
    registry = Registry()
    assert registry.user("a_b") == "user_a_b"
    assert registry.user("a.@%#b") == "user_a_b-664589"
    assert registry.user("a-./%b") == "user_a_b-664589f7d4"  # its hash begins with the same six digits
    assert registry.user("a.@%#b") == "user_a_b-664589"
    assert not same_user("a-./%b", "user/profile/user_a_b-664589/name", registry.get)


def test_an_identity_whose_every_key_is_taken_is_refused():
    registry = Registry({f"user/user_a_b{end}": "somebody" for end in ("", "-69f664", "-69f6642c9d")})
    with pytest.raises(ValueError):
        place_user("a.b", registry.get)


@pytest.mark.parametrize(
    ("scope", "raw", "taken", "slug"),
    [
        ("world", LONG_A, f"world/fact/{LONG_SLUG}-61397da1", f"{LONG_SLUG}-61397da1-ac6aeb"),
        ("user", "u" * 49, f"user/user_{'u' * 48}-f16bf916", f"user_{'u' * 48}-f16-f16bf9"),
    ],
)
def test_a_suffix_fits_behind_a_long_id(scope: str, raw: str, taken: str, slug: str):
    placement = place(scope, "fact", raw, "x", None, Registry({taken: "somebody"}).get)
    assert placement.key == f"{scope}/fact/{slug}/x"
    assert placement.newly_collided


@pytest.mark.parametrize(
    ("key", "user"),
    [
        ("user/profile/user_tuff/name", "user_tuff"),
        ("user/history/user_tuff/name", "user_tuff"),
        ("user/profile/user_a_b-69f664/name", "user_a_b-69f664"),
        ("user/profile/tuff/name", None),
        ("user/profile/user_/name", None),
        ("world/fact/user_tuff/name", None),
    ],
)
def test_user_of_key(key: str, user: str | None):
    assert user_of_key(key) == user


@pytest.mark.parametrize(
    ("user_id", "key", "same"),
    [
        ("a_b", "user/profile/user_a_b/name", True),
        ("user_A_B", "user/preference/user_a_b/name", True),
        ("a.b", "user/profile/user_a_b/name", False),
        ("a.b", "user/profile/user_a_b-69f664/name", True),
        ("a_b", "user/profile/user_a_b-69f664/name", False),
        ("a-b", "user/profile/user_a_b/name", False),
        ("a-b", "user/profile/user_a_b-69f664/name", False),
        ("a_b-69f664", "user/profile/user_a_b-69f664/name", False),
        ("a_b", "world/fact/user_a_b/name", False),
        ("a_b", "user/profile/a_b/name", False),
    ],
)
def test_same_user_goes_through_the_registry(user_id: str, key: str, same: bool):
    registry = Registry()
    registry.user("a_b")
    registry.user("a.b")
    assert same_user(user_id, key, registry.get) is same


def test_a_literal_key_keeps_its_seat_for_the_user_it_names():
    registry = Registry()
    claim = claim_of("user/profile/user_a_b/name")
    assert claim is not None and claim == Registration("user/user_a_b", identity_hash("a_b"))
    registry.take(claim)
    assert not same_user("a.b", "user/profile/user_a_b/name", registry.get)
    assert same_user("A_B", "user/profile/user_a_b/name", registry.get)


UNCLAIMED = """world/fact/ohms_law/definition user/profile/tuff/name user/profile/user_a__b/name
user/profile/user_user_tuff/name user/profile/user_a_b-69f664/name"""


@pytest.mark.parametrize("key", [*UNCLAIMED.split(), f"user/profile/user_{'u' * 59}/name"])
def test_a_literal_key_that_names_no_plain_user_claims_nothing(key: str):
    assert claim_of(key) is None


def test_reading_by_other_separators_finds_the_words_of_a_key_but_never_another_users():
    registry = Registry()
    registry.take(*place("world", "fact", "tcp ip", "definition", None, registry.get).register)
    ask = ("world", "fact", "TCP/IP", "definition", None, registry.get)
    assert key_to_read(*ask) == "world/fact/tcp_ip/definition"
    registry.take(*place(*ask).register)
    assert key_to_read(*ask) == "world/fact/tcp_ip-c56b3e/definition"
    registry.user("a_b")
    assert key_to_read("user", "profile", None, "name", "a.b", registry.get) == ("user/profile/user_a_b-69f664/name")


ANY = st.text(max_size=80)
NEAR = st.text(alphabet="aAbBßİ_-.!' user１é中\u0301\u200b", max_size=70)


@given(st.one_of(ANY, NEAR))
@example("user_user_")
@example("ŉ\u0345ͅ")
def test_normalising_and_folding_are_idempotent(text: str):
    assert normalise(normalise(text)) == normalise(text)
    assert fold_identity(fold_identity(text)) == fold_identity(text)


@given(st.sampled_from(SCOPES), st.one_of(ANY, NEAR), st.one_of(ANY, NEAR), st.one_of(ANY, NEAR))
def test_a_key_is_valid_or_refused(scope: str, entity_type: str, entity_id: str, attribute: str):
    try:
        key = generate_canonical_key(scope, entity_type, entity_id, attribute)
    except ValueError:
        return
    assert valid_key(key)
    assert len(key) <= 256
    assert key == generate_canonical_key(scope, entity_type, entity_id, attribute)


@given(st.one_of(ANY, NEAR))
@example("user user x")
@example("user-" + "中" * 43 + "a" * 60)
def test_a_users_id_has_its_prefix_once_and_one_form(user_id: str):
    try:
        key = generate_canonical_key("user", "profile", None, "name", user_id)
    except ValueError:
        return
    slug = parse_key(key).entity_id
    assert slug.startswith("user_") and not slug.startswith("user_user_")
    for spelling in (f"user_{user_id}", f" {user_id} ", f"{user_id}!", user_id.swapcase().swapcase()):
        if fold_identity(spelling) == fold_identity(user_id) and spelling:
            assert generate_canonical_key("user", "profile", None, "name", spelling) == key


@given(st.lists(NEAR, max_size=12))
def test_no_two_identities_ever_share_a_seat(user_ids: list[str]):
    registry = Registry()
    seats: dict[str, str] = {}
    for user_id in user_ids * 2:  # whatever came in between, everybody keeps the seat
        try:
            slug = registry.user(user_id)
        except ValueError:
            continue
        assert seats.setdefault(slug, fold_identity(user_id)) == fold_identity(user_id)
    assert len(set(seats.values())) == len(seats)
