"""The other sides: mem0 with `infer=False` on a local Qdrant, and LangGraph's SqliteStore with an index.

Both get the texts as they are, "speaker: text", without a language model, and the same model for vectors; it runs in
one thread, which costs the least CPU. mem0 is given its keyword part too, BM25 by fastembed, which would fetch a list
of stop words from the network and gets scikit-learn's instead. Neither knows of neighbouring turns.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.recall.dialogues import Turn, another, make
from benchmarks.recall.embedder import DIMENSIONS, unpacked

Works = dict[str, Callable[..., Any]]
EVERYTHING = 400  # results of a search that is asked for evidence: more than any budget here has room for


def shown(turn: Turn) -> str:
    """A turn as these sides store it, and as a prompt would get it."""
    return f"{turn.speaker}: {turn.text}"


def _quiet() -> None:
    for name, value in {
        "MEM0_TELEMETRY": "False",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "LANGSMITH_TRACING": "false",
    }.items():
        os.environ[name] = value
    import torch

    torch.set_num_threads(1)


class Vectors:
    """The model, with vectors made beforehand, many at once, for what is not measured by time."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._ready: dict[str, Any] = {}

    def encode(self, texts: Any, **options: Any) -> Any:
        """Return the vector of a text, or those of a list of texts."""
        if isinstance(texts, str):
            return self._ready[texts] if texts in self._ready else self._model.encode(texts, **options)
        if all(text in self._ready for text in texts):
            return np.stack([self._ready[text] for text in texts])
        return self._model.encode(texts, **options)

    @contextmanager
    def made_ready(self, texts: list[str]) -> Iterator[None]:
        self._ready = dict(zip(texts, self._model.encode(texts, batch_size=128), strict=True))
        yield
        self._ready = {}


def _works(
    add: Callable[[str, list[Turn]], None],
    search: Callable[[str, str, int], list[str]],
    vectors: Vectors,
    at_once: int,
) -> Works:
    """What a side can do, given how it adds turns in one call, and how many of a dialogue, and how it searches."""
    places: dict[str, dict[str, int]] = {}
    supply = (turn for number in count(1000) for turn in another(number, 1000).turns)
    taken: list[Turn] = []

    def load(dialogue: str) -> None:
        turns = make(dialogue).turns
        with vectors.made_ready([shown(turn) for turn in turns]):
            for at in range(0, len(turns), at_once):
                add(dialogue, turns[at : at + at_once])
        places[dialogue] = {turn.id: at for at, turn in enumerate(turns)}

    def order(dialogue: str, question: str) -> list[int]:
        return [places[dialogue][found] for found in search(dialogue, question, EVERYTHING)]

    def searched(dialogue: str, questions: list[str], limit: int) -> None:
        for question in questions:
            if not search(dialogue, question, limit):
                raise RuntimeError("nothing was found")

    def prepare(times: int) -> None:
        taken[:] = islice(supply, times)

    def add_each(person: str) -> None:
        for turn in taken:
            add(person, [turn])

    def grow(person: str, turns: int) -> None:
        for number in range(0, turns, 1000):
            said = another(number // 1000, 1000).turns[: min(1000, turns - number)]
            for at in range(0, len(said), 100):
                add(person, said[at : at + 100])

    return {
        "load": load,
        "order": order,
        "search": searched,
        "prepare": prepare,
        "add": add_each,
        "add_list": lambda person: add(person, taken),
        "grow": grow,
    }


@contextmanager
def mem0(folder: Path) -> Iterator[Works]:
    _quiet()
    os.environ["MEM0_DIR"] = str(folder / "mem0")
    from mem0 import Memory

    _keywords(folder / "bm25")

    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "collection_name": "turns",
                    "path": str(folder / "qdrant"),
                    "on_disk": True,
                    "embedding_model_dims": DIMENSIONS,
                },
            },
            "embedder": {
                "provider": "huggingface",
                "config": {"model": unpacked(folder), "embedding_dims": DIMENSIONS},
            },
            "llm": {"provider": "openai", "config": {"api_key": "none is called"}},
            "history_db_path": str(folder / "history.db"),
        }
    )

    vectors = memory.embedding_model.model = Vectors(memory.embedding_model.model)

    def add(person: str, turns: list[Turn]) -> None:
        if len(turns) == 1:
            messages = [{"role": turns[0].role, "content": shown(turns[0])}]
            added = memory.add(messages, user_id=person, infer=False, metadata={"turn": turns[0].id, "at": turns[0].at})
        else:  # metadata is for all messages of a call
            messages = [{"role": turn.role, "content": shown(turn)} for turn in turns]
            added = memory.add(messages, user_id=person, infer=False)
        if len(added["results"]) != len(turns):
            raise RuntimeError(f"mem0 has kept {len(added['results'])} of {len(turns)} turns")

    def search(person: str, question: str, limit: int) -> list[str]:
        answer = memory.search(question, top_k=limit, threshold=0.0, filters={"user_id": person})
        return [item.get("metadata", {}).get("turn", "") for item in answer["results"]]

    if memory.vector_store.keyword_search("any", filters={"user_id": "nobody"}) is None:
        raise RuntimeError("mem0 runs without its keyword part")
    yield _works(add, search, vectors, at_once=1)


