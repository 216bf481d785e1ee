"""What nobody waits for: catching up soon, dreaming a while after a task and on a timer, and threads all at once."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lived
from helpers_openai_server import OpenAiServer, hangs_before_headers
from lived import ENTITY, NOW, SPACE, write
from mace.core.errors import ServiceUnavailable
from mace.engine.runtime import Mace
from mace.storage.experience_ports import Experience
from places import Place

_LONG_ENOUGH_S = 30.0


@pytest.fixture
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for("sqlite", tmp_path, request)


def comes_true(claim: Callable[[], bool]) -> bool:
    """Wait for something that happens by itself."""
    deadline = time.monotonic() + _LONG_ENOUGH_S
    while not claim():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def rows_there(m: Mace) -> int:
    def look(x: Experience) -> int:
        return sum(x.counts().values())

    return int(lived.inside(m).store.read(look))


def test_what_was_acknowledged_reaches_the_store_by_itself(home: Place):
    with lived.opened(home) as m:
        write(m, "accept", 5)
        assert comes_true(lambda: rows_there(m) == 5)


def test_what_another_process_left_reaches_the_store_by_itself(home: Place):
    with lived.opened(home) as m:
        lived.inside(m).chosen.stop()
        write(m, "accept", 5)
        assert rows_there(m) == 0
        with lived.opened(home) as other:
            assert comes_true(lambda: rows_there(other) == 5)


def test_the_dreamer_runs_after_a_task(home: Place):
    """A consolidator that is only written down promotes nothing."""
    home.settings = replace(home.settings, dream_settle_ms=20, dream_interval_ms=0)
    with lived.opened(home) as m:
        write(m, "accept", 6)
        assert comes_true(lambda: "EXPERIENCE_PROMOTED" in lived.types(m))
        assert comes_true(lambda: len(m.experience.query_c(SPACE, ENTITY)) == 1)


def test_a_task_dated_ahead_is_dreamt_of_as_of_the_clock(home: Place):
    """A clock elsewhere runs ahead by less than is refused: the dream after it is as of now."""
    home.settings = replace(home.settings, dream_settle_ms=20, dream_interval_ms=0)
    with lived.opened(home) as m:
        write(m, "change_approach", 1, entity="path:other")  # ends no task
        write(m, "accept", 6, age_days=-299 / 86_400)
        assert comes_true(lambda: len(m.experience.query_c(SPACE, ENTITY)) == 1)
        assert m.experience.changes()[0]["at"] == "2026-03-01T12:00:00.000000Z"
        assert m.experience.query_mk(SPACE, "path:other")["attention"] == pytest.approx(0.85)
        assert "EXPERIENCE_FORGOTTEN" not in lived.types(m)


def test_the_dreamer_runs_on_a_timer(home: Place):
    with lived.opened(home) as m:
        write(m, "change_approach", 6)  # no task has ended
        m.experience.flush()
    home.settings = replace(home.settings, dream_interval_ms=50)
    with lived.opened(home) as m:
        assert comes_true(lambda: "EXPERIENCE_PROMOTED" in lived.types(m))
        assert m.experience.query_c(SPACE, ENTITY)[0]["sigma"] == -1.0


def test_a_failure_in_the_background_is_tried_again_with_the_next_call(home: Place):
    with lived.opened(home) as m:
        flush = lived.inside(m).feed.catch_up
        failed: list[int] = []

        def down(*_: Any) -> int:
            failed.append(1)
            raise ServiceUnavailable("down")

        lived.inside(m).feed.catch_up = down  # type: ignore[method-assign]
        write(m, "accept", 1)
        assert comes_true(lambda: bool(failed))
        lived.inside(m).feed.catch_up = flush  # type: ignore[method-assign]
        write(m, "accept", 1)
        assert comes_true(lambda: rows_there(m) == 2)


def test_closing_brings_in_what_waits_and_the_verbs_go_on(home: Place):
    with lived.opened(home) as m:
        write(m, "accept", 3)
        m._parts.experience.close()
        assert rows_there(m) == 3
        m._parts.experience.close()
        write(m, "accept", 1)
        assert m.experience.query_mk(SPACE, ENTITY)["attention"] == pytest.approx(3.6)


def test_writing_does_not_wait_for_the_store_of_experience(home: Place):
    """The hot path ends at the ledger: a store that is held up holds up nobody who writes."""
    with lived.opened(home) as m:
        m.experience.flush()
        release, entered = threading.Event(), threading.Event()
        lived.inside(m).store = held_up = _HeldUp(lived.inside(m).store, entered, release)
        lived.inside(m).feed._store = held_up
        write(m, "accept", 1)
        assert entered.wait(_LONG_ENOUGH_S)
        write(m, "accept", 5)  # acknowledged while the store stands still
        release.set()
        assert m.experience.query_mk(SPACE, ENTITY)["attention"] == pytest.approx(5.4)


class _HeldUp:
    """A store of experience whose first write waits before it begins."""

    def __init__(self, store: Any, entered: threading.Event, release: threading.Event) -> None:
        self._store, self._entered, self._release = store, entered, release

    def write(self, unit: Any) -> Any:
        self._entered.set()
        self._release.wait(_LONG_ENOUGH_S)
        return self._store.write(unit)

    def read(self, look: Any) -> Any:
        return self._store.read(look)


@pytest.mark.parametrize("adapter", lived.ADAPTERS)
def test_many_threads_write_ask_and_dream_at_once(adapter: str, request: pytest.FixtureRequest, tmp_path: Path):
    home = lived.place_for(adapter, tmp_path / "threads", request)
    with lived.opened(home) as m:
        wrong: list[BaseException] = []

        def life(thread: int) -> None:
            try:
                for number in range(10):
                    write(m, ("accept", "abandon")[number % 2], 1, entity=f"path:{number % 2}")
                    m.experience.query_mk(SPACE, f"path:{thread % 2}")
                    m.experience.query_c(SPACE, f"path:{thread % 2}")
                    if number % 5 == 4:
                        m.experience.dream()
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=life, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert sum(row.level == "M" for row in lived.held(m)["megrams"]) == 60
        for number in range(2):
            lived.assert_sums_right(m, NOW, entity=f"path:{number}")
        lived.assert_follows_from_the_ledger(m)


def test_closing_while_an_engine_hangs_waits_for_one_answer_at_most(home: Place):
    with OpenAiServer(hangs_before_headers) as server:
        home.settings = replace(
            home.settings,
            llm_url=server.url,
            llm_model="first",
            llm_needs_key=False,
            llm_header_timeout_ms=500,
            dream_settle_ms=10,
        )
        with lived.opened(home) as m:
            for number in range(5):
                write(m, "accept", 6, entity=f"path:{number}")
            assert comes_true(lambda: bool(server.requests))
        assert len(server.requests) <= 2
