"""A tool that changes something waits until a person says yes.

    python examples/tools_and_approval.py [LOCATION]

The model wants to pay money back. The program asks a person first and waits; the answer comes from another process, as
it would from a web page or from `mace jobs answer`. After a no, nothing is paid.
"""

import json
import subprocess
import sys
import time
from typing import Any

import common

import mace
from mace.bridges.openai import wrap
from mace.settings import Settings
from mace.testing import ChatReply, ChatRequest, ToolCall

PAID: list[Any] = []  # stands for the bank
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "refund",
            "description": "Pay money back to the customer.",
            "parameters": {"type": "object", "properties": {"euros": {"type": "number"}}, "required": ["euros"]},
        },
    }
]

client = wrap(common.client)


def refund(arguments: Any) -> Any:
    PAID.append(arguments["euros"])
    return {"paid": arguments["euros"]}


@mace.program("complaints", version="1")
def complaints(job: mace.Job, complaint: Any) -> str:
    messages: list[Any] = [{"role": "user", "content": complaint}]
    for _ in range(5):
        said = client.chat.completions.create(model=common.MODEL, messages=messages, tools=TOOLS).choices[0].message
        messages.append(said)
        if not said.tool_calls:
            return said.content or ""
        for call in said.tool_calls:
            assert call.type == "function"
            arguments = json.loads(call.function.arguments)
            if job.ask_person(f"Refund {arguments['euros']} euros?", wait_ms=60_000) is True:
                result = job.call("refund", arguments, refund)  # not idempotent: never made twice, also after a crash
            else:
                result = {"refused": "a person said no, or nobody answered"}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return "I could not settle that."


def main(location: str | None = None) -> None:
    with (
        common.store(location) as settings,
        common.model(scripted),
        mace.open(settings=settings, programs=[complaints]) as m,
    ):
        for decision in ("yes", "no"):
            person = another_process(settings, decision)
            done = m.perform(complaints, "My parcel came broken.", user_id="ana")
            assert person.wait() == 0
            print(f"{done['text']}  (paid so far: {PAID})")
            replayed = m.replay(done["job_id"])
            print(f"replay: {replayed['result']}\n")
            assert replayed["result"] == "MATCH", replayed
        assert PAID == [40], PAID  # once: not after the no, and not by a replay


def another_process(settings: Settings, decision: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, __file__, "--answer", settings.location, settings.checkpoint_dir, decision]
    )


def answer(location: str, checkpoint_dir: str, decision: str) -> None:
    """Wait for a question, and answer it."""
    with mace.open(settings=Settings(location=location, checkpoint_dir=checkpoint_dir)) as m:
        while not (waiting := m.jobs.list(status="waiting")["items"]):
            time.sleep(0.05)
        job = m.job(waiting[0]["job_id"])
        question = job["waiting_for"][0]
        print(f"a person is asked: {question['text']} and says {decision}", flush=True)
        m.jobs.answer(job["job_id"], question["question_id"], decision == "yes")


def scripted(request: ChatRequest) -> str | ChatReply:
    """Stands for a model: it wants to pay, then says what came of it."""
    last = request.messages[-1]
    if last["role"] == "tool":
        return "You get 40 euros back." if "paid" in json.loads(last["content"]) else "I am sorry, there is no refund."
    return ChatReply(tool_calls=[ToolCall("refund", {"euros": 40})])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
