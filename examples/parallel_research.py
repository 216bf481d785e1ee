"""Branches in parallel, killed in the middle and taken up again.

    python examples/parallel_research.py [LOCATION]

A program asks a model about six towns at once, each in a branch of its own. Its process is killed with SIGKILL when
three of them are on the record; another process takes the job up. What was finished is not asked again, and the whole
replays. The model is a scripted one, which holds three replies back until the process is dead.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from typing import Any

import common

import mace
from mace.bridges.openai import wrap
from mace.settings import Settings
from mace.testing import ChatRequest, serve_chat

TOWNS = ["Aarhus", "Bergen", "Cork", "Delft", "Evora", "Faro"]
ASKED = "Tell me about "

client = wrap(common.client)  # a chat call changes nothing, so one that was under way is made again


@mace.program("research", version="1")
def research(job: mace.Job, towns: Any) -> str:
    def about(_branch: mace.Job, town: Any) -> Any:
        messages: list[Any] = [{"role": "user", "content": f"{ASKED}{town}"}]
        return client.chat.completions.create(model=common.MODEL, messages=messages).choices[0].message.content

    return "\n".join(job.map(about, towns, at_most=6))


def main(location: str | None = None) -> None:
    replies = Replies(held_back_after=3)
    with common.store(location) as settings, serve_chat(replies.reply) as server:
        victim = worker("--run", settings, server.url)
        with mace.open(settings=settings) as m:
            while not (jobs := m.jobs.list(status="running")["items"]) or len(finished(m, jobs[0]["job_id"])) < 3:
                time.sleep(0.02)
            replies.all_asked.wait()
            job_id = jobs[0]["job_id"]
            os.kill(victim.pid, signal.SIGKILL)
            victim.wait()
            done = finished(m, job_id)
        print(f"killed: {len(done)} of {len(TOWNS)} calls are on the record")
        before = Counter(request.last for request in server.requests)
        replies.go_on.set()

        assert worker("--resume", settings, server.url, job_id).wait() == 0
        again = Counter(request.last for request in server.requests) - before
        print(f"resumed: asked again were {', '.join(sorted(text.removeprefix(ASKED) for text in again))}")
        assert sum(again.values()) == len(TOWNS) - len(done), again  # no finished call twice
        asked = len(server.requests)

        with mace.open(settings=settings, programs=[research]) as m:
            replayed = m.replay(job_id)
            print(f"replay: {replayed['result']}; the log verifies: {m.verify()['ok']}")
        assert replayed["result"] == "MATCH", replayed
        assert len(server.requests) == asked  # a replay asks nobody


def finished(m: mace.Mace, job_id: str) -> list[Any]:
    """The calls of all branches that have ended."""
    return [call for call in m.job(job_id)["calls"] if call["state"] == "done"]


def worker(what: str, settings: Settings, url: str, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, what, settings.location, settings.checkpoint_dir, *more]
    return subprocess.Popen(command, env={**os.environ, "EXAMPLE_MODEL_URL": url})


def run(location: str, checkpoint_dir: str) -> None:
    with mace.open(settings=Settings(location=location, checkpoint_dir=checkpoint_dir), programs=[research]) as m:
        m.perform(research, TOWNS, user_id="ana")


def resume(location: str, checkpoint_dir: str, job_id: str) -> None:
    with mace.open(settings=Settings(location=location, checkpoint_dir=checkpoint_dir), programs=[research]) as m:
        done = m.resume(job_id)
        assert done["status"] == "closed", done
        print(done["text"], flush=True)


class Replies:
    """Stands for a model: after so many replies the others are held back until it may go on."""

    def __init__(self, held_back_after: int) -> None:
        self.all_asked = threading.Event()
        self.go_on = threading.Event()
        self._left = held_back_after
        self._asked = 0
        self._lock = threading.Lock()

    def reply(self, request: ChatRequest) -> str:
        with self._lock:
            self._asked += 1
            held_back = self._asked > self._left
            if self._asked == len(TOWNS):
                self.all_asked.set()
        if held_back:
            self.go_on.wait()
        return f"{request.last.removeprefix(ASKED)} is a town by the sea."


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    elif sys.argv[1:2] == ["--resume"]:
        resume(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
