"""Reading records that decide something: one that is not what was signed decides nothing."""

from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure
from mace.ledger import records
from mace.providers.ports import Keys
from mace.storage.ports import Record


def read(keys: Keys, record: Record) -> dict[str, Any]:
    """The content of a record, checked; `IntegrityFailure` when somebody wrote or changed it who was not the server."""
    if not records.is_signed(record, keys.check):
        raise IntegrityFailure(f"{record.kind} {record.key} does not match its signature; run verify")
    content: dict[str, Any] = canon.loads(record.body)
    return content
