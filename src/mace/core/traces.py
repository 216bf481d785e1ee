"""The `traceparent` of W3C Trace Context: who called, in another system's trace.

Pure. It is recorded for people who follow a call across systems; nothing is decided by it, and MACE's own `trace_id`s
stay derived from the seed.
"""

import re
from typing import Any

_FORM = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_KNOWN_CHARS = 55


def read_traceparent(given: Any) -> str | None:
    """Return the part of a traceparent that is defined, or None for what is malformed: that is ignored, not stored."""
    found = _FORM.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        return None
    version, trace_id, parent_id, _, more = found.groups()
    if version == "ff" or set(trace_id) == {"0"} or set(parent_id) == {"0"} or (more and version == "00"):
        return None
    return str(given[:_KNOWN_CHARS])  # a later version may add fields that nobody can read yet
