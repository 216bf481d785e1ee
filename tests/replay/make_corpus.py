"""Write a file of the corpus: a whole small MACE with answered questions, kept for ever and replayed by the tests.

    python tests/replay/make_corpus.py 0001-questions
    python tests/replay/make_corpus.py 0002-versions
    python tests/replay/make_corpus.py 0004-programs
    python tests/replay/make_corpus.py 0005-memory

What comes after the number says what is in it: `questions` of every kind, a few that name `versions` of rules, jobs of
`programs`, whose functions lie beside the file, `memory` of people that programs used, with questions beside it.

Run by hand when the log format gained something that the files so far do not hold; a file is never written again. The
code must be committed, because the file names the commit that wrote it. Keys in it protect nothing.
"""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import apsw  # noqa: E402

from helpers_openai_server import OpenAiServer, answers, fails  # noqa: E402
from mace import wiring  # noqa: E402
from mace.agents.asking import Reply, Task  # noqa: E402
from mace.core import seeds  # noqa: E402
from mace.engine.runtime import Mace  # noqa: E402
from mace.settings import Settings  # noqa: E402

FORMAT = "mace-corpus/1"
CORPUS = HERE / "corpus"
MAX_BYTES = 400_000
_RETRY, _NO_RETRY = "T16", "F-FAIL-01"  # seeds that decide so


def raises(task: Task) -> Reply:
    raise ZeroDivisionError


def _without_engine(mace: Mace) -> Iterator[dict[str, Any]]:
    mace.sem_put("world/fact/ohms_law/definition", "Voltage is current times resistance.", "system")
    missed = mace.ask("What is my birthday?", "ana")
    yield missed
    yield mace.ask("It's 12 May.", "ana", in_reply_to=missed["job_id"])
    yield mace.ask("My favourite colour is teal", "ana")
    yield mace.ask("What is my favourite colour?", "ana")
    yield mace.ask("Who am I?", "bo")
    yield mace.ask("Forget my favourite colour", "ana")
    yield mace.ask("Remember my favorite food is pizza")
    yield mace.ask("Remember my email is ana@example.com", "ana")
    yield mace.ask("12 + 30")
    yield mace.ask("Integrate x^2 dx")
    yield mace.ask("What is Ohm's law?")
    yield mace.ask("well-known things")
    yield mace.ask("Write a poem", "ana")
    yield mace.ask("My SSN is 536-22-8726", "ana")
    yield mace.ask("x" * 9000)
    yield mace.ask("Blorp the quux 🐻", "größe", query_id="client-1")


def _versions(mace: Mace) -> Iterator[dict[str, Any]]:
    """A few: jobs whose snapshot names the versions of what decided them."""
    yield mace.ask("What is my birthday?", "ana")
    yield mace.ask("My favourite colour is teal", "ana")
    yield mace.ask("What is my favourite colour?", "ana")
    yield mace.ask("Integrate x^2 dx")
    yield mace.ask("Blorp the quux 🐻", "größe", query_id="client-1")
    yield mace.ask("My SSN is 536-22-8726", "ana")


def _with_engine(mace: Mace) -> Iterator[dict[str, Any]]:
    yield mace.ask("Write a short poem about rains", job_seed=_RETRY)
    yield mace.ask("Plan a short poem", "ana")
    yield mace.ask("What is a quux?")
    yield mace.ask("Blorp the quux", job_seed=_NO_RETRY)


def _failing(mace: Mace) -> Iterator[dict[str, Any]]:
    for _ in range(3):
        yield mace.ask("12 + 30")
    yield mace.ask("12 + 30")


def write_questions(folder: Path) -> list[dict[str, Any]]:
    settings = Settings(
        location=str(folder), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0, spill_bytes=4096
    )
    with wiring.open_mace(settings=settings) as mace:
        told = list(_without_engine(mace))
    poem = "Rains write a short poem on the roof."
    behaviours = (fails(503), answers(poem), answers(poem), answers("<think>hm</think>I do not know."), fails(500))
    with OpenAiServer(*behaviours) as server:
        engine = replace(settings, llm_url=server.url, llm_model="served", llm_needs_key=False)
        with wiring.open_mace(settings=engine) as mace:
            told += _with_engine(mace)
    with wiring.open_mace(settings=settings, agents={"math_agent": raises}) as mace:
        told += _failing(mace)
    with wiring.open_mace(settings=settings) as mace:
        wrong = [mace.replay(answer["job_id"]) for answer in told]
        assert {item["result"] for item in wrong} == {"MATCH"}, wrong
    return told


