"""The scorer for conversations: stems, neighbours, speakers, times, a second look; and that it is deterministic."""

import json
import os
import subprocess
import sys
import time

import pytest

from context_reference import context_package
from mace.memory import context
from mace.memory.context.english import FORMS, stem, words_of
from mace.memory.context.phase7_query import probes, query_of, turn_of
from mace.memory.context.request import parse_request
from mace.storage.jsonl import JsonlStores


@pytest.mark.parametrize(
    "forms",
    [
        "run runs running ran",
        "buy buys buying bought",
        "study studies studied studying",
        "plan plans planned planning",
        "hike hikes hiked hiking",
        "paint paints painted painting painter",
        "celebrate celebrated celebration celebrations",
        "adopt adopted adopting adoption",
        "party parties",
        "child children",
        "travel traveled travelled traveling travelling",
        "photo photos photograph picture pictures",
        "engage engaged engagement",
        "box boxes",
        "happy happily happiness",
    ],
)
def test_forms_of_a_word_share_a_stem(forms):
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("left", "right"),
    [("sing", "sin"), ("bus", "bu"), ("class", "clas"), ("need", "ne"), ("king", "k"), ("日本", "日")],
)
def test_other_words_keep_theirs(left, right):
    assert stem(left) != stem(right)


def test_every_form_of_a_word_contains_one_of_its_probes():
    words = [form for forms in FORMS.values() for form in forms]
    words += [
        "parties",
        "studied",
        "hiking",
        "boxes",
        "celebrations",
        "daddies",
        "photographs",
        "running",
        "stopped",
        "happily",
        "wives",
    ]
    for word in words:
        assert any(probe in word for probe in probes(stem(word))), word


def test_words_lose_their_possessive():
    assert words_of("Alice's DOG, don’t-care 2nd_try") == ["alice", "dog", "dont", "care", "2nd", "try"]


@pytest.mark.parametrize(
    ("text", "tags", "speaker", "question"),
    [
        ("Ana: did you go?", (), "ana", True),
        ("Did you: go", (), "did you", False),
        ("no speaker here", ("speaker:bo",), "bo", False),
        ("at 10:30 we met", (), "", False),
        ("https://example.org", (), "", False),
        ("[8 May 2023] Ana: did you go?", (), "ana", True),
        ("(session 3) Bo Li: no", (), "bo li", False),
        ('Ana said, "I went there"', (), "ana", False),
        ("Ana said no", (), "", False),
        ("[a note] without a speaker", (), "", False),
    ],
)
def test_a_turn_knows_who_speaks_and_whether_it_asks(text, tags, speaker, question):
    turn = turn_of(text, tags)
    assert (turn.speaker, turn.is_question) == (speaker, question)


def query(text, **more):
    base = {"query": text, "store_paths": ["s"], "budget": {"max_excerpt_tokens": 1}}
    return query_of(parse_request(base | more))


def test_a_query_is_its_stems_and_times():
    found = query("When did Ana go hiking in May 2023?")
    assert set(found.weights) == {"ana", "go", "hik", "2023", "@2023", "@2023-05"} | ({"may"} & set(found.weights))
    assert found.wants_time
    assert not found.wants_number
    assert query("How many dogs?").wants_number
    assert set(query("what is it").weights) == {stem("what"), stem("is"), stem("it")}
    assert set(query("ignored", scoring={"query_terms": ["Red apples"]}).weights) == {"red", "appl"}


@pytest.mark.parametrize(
    ("text", "own"),
    [("What bank do I use?", True), ("what is our plan", True), ("Where does Ana bank?", False), ("an illness", False)],
)
def test_a_query_and_a_turn_know_whether_they_are_in_the_first_person(text, own):
    assert query(text).is_about_self is own
    assert turn_of(text, ()).is_about_self is own


def ask(tmp_path, turns, text, **more):
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    request = {
        "query": text,
        "store_paths": [str(path)],
        "budget": {"max_excerpt_tokens": 10_000, "max_items": 1000},
        "controller_version": "phase7-v1",
    } | more
    return context.read(request, JsonlStores(context, None, time.time_ns))


