"""Where something was raised, as it is kept: sealed, because a stack may quote what a person wrote.

Never unencrypted on the ledger and never in an answer; there the type of an exception is all that is told.
"""

import traceback
from typing import Any

MAX_CHARACTERS = 32_000  # the beginning and the end of a longer one are kept


def stack_of(error: BaseException) -> dict[str, Any]:
    """The type of an exception and its whole stack, as JSON."""
    told = "".join(traceback.format_exception(error))
    text = told.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
    if len(text) > MAX_CHARACTERS:
        half = MAX_CHARACTERS // 2
        text = f"{text[:half]}\n... {len(text) - MAX_CHARACTERS} characters ...\n{text[-half:]}"
    return {"exception": type(error).__name__, "stacktrace": text}
