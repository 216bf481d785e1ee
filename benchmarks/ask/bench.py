"""`ask` on a known fact: routing, agent, council, reflective log and everything that replay needs, durable.

The store already holds other facts and earlier questions, as a store in use does. CPU time counts, because the disk
decides the wall time; `replay` of the same question is shown beside it.
"""

import statistics
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.measure import Row, cpu_of
from mace.engine.runtime import Mace
from mace.settings import Settings
from mace.wiring import open_mace

_ASKS = 20  # in one measurement


def _filled(folder: Path, facts: int, questions: int) -> Mace:
    settings = Settings(location=str(folder), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0)
    mace = open_mace(settings=settings)
    for number in range(facts):
        mace.sem_put(f"world/fact/thing_{number}/definition", f"Thing {number} is a thing.", "system")
    mace.sem_put("user/profile/user_tuff/favorite_color", "blue", "user")
    mace.sem_put("world/fact/ohms_law/definition", "Ohm’s law: V = I R.", "system")
    for _ in range(questions):
        mace.ask("What is my favourite colour?", "tuff")
    return mace


def _median_ms(work: Callable[[], object], rounds: int) -> float:
    work()
    return statistics.median(cpu_of(work) for _ in range(rounds)) / _ASKS * 1000


def run(full: bool) -> Iterable[Row]:
    rounds = 41 if full else 11
    with (
        tempfile.TemporaryDirectory() as folder,
        _filled(Path(folder), 5000 if full else 300, 2000 if full else 100) as mace,
    ):
        expected = "Your favorite colour is blue."
        assert mace.ask("What is my favourite colour?", "tuff")["answer"] == expected

        def questions(text: str, user_id: str | None) -> Callable[[], object]:
            return lambda: [mace.ask(text, user_id) for _ in range(_ASKS)]

        yield Row(
            "ask a person’s own fact",
            _median_ms(questions("What is my favourite colour?", "tuff"), rounds),
            "ms CPU",
            5,
        )
        yield Row("ask a world fact", _median_ms(questions("What is Ohm’s law?", None), rounds), "ms CPU", 5)
        jobs = [mace.ask("What is my favourite colour?", "tuff")["job_id"] for _ in range(_ASKS)]
        assert {mace.replay(job)["result"] for job in jobs} == {"MATCH"}
        yield Row("replay it", _median_ms(lambda: [mace.replay(job) for job in jobs], rounds), "ms CPU")
