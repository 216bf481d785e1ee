"""From tokens to one expression: a recursive-descent parser that never goes back.

Pure. It stops at the first token that cannot continue an expression; whether anything may follow is the question's
business. Where people read one writing in two ways (1/2x, e^2x, sin x/2) it refuses rather than chooses.
Each nested part costs a handful of Python frames: `MAX_DEPTH` keeps them far below the interpreter's limit.
"""

from fractions import Fraction
from typing import Final, NoReturn

from mace.agents.mathematics import lexicon, limits
from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.cursor import Cursor, NotThisForm, variable_name
from mace.agents.mathematics.number_words import take_number_words
from mace.agents.mathematics.tree import (
    Add,
    Call,
    Constant,
    Degrees,
    Factor,
    Factorial,
    Multiply,
    Negate,
    Node,
    Number,
    PartOf,
    Percent,
    Power,
    Sign,
    Variable,
)

CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_ONE_FACTOR: Final = frozenset({"sqrt", "cbrt", "abs", "factorial", "floor", "ceil"})
_MAX_SUFFIXES: Final = 5
_PERCENT_WORDS: Final = ("%", "percent", "per cent", "pct")


def expression(cursor: Cursor) -> Node:
    """Read the longest expression that starts here; raise `NotThisForm` when there is none."""
    return _Parser(cursor).sum()


def whole_expression(cursor: Cursor) -> Node:
    """Read an expression that takes everything that is left."""
    node = expression(cursor)
    cursor.need_end()
    return node


def operand(cursor: Cursor) -> Node:
    """Read one number, name, function or group, and nothing multiplied or raised."""
    return _Parser(cursor).primary()


