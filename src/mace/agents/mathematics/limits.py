"""The bounds that hold before anything is computed.

Pure numbers. What passes them is still computed in a worker that can be stopped; they exist so that the plainly
hopeless (9^9^9^9) is refused by looking at it, and so that reading a text costs little whatever the text is.
Raising `MAX_DIGITS` above 4300 would meet Python's own limit on turning integers into text.
"""

MAX_TEXT_CHARACTERS = 1_000
MAX_TOKENS = 400
MAX_DEPTH = 60  # of the parser: a pair of parentheses counts three times
MAX_TREE_DEPTH = 60  # of what was read: everything that walks it stays far below the interpreter's limit
MAX_LITERAL_DIGITS = 200
MAX_VARIABLES = 6
MAX_EQUATIONS = 6
MAX_DIGITS = 4_000  # of an exact integer, numerator or denominator
MAX_MAGNITUDE = 1_000_000.0  # decimal exponent of a number that is only approximated
MAX_SYMBOLIC_EXPONENT = 10_000  # of something that holds a variable
MAX_EXPANDED_TERMS = 2_000  # estimated, of a power of a sum that holds a variable
MAX_DERIVATIVE_ORDER = 20
MAX_ANSWER_CHARACTERS = 12_000
APPROXIMATE_DIGITS = 10
