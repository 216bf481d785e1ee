"""Other code on the record: `recorded` for tools, `mace.bridges.openai` for a client of that library.

from mace.bridges import recorded

find_parcel = recorded(find_parcel, idempotent=True)
"""

from mace.interfaces.bridges.tools import recorded

__all__ = ["recorded"]
