"""Long dialogues with questions, made from hand-written parts; see `make` for how, and `HASHES` for what is frozen.

They were fixed before any retrieval was run on them. A change of a part, of the generator or of a seed changes a hash,
which a test compares with the ones written here.
"""

from benchmarks.recall.dialogues.make import CLASSES, DIALOGUES, Dialogue, Question, Turn, another, fingerprint, make

__all__ = ["CLASSES", "DIALOGUES", "HASHES", "Dialogue", "Question", "Turn", "another", "fingerprint", "make"]

HASHES = {
    "friends-1": "78d371eb447eb4d5c0a3765f0b0b32c1babd2a21f4f7f55d37a08183e26cc39b",
    "friends-2": "1f40db10dbc6d77f2555f67032043e7c8934fd939fecf3387bf5f55675be61e1",
    "friends-3": "4dc3e8dce92ea3a22a24e1cca0d9a2b0c582fbc94eb67ef727e7118592813a77",
    "friends-4": "c0d0b241e00cc70c0d3d20d7ddb0b88df99340202d7cebbab7eed998beed5fa2",
    "friends-5": "9a870e0cd81784961358d3364ba57b22af3173bf5a2dcc0bb2fcdc66f0900389",
    "assistant-1": "3c4cb5667980fb84f89415add07b2495189af7f00b2d1a0838e4af94698a2e63",
    "assistant-2": "b968b6ed20582dbfbf4cb3d3f525307dfda0beb50f0e83e06334f9ec210774aa",
    "assistant-3": "5a5248b389c180a403ded8ae755b17b325bc233426881fb69a4f49f89e50e8f4",
    "assistant-4": "25cab86427a446ba8ea8ac99c9b6714658ff2214da241018baed5afa2c16dbe8",
}
