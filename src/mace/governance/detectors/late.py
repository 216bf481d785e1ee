"""Patterns that are compiled when they are first used.

Pure. The rules hold some two hundred patterns; compiling them all would make importing MACE slow for programs that
never meet personal data. A stand-in behaves as the compiled pattern from its first use on.
"""

import re
from typing import Any, cast


class _Late:
    """Stands for a pattern until one of its methods is asked for, then carries them itself."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # reached only before the first use
        compiled = re.compile(self.pattern, self._flags)
        for method in ("match", "fullmatch", "search", "finditer", "findall", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used."""
    return cast("re.Pattern[str]", _Late(source, flags))
