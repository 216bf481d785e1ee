"""Names of things from end to end, on both engines: none overwrites or hides another, and a look changes nothing."""

import json
from typing import Any

import pytest

import places
from fact_helpers import DONE
from mace.core import canon
from mace.engine.runtime import Mace
from mace.memory.keys import name_hash

C = "world/fact/c/definition"
RITCHIE, STROUSTRUP, HEJLSBERG = "C is a language by Ritchie.", "C++ is by Stroustrup.", "C# is by Hejlsberg."


def line(name: str, value: str, attribute: str = "definition") -> str:
    said = {"scope": "world", "entity_type": "fact", "entity_id": name, "attribute": attribute, "value": value}
    return json.dumps(said)


def imported(m: Mace, *lines: str) -> None:
    assert m.import_facts(lines, "system_admin")["imported"] == len(lines)


def collisions(m: Mace) -> list[tuple[str, str]]:
    found = m._parts.world.store.read(lambda tx: tx.events.of_type("collision_event"))
    told = [canon.loads(event.body)["payload"] for event in found]
    return sorted((item["key"], item["other_key"]) for item in told)


def answers(m: Mace, *questions: str, user_id: str | None = None) -> list[str | None]:
    return [m.ask(question, user_id=user_id)["answer"] for question in questions]


def asked(m: Mace) -> list[str | None]:
    return answers(m, "What is C?", "What is C++?", "What is C#?")


def test_what_was_written_by_its_key_is_not_overwritten_by_a_name(place: places.Place):
    with place.open() as m:
        m.sem_put(C, RITCHIE, "system_admin")
        assert asked(m) == [RITCHIE, None, None]
        imported(m, line("C++", STROUSTRUP))
        assert asked(m) == [RITCHIE, STROUSTRUP, None]
        imported(m, line("C#", HEJLSBERG), line("C", RITCHIE, "by"))
        assert asked(m) == [RITCHIE, STROUSTRUP, HEJLSBERG]
        assert m.sem_get("world/fact/c/by")["value"] == RITCHIE
        assert collisions(m) == [("world/fact/c-372946/definition", C), ("world/fact/c-84a516/definition", C)]
        assert m.verify()["ok"]
    with place.open() as m:
        assert asked(m) == [RITCHIE, STROUSTRUP, HEJLSBERG]
        imported(m, line("C++", STROUSTRUP + " "), line("C", RITCHIE + " "))
        assert len(collisions(m)) == 2


def test_a_key_and_a_name_in_one_import_are_kept_apart(place: places.Place):
    with place.open() as m:
        imported(m, json.dumps({"key": C, "value": RITCHIE}), line("C++", STROUSTRUP))
        assert asked(m) == [RITCHIE, STROUSTRUP, None]
        assert collisions(m) == [("world/fact/c-372946/definition", C)]


def test_a_name_that_came_first_keeps_its_key(place: places.Place):
    with place.open() as m:
        imported(m, line("C++", STROUSTRUP))
        assert asked(m) == [None, STROUSTRUP, None]
        imported(m, line("C", RITCHIE), line("C#", HEJLSBERG))
        assert asked(m) == [RITCHIE, STROUSTRUP, HEJLSBERG]
        by_key = m.sem_put(C, STROUSTRUP + " 1985.", "system_admin")  # the key that C++ has: its next version
        assert by_key == {**DONE, "meta": {"named_otherwise": True}}
        assert asked(m) == [RITCHIE, STROUSTRUP + " 1985.", HEJLSBERG]


@pytest.mark.parametrize(
    "names", [["Boyles law", "Boyle's law"], ["Boyle’s law", "Boyle's law", "BOYLES-LAW"], ["C++"]]
)
def test_asking_for_a_key_changes_nothing(place: places.Place, names: list[str]):
    with place.open() as m:
        m.load_starter_facts()
        m.sem_put(C, RITCHIE, "system_admin")
        questions = ("What is Boyle's law?", "What is Boyle’s law?", "What is Boyles law?", "What is C?")
        before = answers(m, *questions)
        assert None not in before and len(set(before)) == 2
    held = place.content()
    with place.open() as m:
        keys = [m.key("world", "fact", name, "definition") for name in names]
        for name in names:
            m.key("world", "article", name, "summary")
        for key in keys:
            m.sem_get(key)
            m.sem_history(key)
            m.sem_resolve_alias(key)
    assert place.content() == held
    with place.open(read_only=True) as m:
        assert [m.key("world", "fact", name, "definition") for name in names] == keys
    with place.open() as m:
        assert answers(m, *questions) == before
        assert collisions(m) == []


def test_apostrophes_do_not_split_a_thing(place: places.Place):
    with place.open() as m:
        imported(m, line("Hooke's law", "F = k x"))
        keys = [m.key("world", "fact", name, "definition") for name in ("Hooke's law", "Hooke’s law", "Hookes law")]
        assert keys == ["world/fact/hookes_law/definition"] * 3
        imported(m, line("Hooke’s law", "F = k x."), line("hookes law", "F = - k x"))
        assert collisions(m) == []
        told = answers(m, "What is Hooke's law?", "What is Hooke’s law?", "What is Hookes law?")
        assert [str(answer).endswith("F = - k x") for answer in told] == [True] * 3


