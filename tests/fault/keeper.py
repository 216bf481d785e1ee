"""A process that makes, takes away or wraps anew the keys of people, and may be killed at a named boundary.

    python keeper.py SETTINGS_JSON ACTION BOUNDARY NTH

Actions: `come` (two people write for the first time), `erase` (the council decides that bob goes), `rotate`.
"""

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import governed
from mace import wiring
from mace.settings import Settings


def main() -> None:
    settings, action, boundary, nth = sys.argv[1:5]
    hits, armed = 0, False

    def hook(name: str) -> None:
        nonlocal hits
        if armed and name == boundary:
            hits += 1
            if hits == int(nth):
                os.kill(os.getpid(), signal.SIGKILL)

    with wiring.open_mace(settings=Settings(**json.loads(settings)), boundary=hook) as mace:
        owner = governed.owned(mace)
        if action == "erase":
            proof = owner.accounts.issue_identity_proof("bob")["proof"]
            asked = owner.request_dsr("bob", "delete", proof)["request_id"]
            assert asked is not None
            armed = True
            owner.vote(asked, "owner", "approve")
        elif action == "rotate":
            armed = True
            owner.rotate_master_key()
        else:
            armed = True
            for who in ("ada", "cy"):
                assert mace.sem_put(f"user/profile/user_{who}/food", "plum", "user", user_id=who)["success"]
        armed = False


if __name__ == "__main__":
    main()
