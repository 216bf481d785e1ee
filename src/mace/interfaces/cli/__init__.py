"""The command line: parse, call one verb, show. `mace` is `main`.

Importing this loads click and nothing of MACE; each command imports what it needs when it runs, so that `mace --help`
stays quick. Text for people goes through `output`, every failure through `errors`, and nothing here decides anything
that the engine could decide.
"""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted."""
    from mace.interfaces.cli.errors import run
    from mace.interfaces.cli.session import Session

    return run(sys.argv[1:] if arguments is None else arguments, Session())
