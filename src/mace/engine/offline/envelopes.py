"""The standard envelope of a failure that belongs to no job, the same for every door.

Words come from the table of `core.errors` and ids are fresh; a door adds its exit code or its HTTP status.
"""

import errno
import traceback
from typing import Any

from mace.core import seeds
from mace.core.errors import MaceError, ServiceUnavailable, StorageFull, envelope
from mace.core.times import iso_ms
from mace.providers.ports import Clock, Entropy


def make_envelope(code: str, details: dict[str, Any], clock: Clock, entropy: Entropy) -> dict[str, Any]:
    """Build the envelope of a code of the table, with fresh ids."""
    seed = entropy.token(32).hex()
    return envelope(
        code,
        query_id=seeds.job_id(seed),
        trace_id=seeds.trace_id(seed),
        timestamp=iso_ms(clock.now()),
        details=details,
    )


def envelope_of(error: Exception, clock: Clock, entropy: Entropy) -> dict[str, Any]:
    """Build the envelope of any exception; `meta.bug` is set when it should not have come out of MACE."""
    known = error if isinstance(error, MaceError) else _translated(error)
    made = make_envelope(known.code, dict(known.details), clock, entropy)
    text = str(known)
    if text and text.rstrip(".") not in made["developer_message"]:
        made["developer_message"] += f" {text[0].upper()}{text[1:].rstrip('.')}."
    return made


def _translated(error: Exception) -> MaceError:
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StorageFull("no space left on the device")
        where = f" ({error.filename})" if error.filename else ""
        return ServiceUnavailable(f"{error.strerror or type(error).__name__}{where}")
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}" if frames else ""
    return ServiceUnavailable(f"internal error: {type(error).__name__}{place}", bug=True)