def test_apostrophes_do_not_split_a_person(place: places.Place):
    key = "user/profile/user_obrien/favorite_color"
    with place.open() as m:
        for number, user_id in enumerate(("o'brien", "o’brien", "O'BRIEN", "obrien")):
            assert m.sem_put(key, f"blue {number}", "user", user_id=user_id) == DONE
        assert answers(m, "what is my favorite color?", user_id="o’brien") == ["Your favorite color is blue 3."]
        assert m.sem_put(key, "red", "user", user_id="o.brien")["error_code"] == "PERMISSION_DENIED"


def test_a_name_reads_a_key_that_differs_by_separators_only(place: places.Place):
    with place.open() as m:
        m.sem_put("world/fact/tcp_ip/definition", "TCP/IP is a suite of protocols.", "system_admin")
        m.sem_put("world/fact/at_t/definition", "At t is a moment.", "system_admin")
        assert answers(m, "What is TCP/IP?", "What is AT&T?") == ["TCP/IP is a suite of protocols.", None]
        assert m.key("world", "fact", "TCP/IP", "definition") == "world/fact/tcp_ip/definition"
        imported(m, line("TCP/IP", "Another text."))  # stored under a name of its own it is apart
        assert answers(m, "What is TCP/IP?", "What is tcp ip?") == ["Another text.", "TCP/IP is a suite of protocols."]
        ((own, other),) = collisions(m)
        assert (own.startswith("world/fact/tcp_ip-"), other) == (True, "world/fact/tcp_ip/definition")


def test_keys_that_were_asked_for_and_written_elsewhere_are_found_by_their_names(place: places.Place):
    """Who is told a key by the command line writes it as it stands, in another process."""
    with place.open() as m:
        m.sem_put(C, RITCHIE, "system_admin")
        told = json.loads(json.dumps(m.key("world", "fact", "C++", "definition")))
    with place.open() as m:
        assert m.sem_put(told, STROUSTRUP, "system_admin") == DONE
        assert m.sem_put(told, STROUSTRUP, "system_admin") == DONE
        assert collisions(m) == [(told, C)]
        assert m.key("world", "fact", "C++", "definition") == told
        assert asked(m) == [RITCHIE, STROUSTRUP, None]
        assert m.verify()["ok"]


def test_two_names_for_one_key_are_both_stored_and_the_collision_names_both(place: places.Place):
    with place.open() as m:
        first = m.key("world", "article", "Intro: Part 1", "summary")
        assert m.sem_put(first, "one", "system_admin") == DONE
        second = m.key("world", "article", "Intro (Part 1)", "summary")
        assert (first, second) == ("world/article/intro_part_1/summary", "world/article/intro_part_1-95c0e6/summary")
        assert collisions(m) == []
        assert m.sem_put(second, "two", "system_admin") == DONE
        assert collisions(m) == [(second, first)]
        assert [m.sem_get(key)["value"] for key in (first, second)] == ["one", "two"]


def test_two_long_titles_that_share_their_beginning_name_each_other(place: places.Place):
    titles = ["How blockchains work " * 9 + end for end in ("for everyone", "for nobody")]
    with place.open() as m:
        keys = [m.key("world", "article", title, "summary") for title in titles]
        assert [m.sem_put(key, "x", "system_admin") for key in keys] == [DONE, DONE]
        assert collisions(m) == [(keys[1], keys[0])]
        assert [m.key("world", "article", title, "summary") for title in titles] == keys


def test_british_and_american_spellings_are_one_in_questions(place: places.Place):
    with place.open() as m:
        told = answers(m, "My favourite tree is ash", "My favorite tree is elm", user_id="ana")
        assert None not in told
        questions = ("what is my favourite tree?", "what is my favorite tree?", "what is my fave tree?")
        assert answers(m, *questions, user_id="ana") == ["Your favorite tree is elm."] * 3
        assert m.sem_list("user/profile/user_ana", "system_admin") == ["user/profile/user_ana/favorite_tree"]


@pytest.mark.parametrize("attribute", ["favourite_tree", "fave_tree", "favorite_tree"])
def test_what_is_written_by_key_is_found_by_questions_and_the_other_way_round(place: places.Place, attribute: str):
    key = f"user/profile/user_ana/{attribute}"
    with place.open() as m:
        assert m.sem_put(key, "ash", "user", user_id="ana")["success"]
        assert answers(m, "what is my favourite tree?", user_id="ana") == ["Your favorite tree is ash."]
        answers(m, "My favourite tree is elm", user_id="ana")
        assert answers(m, "what is my favorite tree?", user_id="ana") == ["Your favorite tree is elm."]
        assert m.sem_list("user/profile/user_ana", "system_admin") == [key]  # one thing stays in one place
        assert m.sem_get(key)["value"] == "elm"
        m.sem_put(key, "oak", "user", user_id="ana")  # what was written last counts, whatever it is called
        assert answers(m, "what is my favourite tree?", user_id="ana") == ["Your favorite tree is oak."]


