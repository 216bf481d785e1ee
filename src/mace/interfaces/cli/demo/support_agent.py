"""The agent of `mace demo`: it looks up a parcel, opens a ticket and answers. Its tools stand for the network."""

import sys
import time
from pathlib import Path
from typing import Any

import mace


def outside(tool: str) -> None:
    """Note that a tool was really called."""
    with Path("outside.txt").open("a") as file:
        file.write(f"{tool}\n")


def find_parcel(request: dict[str, Any]) -> dict[str, Any]:
    outside("find_parcel")
    return {"city": "Lyon", "days_late": 3, "words": len(request["question"].split())}


def read_rules(request: dict[str, Any]) -> dict[str, Any]:
    outside("read_rules")
    return {"rule": "three days late: open a ticket"}


def open_ticket(request: dict[str, Any]) -> dict[str, Any]:
    outside("open_ticket")
    return {"ticket": "T-1"}


def chat(request: dict[str, Any]) -> dict[str, Any]:
    outside("chat")
    if Path("slow").exists():
        time.sleep(600)
    return {"text": f"It is in {request['city']}; I opened {request['ticket']}.", "usage": {"total_tokens": 46}}


@mace.program("support", version="1")
def support(job: mace.Job, question: str) -> mace.Ending:
    parcel = job.call("find_parcel", {"question": question}, find_parcel, idempotent=True)
    with job.branch("rules") as branch:
        branch.call("read_rules", {"days_late": parcel["days_late"]}, read_rules, idempotent=True)
    ticket = job.call("open_ticket", {"city": parcel["city"]}, open_ticket)  # never twice
    reply = job.call("chat", {"city": parcel["city"], **ticket}, chat, idempotent=True)
    return job.answer(reply["text"], evidence=[parcel, ticket])


if __name__ == "__main__":
    with mace.open(programs=[support]) as m:
        print(m.perform(support, sys.argv[1], user_id=sys.argv[2], job_seed=f"demo-{sys.argv[2]}")["text"])
