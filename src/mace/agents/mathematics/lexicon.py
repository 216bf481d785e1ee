"""The words and signs mathematics is written with.

Pure tables. A word that stands in none of them is never given a meaning: the question is declined. Adding a word here
makes the parser accept it everywhere, so add only words with one meaning.
"""

from fractions import Fraction
from typing import Final

# Signs that are other writings of a plain one.
SIGNS: Final[dict[str, str]] = {
    "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "•": "*", "÷": "/", "∕": "/", "⁄": "/", "−": "-",
    "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "…": "..", "∑": "Σ", "∏": "Π",
    "∫": "∫", "Σ": "Σ", "Π": "Π", "∂": "∂", "√": "√", "∛": "∛", "°": "°", "∞": "∞",
}  # fmt: skip
PLAIN_SIGNS: Final = ("**", "->", "<=", ">=", "==", "!=", "..", *"+-*/^=<>()[]{}|!%,;:_.?")
SUPERSCRIPTS: Final = {sign: str(digit) for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")} | {"⁻": "-"}
VULGAR: Final = {
    "½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4),
    "⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅗": Fraction(3, 5), "⅘": Fraction(4, 5), "⅙": Fraction(1, 6),
    "⅛": Fraction(1, 8), "⅜": Fraction(3, 8), "⅝": Fraction(5, 8), "⅞": Fraction(7, 8),
}  # fmt: skip

GREEK: Final = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
GREEK_LETTERS: Final = frozenset(GREEK.values()) | frozenset("ϕϑϵΓΔΘΛΞΦΨΩ")

# Products of single letters that people write as one word; "by", "is" or "ad" must never become products.
LETTER_PRODUCTS: Final = frozenset({"ab", "ac", "bc", "abc", "xy", "xz", "yz", "xyz", "xe"})

# Canonical function -> (fewest, most) arguments. 99 means a list.
ARITY: Final[dict[str, tuple[int, int]]] = {
    **dict.fromkeys(("sin", "cos", "tan", "sec", "csc", "cot", "asin", "acos", "atan"), (1, 1)),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), (1, 1)),
    **dict.fromkeys(("exp", "ln", "sqrt", "cbrt", "abs", "floor", "ceil", "sign", "factorial"), (1, 1)),
    "log": (1, 2), "binomial": (2, 2), "mod": (2, 2), "round": (1, 2),
    "gcd": (2, 99), "lcm": (2, 99), "min": (2, 99), "max": (2, 99), "mean": (1, 99), "median": (1, 99),
}  # fmt: skip
FUNCTIONS: Final = {name: name for name in ARITY if name not in ("round", "sign", "mod", "mean", "median")} | {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "cosec": "csc", "sine": "sin", "cosine": "cos", "tangent": "tan", "ceiling": "ceil",
    "sgn": "sign", "logarithm": "log", "exponential": "exp",
}  # fmt: skip
TRIGONOMETRIC: Final = frozenset({"sin", "cos", "tan", "sec", "csc", "cot"})
INVERSES: Final = {"sin": "asin", "cos": "acos", "tan": "atan", "sinh": "asinh", "cosh": "acosh", "tanh": "atanh"}
# "sinx", "cosθ": written together only with these letters ("cost" is a word).
GLUED: Final = {name + letter: (name, letter) for name in ("sin", "cos", "tan", "ln", "log") for letter in ("x", "θ")}

# Phrases before an operand, longest first where one starts another.
NAMED_FUNCTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("square root of", "sqrt"), ("square root", "sqrt"), ("cube root of", "cbrt"), ("cubic root of", "cbrt"),
    ("cube root", "cbrt"), ("absolute value of", "abs"), ("natural logarithm of", "ln"), ("natural log of", "ln"),
    ("factorial of", "factorial"),
)  # fmt: skip

PLUS_WORDS: Final[tuple[tuple[str, str], ...]] = (("plus", "+"), ("minus", "-"))
TIMES_WORDS: Final[tuple[tuple[str, str], ...]] = (
    ("times", "*"), ("multiplied by", "*"), ("divided by", "/"), ("over", "/"), ("modulo", "mod"), ("mod", "mod"),
)  # fmt: skip
POWER_WORDS: Final = ("to the power of", "raised to the power of", "raised to the", "raised to", "to the power")

NUMBER_WORDS: Final[dict[str, Fraction]] = {
    word: Fraction(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")
    )
} | {
    word: Fraction(10 * number)
    for number, word in enumerate(("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 3)
}  # fmt: skip
FRACTION_WORDS: Final = {
    "half": Fraction(1, 2), "third": Fraction(1, 3), "thirds": Fraction(1, 3), "quarter": Fraction(1, 4),
    "quarters": Fraction(1, 4), "fourth": Fraction(1, 4), "fourths": Fraction(1, 4), "fifth": Fraction(1, 5),
    "fifths": Fraction(1, 5), "tenth": Fraction(1, 10), "tenths": Fraction(1, 10),
}  # fmt: skip
SCALE_WORDS: Final = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12
}  # fmt: skip

ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}

# What may stand before a question without changing it. The second column says that it demands a computation.
LEAD_INS: Final[tuple[tuple[str, bool], ...]] = (
    ("please", False), ("hey", False), ("hi", False), ("hello", False), ("ok", False), ("so", False),
    ("can you", False), ("could you", False), ("would you", False), ("tell me", False), ("give me", False),
    ("show me", False), ("i want to know", False), ("do you know", False),
    ("what is", False), ("what's", False), ("whats", False), ("what are", False), ("what does", False),
    ("how much is", False), ("how much are", False), ("how much does", False),
    ("the value of", True), ("the result of", True), ("the answer to", True), ("the answer of", True),
    ("value of", True), ("result of", True), ("the", False),
    ("calculate", True), ("compute", True), ("evaluate", True), ("work out", True), ("figure out", True),
    ("find", False), ("determine", False), (":", False), (",", False),
)  # fmt: skip
TAILS: Final = ("?", ".", "please", "thanks", "thank you", "equal to", "equals", "equal", "=", "for me")