def test_keys_stay_as_they_are_written(place: places.Place):
    with place.open() as m:
        assert m.key("user", "profile", None, "favourite colour", "ana") == "user/profile/user_ana/favourite_colour"
        put: Any = m.sem_put("user/profile/user_ana/favourite_colour", "red", "user", user_id="ana")
        assert put == {**DONE, "meta": {"canonical_key": "user/profile/user_ana/favorite_color"}}
        assert not m.sem_get("user/profile/user_ana/favorite_color")["exists"]
        assert m.sem_get("user/profile/user_ana/favourite_colour")["value"] == "red"


def test_an_alias_is_found_with_its_article_or_without_and_in_either_spelling(place: places.Place):
    key = "world/fact/ana_ruiz/definition"
    with place.open() as m:
        m.sem_put(key, "Ana Ruiz leads the house.", "system_admin")
        m.sem_add_alias("the chief", key, "system_admin")
        m.sem_add_alias("house colour", key, "system_admin")
        told = answers(m, "What is the chief?", "What is the house color?", "Define house colour")
        assert told == ["Ana Ruiz leads the house."] * 3
        phrases = ("the chief", "chief", "a chief", "house color", "the house colour", "my chief")
        assert [m.sem_resolve_alias(phrase) for phrase in phrases] == [key] * 5 + [None]


def test_a_phrase_in_another_spelling_names_nobody_when_nobody_asks(place: places.Place):
    with place.open() as m:
        assert m.sem_resolve_alias("favourite colour") is None
        assert m.sem_resolve_alias("fave colour") is None
        assert m.sem_resolve_alias("fave colour", "ana") == "user/profile/user_ana/favorite_color"


def test_questions_about_names_replay(place: places.Place):
    with place.open() as m:
        m.sem_put(C, RITCHIE, "system_admin")
        imported(m, line("C++", STROUSTRUP))
        m.sem_put("user/profile/user_ana/favourite_tree", "ash", "user", user_id="ana")
        jobs = [m.ask(question)["job_id"] for question in ("What is C?", "What is C++?", "What is C#?")]
        jobs.append(m.ask("what is my favorite tree?", user_id="ana")["job_id"])
        jobs.append(m.ask("My fave tree is elm", user_id="ana")["job_id"])
        imported(m, line("C#", HEJLSBERG))
        m.sem_put("user/profile/user_ana/favourite_tree", "oak", "user", user_id="ana")
        assert [m.replay(job)["result"] for job in jobs] == ["MATCH"] * len(jobs)


# What a slot is taken by is on the ledger: whoever changes the tables alone is found


def kinds(m: Mace) -> set[tuple[str, Any]]:
    return {(item["kind"], item["where"].get("table")) for item in m.verify()["findings"]}


@pytest.mark.breaks_its_store
def test_a_forged_entry_gives_a_name_nothing_and_is_found(place: places.Place):
    with place.open() as m:
        m.sem_put(C, RITCHIE, "system_admin")
        kept = m._parts.world.slots.hidden
        with place.sql() as sql:
            sql("insert into key_registry values (?, ?)", ("world/fact/c", kept(name_hash("C++"))))
        assert m.key("world", "fact", "C++", "definition") == "world/fact/c-372946/definition"
        assert asked(m) == [RITCHIE, None, None]
        assert m.sem_put(C, RITCHIE + " 1972.", "system_admin") == DONE
        assert kinds(m) == {("ROW_UNNAMED", "key_registry")}


@pytest.mark.breaks_its_store
def test_an_index_that_hides_or_invents_a_write_is_found(place: places.Place):
    with place.open() as m:
        m.sem_put(C, RITCHIE, "system_admin")
        with place.sql() as sql:
            sql("delete from event_subjects where subject = ?", (f"sem_history/{C}",))
        assert m.key("world", "fact", "C++", "definition") == "world/fact/c-372946/definition"  # the row is left
        assert ("SUBJECTS_CHANGED", "event_subjects") in kinds(m)


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("attack", ["delete from key_registry", "update key_registry set identity = 'x'"])
def test_an_entry_that_is_gone_or_changed_stops_the_name(place: places.Place, attack: str):
    with place.open() as m:
        m.sem_put(C, RITCHIE, "system_admin")
        imported(m, line("C++", STROUSTRUP))
        with place.sql() as sql:
            sql(f"{attack} where slot = ?", ("world/fact/c-372946",))
        assert asked(m)[:2] == [RITCHIE, None]
        kind = "RECORD_MISSING" if attack.startswith("delete") else "RECORD_CHANGED"
        assert (kind, "key_registry") in kinds(m)
