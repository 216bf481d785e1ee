"""A process that keeps turns, or erases them, and may be killed at a named boundary.

    python talker.py SETTINGS_JSON ACTION BOUNDARY NTH

Actions: `remember` (a list of turns, with an idempotency key), `recall`, `ask` (a question in a conversation), and
`person`, `conversation` or `turn` (the owner decides that all of ana, one conversation or one turn of hers goes).
"""

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import governed
from mace import wiring
from mace.engine.people import index
from mace.settings import Settings

KEYS = {"person": None, "conversation": ["conversation/birds"], "turn": ["turn/user_ana/00000000"]}


def main() -> None:
    settings, action, boundary, nth = sys.argv[1:5]
    hits, armed = 0, False
    index.PART = 2

    def hook(name: str) -> None:
        nonlocal hits
        if armed and name == boundary:
            hits += 1
            if hits == int(nth):
                os.kill(os.getpid(), signal.SIGKILL)

    with wiring.open_mace(settings=Settings(**json.loads(settings)), boundary=hook) as mace:
        owner = governed.owned(mace)
        if action == "remember":
            turns = [{"role": "user", "content": f"The finch sang {number} songs."} for number in range(3)]
            armed = True
            mace.remember("ana", turns, conversation_id="birds", idempotency_key="once")  # type: ignore[arg-type]
        elif action == "ask":
            armed = True
            mace.ask("My favorite bird is a finch", "ana", conversation_id="birds")
        elif action == "recall":
            armed = True
            mace.recall("ana", "finch owl songs")
        else:
            proof = owner.accounts.issue_identity_proof("ana")["proof"]
            asked = owner.request_dsr("ana", "delete", proof, KEYS[action])["request_id"]
            assert asked is not None
            armed = True
            owner.vote(asked, "owner", "approve")
        armed = False


if __name__ == "__main__":
    main()