def write_versions(folder: Path) -> list[dict[str, Any]]:
    settings = Settings(
        location=str(folder), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0, spill_bytes=4096
    )
    with wiring.open_mace(settings=settings) as mace:
        told = list(_versions(mace))
        wrong = [mace.replay(answer["job_id"]) for answer in told]
        assert {item["result"] for item in wrong} == {"MATCH"}, wrong
    return told


def write_annotated(folder: Path) -> list[dict[str, Any]]:
    """What people wrote beside logs, from before that was sealed."""
    settings = Settings(
        location=str(folder), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0, spill_bytes=4096
    )
    with wiring.open_mace(settings=settings) as mace:
        told = [mace.ask("What is my birthday?", "ana"), mace.ask("12 + 30")]
        for answer in told:
            log_id = answer["log_id"]
            mace.update_reflective_log(log_id, {"user_feedback": "I am Ana from Gdynia, and this is right"})
            mace.update_reflective_log(log_id, {"ground_truth_label": "gdynia-label", "audit_tags": ["gdynia-tag"]})
            mace.update_reflective_log(log_id, {"user_feedback": "I said so in Gdynia"})
            mace.amend(log_id, "kim", {"note": "Ana of Gdynia likes tea"}, "note")
            mace.amend(log_id, "Kim of Gdynia", ["Gdynia"], "revalidate")
        wrong = [mace.replay(answer["job_id"]) for answer in told]
        assert {item["result"] for item in wrong} == {"MATCH"}, wrong
    return told


