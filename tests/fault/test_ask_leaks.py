"""What a person said lies nowhere in plain: no file of the store, no log, no spilled failure, no refusal."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

import places
from mace.engine.runtime import Mace
from replay import odd_agents


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


class TestNothingRawAnywhere:
    def files(self, place: places.SqlitePlace) -> bytes:
        root = place.folder.parent
        return b"\n".join(file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file())

    @pytest.mark.parametrize(
        ("ask", "canaries"),
        [
            (lambda mace: mace.ask("my card is 4111 1111 1111 1111", "ana"), ["4111 1111", "4111111111111111"]),
            (lambda mace: mace.ask("My SSN is 536-22-8726"), ["536-22-8726", "536228726"]),
            (lambda mace: mace.ask("Greet zeisig.vogel@example.com", "ana"), ["zeisig.vogel@", "zeisig"]),
            (lambda mace: mace.ask("Remember my email is zeisig.vogel@example.com", "ana"), ["zeisig"]),
            (lambda mace: mace.ask("x" * 7990 + " 4111 1111 1111 1111", "ana"), ["4111 11", "411111"]),
            (lambda mace: mace.ask("12 + zeisig 30", "ana"), [odd_agents.CANARY, "zeisig"]),
            (lambda mace: mace.ask("Who am I?", "zeisig.vogel@example.com"), ["zeisig"]),
            (lambda mace: mace.ask("", "zeisig.vogel@example.com"), ["zeisig"]),
            (lambda mace: mace.ask("Remember my name is Zeisig", "ana"), ["Zeisig"]),
            (lambda mace: mace.ask("What is a zeisig?", "ana"), ["a zeisig?"]),
        ],
        ids=["card", "ssn", "e-mail", "e-mail told", "cut card", "exception", "user", "user, no text", "told", "asked"],
    )
    def test_not_in_any_file_or_log(
        self,
        mace_home: places.SqlitePlace,
        caplog: pytest.LogCaptureFixture,
        ask: Callable[[Mace], dict[str, Any]],
        canaries: list[str],
    ):
        caplog.set_level(logging.DEBUG)
        with mace_home.open(agents={"math_agent": odd_agents.raises}) as mace:
            ask(mace)
            while_open = self.files(mace_home)
        everywhere = while_open + self.files(mace_home) + caplog.text.encode()
        for canary in canaries:
            assert canary.encode() not in everywhere

    @pytest.mark.parametrize(
        ("question", "reply"), [("What is my phone?", "5550177"), ("What is my account number?", "87654321")]
    )
    def test_nor_when_only_the_question_shows_what_it_is(
        self, mace_home: places.SqlitePlace, question: str, reply: str
    ):
        with mace_home.open() as mace:
            missed = mace.ask(question, "ana")
            answer = mace.ask(reply, "ana", in_reply_to=missed["job_id"])
            assert codes(answer) == ["PRIVACY_BLOCKED"]
            seen = mace._parts.world.store.read(lambda tx: mace._parts.vault.blob(tx, f"input/{answer['job_id']}"))
            assert seen is not None and reply.encode() not in seen  # not even sealed
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_nor_in_the_spill_file_when_the_store_refuses(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            with mace_home.sql(keep_triggers=True) as sql:
                sql("create trigger refuse before insert on reflective_log_stage0 begin select raise(abort, ''); end")
            answer = mace.ask("Remember my name is Zeisig", "ana")
            assert codes(answer) == ["SERVICE_UNAVAILABLE"]
            assert b"Zeisig" not in self.files(mace_home)
            with mace_home.sql(keep_triggers=True) as sql:
                sql("drop trigger refuse")
            assert mace.ask("Who am I?", "ana")["answer"] == "Your name is Zeisig."  # that part was done

    def test_what_a_door_sees_of_a_refusal_holds_nothing_raw(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            assert "4111" not in repr(mace.ask("my card is 4111 1111 1111 1111", "ana"))
            assert "zeisig" not in repr(mace.ask("hi", "zeisig@example.com"))
