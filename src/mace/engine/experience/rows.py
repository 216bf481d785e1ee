"""A Megram on its way: as the ledger's events write it, as a row of a store, as callers see it."""

import base64
from typing import Any

from mace.core.errors import IntegrityFailure
from mace.memory.experience.megrams import iso_of, read_instant, to_us
from mace.storage.experience_ports import MegramRow


def to_json(row: MegramRow) -> dict[str, Any]:
    """What an event holds of a Megram; its place is the event's own."""
    return {
        "id": row.megram_id,
        "level": row.level,
        "created_at": iso_of(row.created_us),
        "space": row.space,
        "entity": row.entity,
        "content": base64.b64encode(row.content).decode(),
        "key_refs": list(row.key_refs),
        "state": row.state,
        "f": row.f,
        "sigma": row.sigma,
        "k": row.k,
    }


def from_json(data: dict[str, Any], place: int, *, marked: bool = False) -> MegramRow:
    """Return the row of a Megram from its JSON form in an event."""
    megram_id = data["id"]
    # The id begins with the instant: reading it back is a good deal quicker than reading the text.
    return MegramRow(
        megram_id,
        data["level"],
        int(megram_id[:16], 16),
        data["space"],
        data["entity"],
        base64.b64decode(data["content"]),
        tuple(data["key_refs"]),
        data["state"],
        float(data["f"]),
        float(data["sigma"]),
        float(data["k"]),
        place,
        marked,
    )


def check_id(megram_id: str, created_at: Any) -> int:
    """Return the instant of a Megram that came from elsewhere, if its id tells the same."""
    created_us = to_us(read_instant(created_at, "created_at"))
    if megram_id[:16] != f"{created_us:016x}":
        raise IntegrityFailure("the id of a megram does not begin with its created_at")
    return created_us


def shown(row: MegramRow, content: str | None, recalled_us: int | None) -> dict[str, Any]:
    """A Megram as callers see it, by the names of the text; erased content is blank."""
    return {
        "id": row.megram_id,
        "level": row.level,
        "created_at": iso_of(row.created_us),
        "last_recalled_at": None if recalled_us is None else iso_of(recalled_us),
        "space": row.space,
        "entity": row.entity,
        "content": content or "",
        "state": row.state,
        "f": row.f,
        "sigma": row.sigma,
        "k": row.k,
    }