def talk(*texts, day="2024-03-01"):
    return [
        {"memory_id": f"{day}-{at}", "text": text, "ts_utc": f"{day}T10:{at:02d}:00Z"} for at, text in enumerate(texts)
    ]


GOLDEN = {
    "phase6-v1": "9fbd5216b499565ba7eb15420d3f416a9e795ff577d629b264209b1d9336e259",
    "phase7-v1": "e2003a13f9a332940607a631d5e8f0c993eeecdf84b8df5b93c61b7117b2aa60",
}
FILLER = [f"Bo: nothing special number {at}, the weather is fine" for at in range(20)]


def best(package, count=1):
    return [item["excerpt"] for item in package.selected[:count]]


def test_another_form_of_the_word_is_found(tmp_path):
    turns = talk(*FILLER[:9], "Ana: I bought a kayak", *FILLER[9:])
    assert best(ask(tmp_path, turns, "What did Ana buy?")) == ["Ana: I bought a kayak"]


def test_the_answer_follows_its_question(tmp_path):
    turns = talk(*FILLER[:9], "Bo: what did you bring from the harbor?", "Ana: a lamp", *FILLER[9:])
    assert best(ask(tmp_path, turns, "What was brought from the harbor?"), 2)[1] == "Ana: a lamp"


def test_another_talk_is_no_neighbour(tmp_path):
    turns = talk("Bo: what about the harbor?") + talk("Ana: a lamp", *FILLER, day="2024-05-01")
    selected = ask(tmp_path, turns, "harbor").selected
    assert [item["score"] > 0 for item in selected if item["excerpt"] == "Ana: a lamp"] == [False]


def test_the_speaker_who_is_named_comes_first(tmp_path):
    turns = talk("Bo: I painted a horse", *FILLER[:9], "Ana: I painted a horse", *FILLER[9:])
    assert best(ask(tmp_path, turns, "What has Ana painted?")) == ["Ana: I painted a horse"]
    assert best(ask(tmp_path, turns, "What has Bo painted?")) == ["Bo: I painted a horse"]


def test_the_month_that_is_named_comes_first(tmp_path):
    turns = talk("Ana: I went hiking", *FILLER, day="2023-04-02") + talk(
        "Ana: I went hiking", *FILLER, day="2023-06-02"
    )
    first = ask(tmp_path, turns, "Where did Ana hike in April 2023?").selected[0]
    assert first["memory_id"] == "2023-04-02-0"
    first = ask(tmp_path, turns, "Where did Ana hike in June 2023?").selected[0]
    assert first["memory_id"] == "2023-06-02-0"


def test_the_second_look_follows_a_name(tmp_path):
    turns = talk(
        "Ana: my sister Rosa moved, Rosa is far away now",
        *FILLER[:10],
        "Ana: my sister Rosa called",
        *FILLER[10:],
        "Ana: by the way Rosa plays the cello",
    )
    package = ask(tmp_path, turns, "What does the sister of Ana do?")
    assert "Ana: by the way Rosa plays the cello" in best(package, 6)


def test_who_asks_about_themselves_finds_what_they_said_of_themselves(tmp_path):
    turns = talk(*FILLER, "A bank may ask for papers.", *FILLER[:9], "My bank is Halden, what papers?", *FILLER[:9])
    assert best(ask(tmp_path, turns, "Which bank am I with?")) == ["My bank is Halden, what papers?"]


def test_what_is_said_again_and_again_leads_nowhere(tmp_path):
    """The second look takes a repeated text once, and no common words from it."""
    turns = talk(*["Bo: my car is too loud, can you hear the engine"] * 12, "Bo: the engine of the boat", *FILLER)
    package = ask(tmp_path, turns, "car keys")
    assert all("too" not in item["second_look_terms"] for item in context.explain(package)["selected"])
    assert best(package) == ["Bo: my car is too loud, can you hear the engine"]