def _keywords(folder: Path) -> None:
    """Let fastembed make its BM25 vectors with stop words from here; it stems by itself."""
    import fastembed
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    folder.mkdir(parents=True)
    (folder / "english.txt").write_text("\n".join(sorted(ENGLISH_STOP_WORDS)) + "\n")
    original: Any = fastembed.SparseTextEmbedding

    class Local(original):  # type: ignore[misc]
        def __init__(self, model_name: str, **options: Any) -> None:
            super().__init__(model_name, specific_model_path=str(folder), **options)

    fastembed.SparseTextEmbedding = Local


@contextmanager
def langgraph(folder: Path) -> Iterator[Works]:
    _quiet()
    if not hasattr(sqlite3.Connection, "enable_load_extension"):  # how this Python was built; the index is an extension
        sys.modules["sqlite3"] = import_module("pysqlite3")
    from langgraph.store.base import PutOp
    from langgraph.store.sqlite import SqliteStore
    from sentence_transformers import SentenceTransformer

    vectors = Vectors(SentenceTransformer(unpacked(folder)))

    def embed(texts: Any) -> list[list[float]]:
        found: list[list[float]] = vectors.encode(list(texts)).tolist()
        return found

    index: Any = {"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}
    plain_turns: list[Turn] = []
    with SqliteStore.from_conn_string(str(folder / "indexed.db"), index=index) as store:
        store.setup()
        with SqliteStore.from_conn_string(str(folder / "plain.db")) as plain:
            plain.setup()
            for one in (store, plain):
                one.conn.execute("pragma synchronous = full")
                if one.conn.execute("pragma journal_mode").fetchone()[0] != "wal":
                    one.conn.execute("pragma journal_mode = wal")

            def add(person: str, turns: list[Turn]) -> None:
                store.batch(
                    [PutOp((person,), turn.id, {"text": shown(turn), "at": turn.at}, index=["text"]) for turn in turns]
                )

            def search(person: str, question: str, limit: int) -> list[str]:
                return [item.key for item in store.search((person,), query=question, limit=limit)]

            works = _works(add, search, vectors, at_once=50)
            prepare = works["prepare"]

            def prepared(times: int) -> None:
                prepare(times)
                plain_turns[:] = another(900, 1000).turns[:times]

            def put_plain(person: str) -> None:
                """Without an index: it keeps the text, and no question finds it by what it says."""
                for turn in plain_turns:
                    plain.put((person,), f"{turn.id}/{next(numbers)}", {"text": shown(turn), "at": turn.at})

            numbers = count()
            yield {**works, "prepare": prepared, "put_plain": put_plain}
