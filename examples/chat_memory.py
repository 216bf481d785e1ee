"""A chat that forgets, and the same chat with a memory: two calls, and the second day remembers the first.

    python examples/chat_memory.py [LOCATION]

It talks to a scripted model on this machine, or to the one that EXAMPLE_MODEL_URL and EXAMPLE_MODEL name.
"""

import re
import sys
from typing import Any

import common

import mace
from mace.testing import ChatRequest

USER = "ana"
FIRST_DAY = ["I moved to Lyon, and I play tennis on Sundays.", "My racket broke yesterday."]
SECOND_DAY = "Where could I play this week?"


# The chat, as it was before MACE: it knows what is in its prompt, and nothing else.


def chat(text: str, known: str = "") -> str:
    messages: Any = [
        {"role": "system", "content": f"You are a helpful neighbour.\n{known}".strip()},
        {"role": "user", "content": text},
    ]
    return common.client.chat.completions.create(model=common.MODEL, messages=messages).choices[0].message.content or ""


# The same chat with a memory: recall before it, remember after it.


def chat_that_knows(m: mace.Mace, text: str, day: str) -> str:
    known = m.recall(USER, text, budget_tokens=400)
    reply = chat(text, known["text"])
    said: Any = [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
    m.remember(USER, said, conversation_id=day)
    return reply


def main(location: str | None = None) -> None:
    with common.store(location) as settings, common.model(scripted):
        for text in FIRST_DAY:
            chat(text)
        print("before:", chat(SECOND_DAY))

        with mace.open(settings=settings) as m:
            for text in FIRST_DAY:
                chat_that_knows(m, text, "day 1")

        # A day and a process later.
        with mace.open(settings=settings) as m:
            print("after: ", chat_that_knows(m, SECOND_DAY, "day 2"))
            what_was_in_the_prompt(m)


def what_was_in_the_prompt(m: mace.Mace) -> None:
    known = m.recall(USER, SECOND_DAY, budget_tokens=400)
    print(f"\n{known['text']}\n")
    for item in known["items"]:
        print(f"  {item['kind']}  {item['why']:9}  {item['conversation_id']}  {item['ref']}")
    print(f"\non the ledger: {m.event(known['receipt'])[0]['event_type']}, {len(known['items'])} items by name")
    print("somebody else is told:", repr(m.recall("bo", SECOND_DAY)["text"]))
    print("the log verifies:", m.verify()["ok"])


def scripted(request: ChatRequest) -> str:
    """Stands for a model: it can say what its prompt holds, and no more."""
    asked, prompt = request.messages[-1]["content"], request.messages[0]["content"]
    if not asked.endswith("?"):
        return "I see."
    town = re.search(r"moved to (\w+)", prompt)
    return f"At the tennis club of {town[1]}." if town and "tennis" in prompt else "I do not know where you live."


if __name__ == "__main__":
    main(*sys.argv[1:])