def test_packages_of_both_scorers_are_these(tmp_path, monkeypatch):
    """Golden: a scorer's version is a promise. `phase6-v1` never changes; a change of `phase7-v1` is a new version."""
    monkeypatch.chdir(tmp_path)
    turns = talk(
        "Ana: We went to Oslo in May, it was cold.", "Bo: Who came along?", "Ana: My sister Rosa.", *FILLER[:5]
    )
    turns += talk("Bo: Rosa sent 3 letters last week", "Ana: She writes like I do!", day="2024-05-02")
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns) + "broken\n")
    found = {}
    for version in ("phase6-v1", "phase7-v1"):
        request = {
            "query": "Who went with Ana to Oslo in May 2024?",
            "store_paths": ["s.jsonl"],
            "budget": {"max_excerpt_tokens": 40},
            "controller_version": version,
        }
        found[version] = context.read(request, JsonlStores(context, None, time.time_ns)).package_hash
        if version == "phase6-v1":
            assert context_package(request)["package_hash"] == found[version]
    assert found == GOLDEN


def test_all_candidates_are_in_the_package_once(tmp_path):
    turns = talk(*FILLER, "Ana: hello")
    package = ask(tmp_path, turns, "weather", budget={"max_excerpt_tokens": 40})
    names = [item["memory_id"] for item in package.selected + package.dropped]
    assert sorted(names) == sorted(turn["memory_id"] for turn in turns)
    assert package["controller_version"] == "phase7-v1"


def test_denied_turns_lend_nothing_of_themselves_to_the_package(tmp_path):
    turns = talk(*FILLER[:5], "Ana: the secret harbor", *FILLER[5:])
    trust = tmp_path / "trust.json"
    trust.write_text(json.dumps({"items": [{"memory_id": "2024-03-01-5", "classification": "malicious"}]}))
    package = ask(tmp_path, turns, "harbor", trust_filter={"trust_snapshot_path": str(trust)})
    assert "2024-03-01-5" not in [item["memory_id"] for item in package.selected]
    assert package.dropped_summary()["trust_denied"] == 1


def test_recency_and_tags_count(tmp_path):
    turns = [
        {"memory_id": "old", "text": "apple", "ts_utc": "2020-01-01T00:00:00Z"},
        {"memory_id": "new", "text": "apple", "ts_utc": "2024-01-01T00:00:00Z"},
        {"memory_id": "tag", "text": "pear", "tags": ["Apples"], "ts_utc": "2019-01-01T00:00:00Z"},
        {"memory_id": "none", "text": "pear"},
    ]
    scoring = {"enable_recency_weight": True}
    package = ask(tmp_path, turns, "apples", scoring=scoring, now_utc="2024-01-01T00:00:00Z")
    assert package.selected[0]["memory_id"] == "new"
    scores = {item["memory_id"]: item["score"] for item in package.selected}
    assert scores["tag"] > 0
    without = ask(tmp_path, turns, "apples", scoring={"enable_tag_overlap": False})
    assert {item["memory_id"]: item["score"] for item in without.selected}["tag"] == 0


def test_the_explanation_names_stems_near_and_far(tmp_path):
    turns = talk(*FILLER[:9], "Bo: what did you bring from the harbor?", "Ana: a lamp", *FILLER[9:])
    said = context.explain(ask(tmp_path, turns, "What was brought from the harbor?"))
    first, second = said["selected"][:2]
    assert set(first["terms"]) == {"bring", "harbor"}
    assert second["nearby_terms"] == ["bring", "harbor"]


def test_hash_seed_and_store_order_change_nothing(tmp_path):
    for name in ("a", "b"):
        turns = talk(
            *FILLER,
            f"Ana: Rosa bought a {name} lamp",
            "Bo: which lamp?",
            "Ana: the red one",
            day=f"2024-0{len(name)}-03",
        )
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    script = (
        "import sys, time\n"
        "from mace.memory import context\n"
        "from mace.storage.jsonl import JsonlStores\n"
        "request = {'query': 'What lamp did Rosa buy?', 'store_paths': sys.argv[1:],"
        " 'budget': {'max_excerpt_tokens': 90}, 'controller_version': 'phase7-v1'}\n"
        "print(context.read(request, JsonlStores(context, None, time.time_ns)).package_hash)\n"
    )
    paths = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    seen = {
        subprocess.run(
            [sys.executable, "-c", script, *order],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed, order in (("0", paths), ("1", paths[::-1]), ("77", paths))
    }
    assert len(seen) == 1
