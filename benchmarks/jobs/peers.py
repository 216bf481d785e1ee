"""The other sides: LangGraph's nodes with a SqliteSaver, and DBOS's steps on SQLite.

Both run as fast as they can while each result is durable before the next step starts, which is what MACE promises: WAL
and `synchronous = FULL` (checked here, not assumed), tracing and telemetry off, their default serializers (msgpack and
pickle), one thread, called directly rather than through a queue. DBOS leaves SQLite's rollback journal on; WAL is
faster, so its file is given WAL beforehand. LangGraph's state is the smallest that holds a payload: one channel that
each node overwrites, so that a checkpoint does not grow from node to node.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypedDict

from benchmarks.jobs.payloads import Kind, Payloads

Works = dict[str, Callable[..., Any]]  # by name; `jobs(kind, steps, times)` runs that many jobs to their ends

_FULL = 2  # what `pragma synchronous` answers for FULL


class State(TypedDict):
    payload: dict[str, Any]


@contextmanager
def langgraph(folder: Path) -> Iterator[Works]:
    """A StateGraph of n nodes in a row, `durability="sync"`: every node's writes and checkpoint are committed."""
    os.environ["LANGSMITH_TRACING"] = "false"
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph

    with SqliteSaver.from_conn_string(str(folder / "langgraph.db")) as saver:
        saver.setup()
        saver.conn.execute("pragma synchronous = full")
        _check(saver.conn)
        payloads = Payloads()
        graphs: dict[tuple[Kind, int], Any] = {}
        threads = count()

        def graph(kind: Kind, steps: int) -> Any:
            builder = StateGraph(State)
            for at in range(steps):
                builder.add_node(f"step_{at}", lambda state: {"payload": payloads.next(kind)})
            builder.add_edge(START, "step_0")
            for at in range(steps - 1):
                builder.add_edge(f"step_{at}", f"step_{at + 1}")
            builder.add_edge(f"step_{steps - 1}", END)
            return builder.compile(checkpointer=saver)

        def jobs(kind: Kind, steps: int, times: int) -> None:
            if (kind, steps) not in graphs:
                graphs[kind, steps] = graph(kind, steps)
            for _ in range(times):
                config = {"configurable": {"thread_id": str(next(threads))}, "recursion_limit": steps + 5}
                ended = graphs[kind, steps].invoke({"payload": {}}, config, durability="sync")
                if not ended["payload"]:
                    raise RuntimeError("LangGraph has run no node")

        def stored() -> int:
            """Return how many results of nodes are there; the input of a graph is kept beside them."""
            writes, inputs = saver.conn.execute(
                "select (select count(*) from writes where channel = 'payload'), count(distinct thread_id) from writes"
            ).fetchone()
            return int(writes - inputs)

        yield {"jobs": jobs, "stored": stored}


@contextmanager
def dbos(folder: Path) -> Iterator[Works]:
    """A workflow of n steps, each given what the one before returned; its output is committed."""
    file = folder / "dbos.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("pragma journal_mode = wal")  # stays with the file
    from dbos import DBOS
    from sqlalchemy import Engine, event

    @event.listens_for(Engine, "connect")
    def full(connection: Any, _record: object) -> None:
        connection.execute("pragma synchronous = full")
        _check(connection)

    payloads = Payloads()
    DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{file}",
            "log_level": "ERROR",
            "enable_otlp": False,
        }
    )

    @DBOS.step()
    def step(kind: Kind, request: dict[str, Any]) -> dict[str, Any]:
        return payloads.next(kind)

    @DBOS.workflow()
    def workflow(kind: Kind, steps: int) -> None:
        state: dict[str, Any] = {}
        for _ in range(steps):
            state = step(kind, state)

    def jobs(kind: Kind, steps: int, times: int) -> None:
        for _ in range(times):
            workflow(kind, steps)

    def stored() -> int:
        with closing(sqlite3.connect(file)) as database:
            found: int = database.execute("select count(*) from operation_outputs").fetchone()[0]
            return found

    DBOS.launch()
    try:
        yield {"jobs": jobs, "stored": stored}
    finally:
        DBOS.destroy()


def _check(connection: Any) -> None:
    mode = connection.execute("pragma journal_mode").fetchone()[0]
    level = connection.execute("pragma synchronous").fetchone()[0]
    if (mode, level) != ("wal", _FULL):
        raise RuntimeError(f"not as durable as promised: journal_mode {mode}, synchronous {level}")
