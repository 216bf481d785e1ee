"""What a person's own words were in experience, for an export of what belongs to them.

Read from the ledger, not from the store of experience: what was forgotten as experience is still theirs until it is
erased.
"""

from typing import Any

from mace.core import canon
from mace.engine.experience import rows
from mace.engine.experience.contents import Contents
from mace.storage.ports import Tx

REF_PREFIXES = ("job/", "experience/")


def under(tx: Tx, contents: Contents, ref: str) -> list[dict[str, Any]]:
    """The Megrams whose words are sealed under this key and can be read."""
    if not ref.startswith(REF_PREFIXES):
        return []
    found: list[dict[str, Any]] = []
    for event in tx.events.of_stream(ref.split("/")[1]):
        if event.event_type not in ("MEGRAM_WRITTEN", "EXPERIENCE_IMPORTED"):
            continue
        payload = canon.loads(event.body)["payload"]
        for item in payload["megrams"] if "megrams" in payload else [payload["megram"]]:
            if ref in item["key_refs"]:
                row = rows.from_json(item, event.position)
                words = contents.open(tx, row)
                if words is not None:
                    found.append(rows.shown(row, words, None))
    return found
