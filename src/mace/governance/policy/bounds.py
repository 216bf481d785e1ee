"""How deep a policy text may nest, found by one look over it before the parser sees it.

Pure. Cedar's parser calls itself for what nests, and a text that nests too deeply ends the process that parses it. What
is counted here is what makes it do so: open brackets, `if`, and the operators that one policy puts together. Comments
and strings are skipped. The look is no parser: a text it lets pass may still be wrong.
"""

import re
from typing import Final

from mace.core.errors import InvalidInput

MAX_POLICY_BYTES: Final = 256 * 1024
MAX_OPEN_BRACKETS: Final = 32
MAX_IFS: Final = 64  # in one policy
MAX_OPERATORS: Final = 500  # in one policy: && || ! + - * . and opening brackets

# A string or comment that does not end takes all that is left; possessive, so that the look stays linear.
_TOKEN: Final = re.compile(r"//[^\n\r]*|\"(?:\\.|[^\"\\])*+\"?|[A-Za-z_][A-Za-z0-9_]*+|&&|\|\||[()\[\]{}!+*.;-]", re.S)
_CLOSING: Final = frozenset(")]}")
_OPENING: Final = frozenset("([{")
_OPERATORS: Final = frozenset(("&&", "||", "!", "+", "-", "*", ".", *_OPENING))


def check_bounds(text: str) -> None:
    """Raise `InvalidInput` for a policy text that is too long or nests too deeply; names the limit."""
    size = len(text.encode())
    if size > MAX_POLICY_BYTES:
        raise InvalidInput(f"text has {size} bytes, a policy may have at most {MAX_POLICY_BYTES}")
    depth = ifs = operators = 0
    for found in _TOKEN.finditer(text):
        symbol = found[0]
        if symbol in _OPERATORS:
            operators += 1
            if operators > MAX_OPERATORS:
                raise InvalidInput(f"text has more than {MAX_OPERATORS} operators in one policy")
            if symbol in _OPENING:
                depth += 1
                if depth > MAX_OPEN_BRACKETS:
                    raise InvalidInput(f"text nests brackets deeper than {MAX_OPEN_BRACKETS}")
        elif symbol in _CLOSING:
            depth = max(depth - 1, 0)
        elif symbol == "if":
            ifs += 1
            if ifs > MAX_IFS:
                raise InvalidInput(f"text has more than {MAX_IFS} uses of if in one policy")
        elif symbol == ";" and depth == 0:
            ifs = operators = 0