def programs_of(name: str) -> tuple[Any, ...]:
    """The functions that lie beside a file of the corpus, if it holds jobs of programs."""
    source = CORPUS / f"programs_{name.partition('-')[0]}.py"
    if not source.exists():
        return ()
    spec = importlib.util.spec_from_file_location(source.stem, source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    functions: tuple[Any, ...] = module.PROGRAMS
    return functions


def write_programs(folder: Path) -> list[dict[str, Any]]:
    """Jobs of programs: to their end, failed, and killed and taken up again."""
    functions = programs_of("0004-programs")
    settings = Settings(
        location=str(folder), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0, spill_bytes=4096
    )
    with wiring.open_mace(settings=settings, programs=functions) as mace:
        mace.sem_put("world/fact/ohms_law/definition", "Voltage is current times resistance.", "system")
        told: list[Any] = [
            mace.perform("research-async", None, "bo"),
            mace.perform("gives-up", "why", "ana"),
            mace.perform("hopes", [1, 2.5, None]),
        ]
        with mace.recording("A block of code", "ana", program="block") as job:
            job.call("looked", {}, lambda _request: 1)
            job.answer("One")
    _killed(settings, functions, "killed", 9)
    with wiring.open_mace(settings=settings, programs=functions) as mace:
        told.append(mace.resume(seeds.job_id("killed")))
        wrong = [mace.replay(answer["job_id"]) for answer in told]
        assert {item["result"] for item in wrong} == {"MATCH"}, wrong
    return [{**answer, "answer": answer["text"], "agent_id": f"program:{answer['program']}"} for answer in told]


def write_memory(folder: Path) -> list[dict[str, Any]]:
    """What people said, recalled by programs before and after more was said; questions with an engine and without."""
    functions = programs_of("0005-memory")
    settings = Settings(
        location=str(folder), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0, spill_bytes=4096
    )
    with wiring.open_mace(settings=settings, programs=functions) as mace:
        told: list[Any] = [mace.ask("What is my birthday?", "ana"), mace.ask("My favourite colour is teal", "ana")]
        mace.remember("ana", [{"role": "user", "content": f"On day {day} I play tennis in Lyon."} for day in range(5)])
        mace.remember("ana", "Tennis is over, I row now.", conversation_id="sport")
        mace.remember("bo", "I play tennis, too.")
        performed: list[Any] = [mace.perform("advises", "What do I play, tennis?", "ana", conversation_id="sport")]
        mace.remember("ana", "I play tennis again.")
        performed.append(mace.perform("advises", "What do I play, tennis?", "ana"))
        performed.append(mace.perform("forgets-to-ask", "I live in Gdynia", "bo"))
    poem = "Rains write a short poem on the roof."
    behaviours = (fails(503), answers(poem), answers(poem), answers("<think>hm</think>I do not know."), fails(500))
    with OpenAiServer(*behaviours) as server:
        engine = replace(settings, llm_url=server.url, llm_model="served", llm_needs_key=False)
        with wiring.open_mace(settings=engine) as mace:
            told += _with_engine(mace)
    with wiring.open_mace(settings=settings, programs=functions) as mace:
        wrong = [mace.replay(answer["job_id"]) for answer in [*told, *performed]]
        assert {item["result"] for item in wrong} == {"MATCH"}, wrong
    return [
        *told,
        *({**item, "answer": item["text"], "agent_id": f"program:{item['program']}"} for item in performed),
    ]


def _killed(settings: Settings, functions: tuple[Any, ...], seed: str, nth: int) -> None:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    left = [-1]

    def boundary(name: str) -> None:
        if name == "after commit" and left[0] > 0:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    mace = wiring.open_mace(settings=settings, programs=functions, boundary=boundary)
    left[0] = nth
    mace.perform("research", {"items": ["a", "b", "c", "d"], "mail": "ana@example.com"}, "ana", seed)
    os._exit(1)


WRITERS = {
    "memory": write_memory,
    "programs": write_programs,
    "questions": write_questions,
    "versions": write_versions,
    "annotated": write_annotated,
}


def commit() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()

    if git("status", "--porcelain", "--", str(HERE.parent.parent / "src")):
        sys.exit("commit the code first: a file names the commit that wrote it")
    return git("rev-parse", "HEAD")


def _without_shelves(keys: Path) -> dict[str, Any]:
    """The keys without the place where checkpoints were kept: it goes with this process."""
    content: dict[str, Any] = json.loads(keys.read_text())
    return {name: value for name, value in content.items() if name != "shelves"}


def main() -> None:
    name = sys.argv[1]
    target = CORPUS / f"{name}.zip"
    if target.exists():
        sys.exit(f"{target} exists; files of the corpus are never written again")
    wrote = sys.argv[2] if len(sys.argv) > 2 else commit()  # a commit that was unpacked elsewhere has no repository
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        told = WRITERS[name.partition("-")[2]](folder)
        files = [folder / name for name in ("mace.db", "people.db") if (folder / name).exists()]
        for file in files:
            connection = apsw.Connection(str(file))
            connection.execute("pragma wal_checkpoint(truncate)")
            connection.execute("pragma journal_mode = delete")
            connection.execute("pragma page_size = 1024")
            connection.execute("vacuum")
            connection.close()
        manifest = {
            "format": FORMAT,
            "commit": wrote,
            "system_version": wiring.SYSTEM_VERSION,
            "questions": [
                {
                    "job_id": answer["job_id"],
                    "answer": answer["answer"],
                    "error_codes": [notice["error_code"] for notice in answer["notices"]],
                    "agent_id": answer["agent_id"],
                }
                for answer in told
            ],
        }
        CORPUS.mkdir(exist_ok=True)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_LZMA) as archive:
            for file in files:
                archive.write(file, file.name)
            archive.writestr("keys.json", json.dumps(_without_shelves(folder / "keys.json")))
            archive.writestr("manifest.json", json.dumps(manifest, indent=1, ensure_ascii=False))
    size = sum(file.stat().st_size for file in CORPUS.glob("*.zip"))
    print(f"{target}: {len(told)} questions, {target.stat().st_size} bytes; the corpus has {size} of {MAX_BYTES}")
    if size > MAX_BYTES:
        target.unlink()
        sys.exit("too large; not kept")


if __name__ == "__main__":
    main()
