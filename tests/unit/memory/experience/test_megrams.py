"""A Megram by the text: the matrix exactly, what is refused, tags and ids."""

import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.core.errors import InvalidInput
from mace.memory.experience import megrams
from mace.memory.experience.megrams import MATRIX, intent_slug, macro_tags, micro_tags, read_new, to_us

GOOD = {"space": "tool:shell", "entity": "path:/tmp/a", "content": "it worked", "state": "accept"}
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("state", "f", "sigma", "k"),
    [
        ("abandon", 0.95, -1.0, 0.05),
        ("accept", 0.90, 1.0, 0.05),
        ("change_approach", 0.85, -1.0, 0.05),
        ("success", 0.80, 1.0, 0.05),
        ("break_symmetry", 0.75, 1.0, 0.05),
        ("change_path", 0.30, 0.0, 0.2),
        ("refine", 0.10, 0.5, 0.5),
    ],
)
def test_the_matrix_is_that_of_the_text(state: str, f: float, sigma: float, k: float):
    assert MATRIX[state] == (f, sigma, k)


def test_the_matrix_has_no_other_state_and_cannot_be_changed():
    assert len(MATRIX) == 7
    assert {quanta.k for quanta in MATRIX.values()} == set(megrams.DECAYS)
    with pytest.raises(TypeError):
        MATRIX["accept"] = megrams.Quanta(1.0, 1.0, 0.05)  # type: ignore[index]


# What callers give


def test_what_is_in_order_is_taken_as_it_is():
    read = read_new({**GOOD, "created_at": "2026-03-01T13:00:00.123456+01:00"})
    assert (read.space, read.entity, read.content, read.state) == tuple(GOOD.values())
    assert read.created_us == to_us(NOON)
    assert read_new(GOOD).created_us is None
    assert read_new({**GOOD, "created_at": None}).created_us is None
    assert read_new({**GOOD, "content": ""}).content == ""


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"f": 1.0}, "f, sigma and k follow"),
        ({"sigma": -1.0}, "f, sigma and k follow"),
        ({"k": 0.0}, "f, sigma and k follow"),
        ({"level": "C"}, "the field 'level'"),
        ({"id": "x"}, "the field 'id'"),
        ({"state": "init"}, "state must be"),
        ({"state": "Accept"}, "state must be"),
        ({"state": "negative_feedback"}, "state must be"),
        ({"state": "best_practice"}, "state must be"),
        ({"state": None}, "state must be"),
        ({"state": ["accept"]}, "state must be"),
        ({"space": ""}, "space must be"),
        ({"space": " \t"}, "space must be"),
        ({"space": None}, "space must be"),
        ({"space": 5}, "space must be"),
        ({"space": "x" * 1025}, "space must be"),
        ({"space": "a\x00b"}, "space must not contain"),
        ({"space": "a\nb"}, "space must not contain"),
        ({"entity": ""}, "entity must be"),
        ({"entity": b"path:a"}, "entity must be"),
        ({"entity": "x" * 1025}, "entity must be"),
        ({"entity": "\ud800"}, "entity must not contain"),
        ({"content": None}, "content must be"),
        ({"content": 7}, "content must be"),
        ({"content": {"a": 1}}, "content must be"),
        ({"content": "x" * 8001}, "content must be"),
        ({"content": "a\x00"}, "content must not contain"),
        ({"content": "\udfff"}, "content must not contain"),
        ({"created_at": ""}, "created_at must be"),
        ({"created_at": "yesterday"}, "created_at must be"),
        ({"created_at": "2026-03-01T12:00:00"}, "created_at must be"),  # no zone
        ({"created_at": datetime(2026, 3, 1)}, "created_at must be"),
        ({"created_at": 1_700_000_000}, "created_at must be"),
        ({"created_at": True}, "created_at must be"),
        ({"created_at": "1969-12-31T23:59:59Z"}, "created_at must be"),
        ({"created_at": "9999-12-31T23:59:59-01:00"}, "created_at must be"),  # no such instant in UTC
    ],
)
def test_what_is_not_in_order_is_refused_by_name(change: dict[str, Any], named: str):
    with pytest.raises(InvalidInput, match=named):
        read_new({**GOOD, **change})


@pytest.mark.parametrize("given", [None, [], "accept", 5, [("state", "accept")]])
def test_a_megram_is_an_object(given: Any):
    with pytest.raises(InvalidInput, match="must be a dict"):
        read_new(given)


@pytest.mark.parametrize("missing", ["space", "entity", "content", "state"])
def test_nothing_may_be_missing(missing: str):
    with pytest.raises(InvalidInput, match=missing):
        read_new({name: value for name, value in GOOD.items() if name != missing})