def _ambiguous() -> NoReturn:
    raise Refusal("it can be read in two ways; parentheses would tell", "ambiguous")


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.depth = 0
        self.bars = 0  # open |

    # -- levels, loosest first

    def sum(self) -> Node:
        self.cursor.take("+")
        terms: list[tuple[Sign, Node]] = [("+", self._part())]
        while (sign := self._add_sign()) is not None:
            terms.append((sign, self._part()))
        return terms[0][1] if len(terms) == 1 else Add(tuple(terms))

    def _add_sign(self) -> Sign | None:
        taken = self.cursor.take("+", "-", "plus", "minus")
        if taken is None:
            return None
        return "+" if taken in ("+", "plus") else "-"

    def _part(self) -> Node:
        self._deeper()
        node = self._product()
        if isinstance(node, Percent) and self.cursor.take("off of", "off", "discount on"):
            node = PartOf(node, self._part(), off=True)
        elif _is_fraction(node) and self.cursor.take("of"):
            node = PartOf(node, self._part())
        self.depth -= 1
        return node

    def _product(self) -> Node:
        factors: list[tuple[Factor, Node]] = [("*", self._signed())]
        while True:
            operator = self._times_sign()
            if operator is not None:
                factors.append((operator, self._signed()))
            elif self._operand_follows():
                if factors[-1][0] == "/" and self.cursor.current.tight:
                    _ambiguous()  # 1/2x
                factors.append(("*", self._power()))
            else:
                return factors[0][1] if len(factors) == 1 else Multiply(tuple(factors))

    def _times_sign(self) -> Factor | None:
        cursor = self.cursor
        if cursor.take("*", "times", "multiplied by"):
            return "*"
        if cursor.take("/", "divided by", "over"):
            return "/"
        if cursor.take("modulo", "mod"):
            return "mod"
        if cursor.current.text == "%":  # `_postfix` left it, so it stands between two operands
            cursor.step()
            return "mod"
        if cursor.current.word == "x" and cursor.ahead(1).kind == "number":
            before = cursor.ahead(-1)
            if before.kind == "number" or before.text in (")", "%", "!"):
                cursor.step()
                cursor.x_means_times = True
                return "*"
        return None

    def _signed(self) -> Node:
        self._deeper()
        node = Negate(self._signed()) if self.cursor.take("-", "minus", "negative") else self._power()
        self.depth -= 1
        return node

    def _power(self) -> Node:
        base = self._postfix()
        token = self.cursor.current
        if token.kind == "superscript" and token.value is not None:
            self.cursor.step()
            return Power(base, Number(token.value))
        if self.cursor.take("^", *lexicon.POWER_WORDS) is None:
            return base
        exponent = self._signed()
        following = self.cursor.current
        if isinstance(base, Number | Constant):
            bare = exponent.operand if isinstance(exponent, Negate) else exponent
            if isinstance(bare, Number | Variable) and following.tight and following.kind == "word":
                _ambiguous()  # e^2x, e^xy
        return Power(base, exponent)

    def _postfix(self) -> Node:
        node = self.primary()
        cursor = self.cursor
        for _ in range(_MAX_SUFFIXES):
            if cursor.take("!", "factorial"):
                if cursor.ahead(-2).text == "!":
                    _ambiguous()  # 5!! is usually not (5!)!
                node = Factorial(node)
            elif cursor.take("squared"):
                node = Power(node, Number(Fraction(2)))
            elif cursor.take("cubed"):
                node = Power(node, Number(Fraction(3)))
            elif cursor.take("°", "degrees", "degree", "deg"):
                node = Degrees(node)
            elif self._percent_ends_here():
                cursor.take(*_PERCENT_WORDS)
                node = Percent(node)
            elif cursor.take("choose"):
                node = Call("binomial", (node, self.primary()))
            else:
                return node
        raise Refusal("it is nested too deeply", "too_large")

    def _percent_ends_here(self) -> bool:
        """Tell 15% from 17 % 5 by the spaces; where they do not tell, refuse."""
        token, following = self.cursor.current, self.cursor.ahead(1)
        if token.text != "%":
            return any(self.cursor.sees(phrase) for phrase in _PERCENT_WORDS)
        starts = following.kind == "number" or following.text in CLOSING or variable_name(following) is not None
        if not starts:
            return True
        if token.tight != following.tight:
            _ambiguous()
        return False

    # -- operands

    def primary(self) -> Node:
        self._deeper()
        node = self._operand()
        self.depth -= 1
        return node

    def _operand(self) -> Node:
        cursor = self.cursor
        token = cursor.current
        if token.kind == "number" and token.value is not None:
            cursor.step()
            scale = 1
            while cursor.current.word in lexicon.SCALE_WORDS:
                scale *= lexicon.SCALE_WORDS[cursor.step().word]
            return Number(token.value * scale, token.decimal and scale == 1)
        if token.text in CLOSING:
            return self._grouped()
        if token.text == "|" and not self.bars:
            return self._absolute()
        if token.text in ("√", "∛"):
            return self._root()
        if token.text == "∞" or token.word in ("infinity", "inf"):
            cursor.step()
            return Constant("infinity")
        if token.kind == "word":
            return self._word()
        raise NotThisForm

    def _grouped(self) -> Node:
        closing = CLOSING[self.cursor.step().text]
        bars, self.bars = self.bars, 0
        node = self.sum()
        self.bars = bars
        self.cursor.need(closing)
        return node

    def _absolute(self) -> Node:
        self.cursor.step()
        self.bars += 1
        node = self.sum()
        self.bars -= 1
        self.cursor.need("|")
        return Call("abs", (node,))

    def _root(self) -> Node:
        name = "sqrt" if self.cursor.step().text == "√" else "cbrt"
        grouped = self.cursor.current.text in CLOSING
        node = Call(name, (self.primary(),))
        following = self.cursor.current
        powered = following.kind == "superscript" or following.text in ("^", "!")
        if not grouped and (powered or (following.tight and self._operand_follows())):
            _ambiguous()  # √2x, √x²
        return node

    def _word(self) -> Node:
        cursor = self.cursor
        if cursor.current.word == "the":
            cursor.step()
            if not self._function_follows():
                raise NotThisForm
        for phrase, name in lexicon.NAMED_FUNCTIONS:
            if cursor.take(phrase):
                return self._bare_call(name)
        word = cursor.current.word
        if word in lexicon.FUNCTIONS:
            cursor.step()
            return self._call(lexicon.FUNCTIONS[word])
        if word == "pi" or cursor.current.text == "e":
            cursor.step()
            return Constant("pi" if word == "pi" else "e")
        if (fraction := self._fraction_words()) is not None:
            return Number(fraction)
        name_here = cursor.letter()
        if name_here is not None:
            return Variable(name_here)
        number = take_number_words(cursor)
        if number is None:
            raise NotThisForm
        return Number(number)

    def _fraction_words(self) -> Fraction | None:
        """Step over half, a third, two thirds where `of` follows: alone they may be a half-time or a third place."""
        cursor = self.cursor
        count = Fraction(1) if cursor.current.word == "a" else lexicon.NUMBER_WORDS.get(cursor.current.word)
        words = 1 if count is None else 2
        part = lexicon.FRACTION_WORDS.get(cursor.ahead(words - 1).word)
        if part is None or cursor.ahead(words).word != "of":
            return None
        cursor.at += words
        return part if count is None else count * part

    def _operand_follows(self) -> bool:
        """Say whether the next token starts a factor that is multiplied without a sign."""
        token = self.cursor.current
        if token.text in ("[", "{") and token.tight and self.cursor.ahead(-1).kind == "word":
            return False  # x[0] is an index
        if token.kind == "sign":
            return token.text in CLOSING or token.text in ("√", "∛") or (token.text == "|" and not self.bars)
        if token.kind != "word" or (variable_name(token) is not None and self.cursor.ahead(1).kind == "number"):
            return False  # "x 2" is nothing one writes
        return variable_name(token) is not None or token.text == "e" or token.word == "pi" or self._function_follows()

    def _function_follows(self) -> bool:
        return self.cursor.current.word in lexicon.FUNCTIONS or any(
            self.cursor.sees(phrase) for phrase, _ in lexicon.NAMED_FUNCTIONS
        )

    # -- functions

    def _call(self, name: str) -> Node:
        base = self._log_base() if name == "log" else None
        exponent = self._call_exponent()
        if isinstance(exponent, Negate) and exponent.operand == Number(Fraction(1)):
            name, exponent = lexicon.INVERSES.get(name, ""), None
            if not name:
                _ambiguous()
        if self.cursor.current.text in CLOSING:
            call = self._call_with_arguments(name, base)
        else:
            self.cursor.take("of")
            call = self._bare_call(name, base)
        return call if exponent is None else Power(call, exponent)

    def _log_base(self) -> Node | None:
        cursor = self.cursor
        if cursor.take("_"):
            return self.primary()
        if cursor.current.kind == "number" and cursor.current.tight and cursor.current.text in ("2", "10"):
            if cursor.ahead(1).text == "(" or not cursor.ahead(1).tight:
                return self.primary()
            _ambiguous()
        if cursor.take("base"):
            base = self.primary()
            cursor.need("of")
            return base
        return None

    def _call_exponent(self) -> Node | None:
        """sin^2(x), sin²x, sin^-1(x): the exponent belongs to the function's value."""
        token = self.cursor.current
        if token.kind == "superscript" and token.value is not None:
            self.cursor.step()
            number: Node = Number(abs(token.value))
            return number if token.value > 0 else Negate(number)
        if token.text != "^":
            return None
        self.cursor.step()
        negative = self.cursor.take("-")
        if self.cursor.current.kind != "number":
            raise NotThisForm
        number = self.primary()
        return Negate(number) if negative else number

    def _call_with_arguments(self, name: str, base: Node | None) -> Node:
        cursor = self.cursor
        closing = CLOSING[cursor.step().text]
        bars, self.bars = self.bars, 0
        arguments = [self.sum()]
        while cursor.take(","):
            arguments.append(self.sum())
        self.bars = bars
        cursor.need(closing)
        return _make_call(name, arguments, base)

    def _bare_call(self, name: str, base: Node | None = None) -> Node:
        """Read sin x, ln 2x, square root of 16: the argument is one factor, or a number and a letter."""
        cursor = self.cursor
        if name in _ONE_FACTOR and cursor.current.text in CLOSING:
            return _make_call(name, [self.primary()], base)
        factors = [self._power() if cursor.current.text != "-" else self._signed()]
        if name not in _ONE_FACTOR:
            while variable_name(cursor.current) is not None or cursor.current.word == "pi":
                if cursor.ahead(1).kind == "number":
                    break
                if not cursor.current.tight and not isinstance(factors[-1], Number | Constant):
                    _ambiguous()  # ln x y
                factors.append(self._power())
        following = cursor.current
        if following.tight and (following.text in ("/", "*") or (name in _ONE_FACTOR and self._operand_follows())):
            _ambiguous()  # sin x/2, sqrt 2x
        node = factors[0] if len(factors) == 1 else Multiply(tuple(("*", factor) for factor in factors))
        return _make_call(name, [node], base)

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > limits.MAX_DEPTH:
            raise Refusal("it is nested too deeply", "too_large")


def _make_call(name: str, arguments: list[Node], base: Node | None) -> Node:
    if base is not None:
        arguments = [*arguments, base]
    fewest, most = lexicon.ARITY[name]
    if not fewest <= len(arguments) <= most:
        raise NotThisForm
    if name == "factorial":
        return Factorial(arguments[0])
    return Call(name, tuple(arguments))


def _is_fraction(node: Node) -> bool:
    """Say whether `of` may follow: a percentage, or a plain fraction."""
    match node:
        case Percent():
            return True
        case Number(value, _):
            return value.denominator > 1
        case Multiply(((_, Number()), ("/", Number()))):
            return True
        case _:
            return False
