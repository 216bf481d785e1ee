"""Facts forged, taken away and put back without a key: never served, never written on, always found."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import attacks
import places
import services
from mace.core.errors import IntegrityFailure
from mace.engine.runtime import Mace

KEY = "world/fact/oslo/population"
NEVER = "world/fact/oslo/mayor"
LIST = "mace/config/agents/allowed_writes"
MINE = "user/profile/user_ada/favorite_food"
LIE = b'{"meta":{},"notes":null,"value":666}'
EXACT = "I’m temporarily unable to trust my past data; ops team will check."
NEWEST = "select max(version) from sem_history where fact_key = ?"

_bases: dict[str, places.Place] = {}


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> places.Place:
    kind: str = request.param
    if kind not in _bases:
        root = tmp_path_factory.mktemp(f"facts-{kind}")
        if kind == "sqlite":
            base: places.Place = places.SqlitePlace(root)
        else:
            databases: services.Databases = request.getfixturevalue("databases")
            base = places.PostgresPlace(root, databases)
        with base.open() as m:
            m.sem_put(KEY, 600_000, "system_admin")
            m.sem_put(KEY, 700_000, "system_admin")
            m.sem_put(MINE, "waffles", "user", user_id="ada")
            m.sem_put(LIST, ["helper"], "system_admin")
            m.sem_put(LIST, [], "system_admin")
        services.keep_database(base.settings.location)
        _bases[kind] = base
    return attacks.copy_of(_bases[kind], tmp_path / "copy")


def forge_history(sql: places.Sql, key: str, content: bytes, *, applied: int = 1, key_ref: str = "key_ref") -> None:
    sql(
        f"insert into sem_history select fact_key, version + 1, ?, {key_ref}, source, actor, written_at, value_hash, "
        f"{applied}, 0, stream from sem_history where fact_key = ? order by version desc limit 1",
        (content, key),
    )


def forge(sql: places.Sql, key: str, content: bytes = LIE, *, key_ref: str = "key_ref") -> None:
    forge_history(sql, key, content, key_ref=key_ref)
    sql(f"update facts set version = version + 1, content = ?, key_ref = {key_ref} where fact_key = ?", (content, key))


def forge_new(sql: places.Sql) -> None:
    sql(
        "insert into sem_history select ?, 1, ?, key_ref, source, actor, written_at, value_hash, 1, 0, stream "
        "from sem_history where fact_key = ? and version = 1",
        (NEVER, LIE, KEY),
    )
    sql(
        "insert into facts select ?, 1, ?, key_ref, source, written_at, 0 from facts where fact_key = ?",
        (NEVER, LIE, KEY),
    )


def forge_current(sql: places.Sql) -> None:
    sql(
        "insert into facts select ?, 1, ?, key_ref, source, written_at, 0 from facts where fact_key = ?",
        (NEVER, LIE, KEY),
    )


def roll_back(sql: places.Sql, key: str) -> None:
    """The older row, which was signed for, stands again, and nothing of the newer one is left."""
    newest = sql(NEWEST, (key,))[0][0]
    sql("delete from sem_history where fact_key = ? and version = ?", (key, newest))
    sql(
        "update facts set version = ?, content = (select content from sem_history where fact_key = ? and version = ?) "
        "where fact_key = ?",
        (newest - 1, key, newest - 1, key),
    )


def take_all(sql: places.Sql) -> None:
    sql("delete from facts where fact_key = ?", (KEY,))
    sql("delete from sem_history where fact_key = ?", (KEY,))


Attack = Callable[[places.Sql], None]
ATTACKS: dict[str, tuple[str, Attack, list[tuple[str, str]]]] = {
    "a newer row": (KEY, lambda sql: forge(sql, KEY), [("ROW_UNNAMED", "sem_history")]),
    "a key that never was": (NEVER, forge_new, [("ROW_UNNAMED", "sem_history")]),
    "a current row without a history": (NEVER, forge_current, [("RECORD_CHANGED", "facts")]),
    "a person's, not sealed": (
        MINE,
        lambda sql: forge(sql, MINE, b'{"meta":{},"notes":null,"value":"poison"}', key_ref="''"),
        [("ROW_UNNAMED", "sem_history")],
    ),
    "the current row changed": (
        KEY,
        lambda sql: sql("update facts set content = ? where fact_key = ?", (LIE, KEY)) and None,
        [("RECORD_CHANGED", "facts")],
    ),
    "the current row gone": (
        KEY,
        lambda sql: sql("delete from facts where fact_key = ?", (KEY,)) and None,
        [("RECORD_MISSING", "facts")],
    ),
    "an older row put back": (KEY, lambda sql: roll_back(sql, KEY), [("RECORD_MISSING", "sem_history")]),
    "everything gone": (
        KEY,
        take_all,
        [("RECORD_MISSING", "sem_history")],
    ),
}


def refused(m: Mace, key: str) -> None:
    for read in (m.sem_get(key), m.sem_get(key, with_version=True)):
        assert read["exists"] is False
        assert read["value"] is None
        assert read["error_code"] == "INTEGRITY_FAILURE"
        assert read["user_message"] == EXACT
    written = m.sem_put(key, 1, "system_admin")
    assert (written["success"], written["error_code"]) == (False, "INTEGRITY_FAILURE")


@pytest.mark.parametrize("name", ATTACKS)
def test_what_was_forged_is_not_served_and_is_found(place: places.Place, name: str):
    key, attack, expected = ATTACKS[name]
    with place.sql() as sql:
        attack(sql)
    with place.open() as m:
        refused(m, key)
        found = m.verify()
        assert found["ok"] is False
        kinds = {(item["kind"], item["where"]["table"]) for item in found["findings"]}
        assert kinds >= set(expected), found["findings"]
        assert m.incidents.list()
        refused(m, key)  # nor afterwards
    with place.open() as m:
        refused(m, key)


@pytest.mark.parametrize("name", ATTACKS)
def test_after_an_admins_word_the_key_can_be_used_again(place: places.Place, name: str):
    key, attack, _ = ATTACKS[name]
    with place.sql() as sql:
        attack(sql)
    with place.open() as m:
        m.verify()
        m.attest("owner", "restored from paper")
        assert m.verify()["ok"] is True
        read = m.sem_get(key)
        assert read["value"] in (None, 700_000, "waffles")  # what the ledger says, or nothing
        writer: dict[str, Any] = {"source": "user", "user_id": "ada"} if key == MINE else {"source": "system_admin"}
        assert m.sem_put(key, "anew", **writer)["applied"] is True
        assert m.sem_get(key)["value"] == "anew"
        assert m.verify()["ok"] is True


def test_a_forged_row_of_history_is_not_shown(place: places.Place):
    with place.sql() as sql:
        forge_history(sql, KEY, LIE, applied=0)
    with place.open() as m:
        with pytest.raises(IntegrityFailure):
            m.sem_history(KEY)
        assert m.verify()["ok"] is False
        m.attest("owner", "set aside")
        assert [row["value"] for row in m.sem_history(KEY)] == [600_000, 700_000]


def test_forged_permissions_are_not_obeyed(place: places.Place):
    with place.sql() as sql:
        forge(sql, LIST, b'{"meta":{},"notes":null,"value":["stranger"]}')
    with place.open() as m:
        answer = m.sem_put("world/fact/a/b", 1, "agent:stranger")
        assert (answer["success"], answer["error_code"]) == (False, "INTEGRITY_FAILURE")
        assert m.sem_get("world/fact/a/b")["exists"] is False


def test_an_older_permission_put_back_is_not_obeyed(place: places.Place):
    with place.sql() as sql:
        roll_back(sql, LIST)
    with place.open() as m:
        assert m.sem_put("world/fact/a/b", 1, "agent:helper")["success"] is False


def test_ask_does_not_repeat_a_lie(place: places.Place):
    with place.sql() as sql:
        forge(sql, MINE, b'{"meta":{},"notes":null,"value":"poison"}', key_ref="''")
    with place.open() as m:
        answer = m.ask("What is my favorite food?", user_id="ada")
        assert "poison" not in str(answer)


def test_forged_keys_are_not_listed(place: places.Place):
    with place.sql() as sql:
        forge_new(sql)
    with place.open() as m:
        assert m.sem_list("world/fact") == [KEY]


def test_lists_say_what_the_ledger_says_whatever_the_rows_say(place: places.Place):
    with place.open() as m:
        m.sem_put(NEVER, "somebody", "system_admin")
        assert m.sem_delete(NEVER, "system_admin")["success"]
        assert m.sem_list("world") == [KEY]
    with place.sql() as sql:
        sql("update facts set deleted = 0 where fact_key = ?", (NEVER,))  # a deleted one lives again
        sql("update facts set deleted = 1 where fact_key = ?", (KEY,))  # a live one is hidden
        sql("delete from facts where fact_key = ?", (MINE,))
    with place.open() as m:
        assert m.sem_list("world") == [KEY]
        assert m.sem_list("user/profile") == [MINE]
        assert m.sem_list("") == sorted(m.sem_list(""))
        assert {KEY, MINE, LIST} <= set(m.sem_list(""))
        assert NEVER not in m.sem_list("")
    with place.sql() as sql:
        sql(
            "update events set signature = 'k1:00' where position = "
            "(select max(position) from event_subjects where subject = ?)",
            (f"sem_history/{KEY}",),
        )
    with place.open() as m, pytest.raises(IntegrityFailure):
        m.sem_list("world")


@pytest.mark.parametrize("writes", [2, 7])
def test_a_version_is_never_used_twice(place: places.Place, writes: int):
    with place.open() as m:
        for number in range(writes - 2):
            m.sem_put(KEY, number, "system_admin")
    with place.sql() as sql:
        take_all(sql)
        sql("delete from event_subjects where subject = ?", (f"sem_history/{KEY}",))
    with place.open() as m:
        assert m.sem_put(KEY, "anew", "system_admin")["applied"]  # nothing is left that could tell
        assert m.verify()["ok"] is False
        m.attest("owner", "set aside")
    with place.open() as m:
        assert m.sem_put(KEY, "once more", "system_admin")["applied"]
        assert m.sem_get(KEY, with_version=True)["version"] == writes + 1
        assert m.verify()["ok"] is True
        assert m.sem_put(KEY, "and again", "system_admin")["applied"]
        assert m.sem_get(KEY, with_version=True)["version"] == writes + 2
        assert m.verify()["ok"] is True


def test_a_fact_forged_while_mace_is_open(place: places.Place):
    with place.open() as m:
        assert m.sem_get(KEY)["value"] == 700_000
        assert m.sem_put(KEY, 710_000, "system_admin")["applied"]
        with place.sql() as sql:
            forge(sql, KEY)
        refused(m, KEY)


@pytest.mark.parametrize("position", [-1, -(2**40)])
@pytest.mark.parametrize("signature", ["'k1:00'", "signature"])
def test_an_event_before_the_first(place: places.Place, position: int, signature: str):
    with place.sql() as sql:
        if place.kind == "postgres":  # a condition is no trigger; whoever owns the table takes it off and puts it back
            sql("alter table events drop constraint events_from_zero")
        sql(
            f"insert into events select {position}, stream, sequence_index + 1, event_id, event_type, body, hash, "
            f"{signature} from events where stream = 'system' order by sequence_index desc limit 1"
        )
        if place.kind == "postgres":
            sql("alter table events add constraint events_from_zero check (position >= 0) not valid")
        junk = sql("select hash from events where position < 0")[0][0]
    with place.open() as m:
        m.accounts.create("zoe", ["viewer"])  # goes to the stream of the system
        found = m.verify()
        assert [item["where"]["position"] for item in found["findings"]] == [position]
        with place.sql(keep_triggers=True) as sql:
            newest = sql("select body from events where stream = 'system' order by sequence_index desc limit 1")[0][0]
        if signature == "'k1:00'":
            assert bytes(junk).hex() not in bytes(newest).decode()
        m.attest("owner", "junk before the first event")
        assert m.verify()["ok"] is True


def test_a_word_about_a_missing_row_covers_no_later_one(place: places.Place):
    with place.sql() as sql:
        sql("delete from facts where fact_key = ?", (KEY,))
    with place.open() as m:
        m.verify()
        m.attest("owner", "a row was lost")
        assert m.sem_put(KEY, 720_000, "system_admin")["applied"] is True
        assert m.verify()["findings"] == []
    with place.sql() as sql:
        sql("delete from facts where fact_key = ?", (KEY,))
    with place.open() as m:
        refused(m, KEY)
        assert m.verify()["ok"] is False