def test_limits_are_inclusive():
    assert len(read_new({**GOOD, "space": "x" * 1024, "content": "y" * 8000}).content) == 8000
    assert read_new({**GOOD, "created_at": "1970-01-01T00:00:00Z"}).created_us == 0


# Tags


@pytest.mark.parametrize(
    ("intent", "slug"),
    [
        ("DB migration task for the shop", "db_migration_task"),
        ("Deploy", "deploy"),
        ("  Deploy   the\tshop\nnow ", "deploy_the_shop"),
        ("deploy, the: shop!", "deploy_the_shop"),
        ("- -- deploy ... the shop", "deploy_the_shop"),  # what has no letter is no word
        ("Don't panic", "dont_panic"),
        ("İstanbul", "i̇stanbul"),
        ("清理 日志 文件 吧", "清理_日志_文件"),
        ("清理旧的日志文件", "清理旧的日志文件"),
        ("हिन्दी में लिखो जल्दी", "हिन्दी_में_लिखो"),  # vowel signs stay: हद is another word
        ("نظّف ملفات السجل القديمة", "نظّف_ملفات_السجل"),
        ("Очистить старые Журналы", "очистить_старые_журналы"),
        ("ログ を 消す", "ログ_を_消す"),
        ("3 ٣ ३", "3_٣_३"),
        ("caf\u0065\u0301 au lait", "cafe\u0301 au lait".replace(" ", "_").replace("e\u0301", "é")),
    ],
)
def test_the_first_three_words_in_every_script(intent: str, slug: str):
    assert intent_slug(intent) == slug


@pytest.mark.parametrize(
    "intent", ["", "   ", "!!!", "🎉🎉", "❤️", "☀️ ☁️", "→ ← ↑", "👩‍👩‍👧", "\u0301", "…", "٪؟", "\ud800"]
)
def test_without_a_word_it_is_a_hash(intent: str):
    slug = intent_slug(intent)
    assert slug.startswith("x-")
    assert len(slug) == 18


def test_two_intents_without_a_word_do_not_share_a_bucket():
    intents = ["", "!!!", "???", "🎉", "🎊", "❤️", "☀️", "→", "←"]
    assert len({intent_slug(intent) for intent in intents}) == len(intents)


@given(st.text())
def test_a_slug_is_fit_for_a_tag_and_a_hash_only_without_a_word(intent: str):
    space, entity = macro_tags(intent)
    assert entity == "env:local"
    assert megrams.read_pair(space, entity) == (space, entity)
    worded = any(unicodedata.category(character)[0] in "LN" for character in intent.lower())
    assert (intent_slug(intent) == f"x-{sha256(intent.encode()).hexdigest()[:16]}") is not worded


def test_a_very_long_word_keeps_its_beginning_and_a_hash():
    one, other = intent_slug("好" * 300), intent_slug("好" * 301)
    assert one != other
    assert len(one) == len(other) == 217


@pytest.mark.parametrize(
    ("tool", "target"), [("shell", "rm -rf /tmp/a"), ("read_file", "C:\\x:y"), ("http_get", "http://a:80/%20")]
)
def test_a_target_keeps_its_characters(tool: str, target: str):
    assert micro_tags(tool, target) == (f"tool:{tool}", f"path:{target}")


def test_targets_that_do_not_fit_stay_apart():
    long = "x" * 2000
    tags = {
        micro_tags("shell", target)[1] for target in (long, long + "y", "a\nb", "a b", "a\rb", "a\ud800", "a\udc00")
    }
    assert len(tags) == 7
    assert all(megrams.read_pair("tool:shell", tag) for tag in tags)


# Ids


def test_ids_sort_as_instants_do():
    instants = [NOON + timedelta(microseconds=1) * step for step in (0, 1, 999_999, 10**12, 10**14)]
    ids = [megrams.megram_id(to_us(instant), "s/1") for instant in instants]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert megrams.megram_id(0, "s/1") != megrams.megram_id(0, "s/11")


@given(st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30)), st.integers(-1439, 1439))
def test_an_instant_comes_back_to_the_microsecond(naive: datetime, offset: int):
    instant = naive.replace(tzinfo=timezone(timedelta(minutes=offset)))
    read = read_new({**GOOD, "created_at": instant}).created_us
    assert read is not None
    assert megrams.from_us(read) == instant
    assert read_new({**GOOD, "created_at": megrams.iso_of(read)}).created_us == read
    assert int(megrams.megram_id(read, "x")[:16], 16) == read
