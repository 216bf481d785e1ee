"""A chat loop with tools, before and after: the loop you have, and the same loop on the record.

    python examples/openai_loop.py [LOCATION]

It talks to a scripted model on this machine, or to the one that EXAMPLE_MODEL_URL and EXAMPLE_MODEL name.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import common
import openai

import mace
from mace.bridges.openai import wrap
from mace.testing import ChatReply, ChatRequest, ToolCall

QUESTION = "Where is parcel 7?"
PARCELS = {"7": "Ghent"}
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "find_parcel",
            "description": "Where a parcel is now.",
            "parameters": {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]},
        },
    }
]


def find_parcel(arguments: Any) -> Any:
    """A tool: what it finds changes from day to day."""
    return {"place": PARCELS.get(str(arguments.get("number")), "unknown")}


# The loop, as it was before MACE. It stays as it is.


def answer(client: openai.OpenAI, question: str, run_tool: Callable[[str, Any], Any]) -> str:
    messages: list[Any] = [
        {"role": "system", "content": "You answer questions about parcels. Use find_parcel."},
        {"role": "user", "content": question},
    ]
    for _ in range(5):
        said = client.chat.completions.create(model=common.MODEL, messages=messages, tools=TOOLS).choices[0].message
        messages.append(said)
        if not said.tool_calls:
            return said.content or ""
        for call in said.tool_calls:
            assert call.type == "function"
            found = run_tool(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(found)})
    return "I could not find that out."


# The same loop on the record: the client is wrapped, and the tool is a call of the job.

recorded = wrap(common.client)


@mace.program("parcels", version="1")
def parcels(job: mace.Job, question: Any) -> str:
    return answer(recorded, question, lambda name, arguments: job.call(name, arguments, find_parcel, idempotent=True))


def main(location: str | None = None) -> None:
    with common.store(location) as settings:
        with common.model(scripted), mace.open(settings=settings, programs=[parcels]) as m:
            print("before:", answer(common.client, QUESTION, lambda _name, arguments: find_parcel(arguments)))
            done = m.perform(parcels, QUESTION, user_id="ana")
            print("after: ", done["text"])

        # The model is gone and the parcel has moved on. The record has not.
        PARCELS["7"] = "Riga"
        with mace.open(settings=settings, programs=[parcels]) as m:
            replayed = m.replay(done["job_id"])
            print("replay:", replayed["result"])
            assert replayed["result"] == "MATCH", replayed
            what_an_auditor_sees(m, done["job_id"])


def what_an_auditor_sees(m: mace.Mace, job_id: str) -> None:
    job = m.job(job_id)
    print(f"\njob {job_id}: {job['program']} {job['version']} for {job['person']}, {job['status']}")
    for call in job["calls"]:
        print(f"  {call['number']}  {call['name']:12} {call['state']:6} {call['started_at']}")
    print(f"  {job['tokens']} tokens")
    print("the log verifies:", m.verify()["ok"])


def scripted(request: ChatRequest) -> str | ChatReply:
    """Stands for a model: it wants the tool called, then says what the tool found."""
    last = request.messages[-1]
    if last["role"] == "tool":
        return f"Parcel 7 is in {json.loads(last['content'])['place']}."
    return ChatReply(tool_calls=[ToolCall("find_parcel", {"number": "7"})])


if __name__ == "__main__":
    main(*sys.argv[1:])
