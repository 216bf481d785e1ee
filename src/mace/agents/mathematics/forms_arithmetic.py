"""Reading questions of arithmetic in words: lists, comparisons, properties, percentages, rounding.

Pure. Each function reads one form from a cursor and takes everything that is left, or raises `NotThisForm`.
"""

from fractions import Fraction

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.cursor import Cursor, NotThisForm
from mace.agents.mathematics.echo import echo
from mace.agents.mathematics.expressions import expression, whole_expression
from mace.agents.mathematics.forms_algebra import read_relation
from mace.agents.mathematics.questions import Choose, Compare, Evaluate, Goal, Property, Question
from mace.agents.mathematics.tree import Add, Call, Multiply, Node, Number, Percent, variables

_LISTS: tuple[tuple[str, str], ...] = (
    ("sum of", "sum"), ("product of", "product"), ("difference between", "difference"),
    ("difference of", "difference"), ("quotient of", "quotient"), ("ratio of", "quotient"),
    ("greatest common divisor of", "gcd"), ("greatest common factor of", "gcd"),
    ("highest common factor of", "gcd"), ("gcd of", "gcd"), ("gcf of", "gcd"), ("hcf of", "gcd"),
    ("least common multiple of", "lcm"), ("lowest common multiple of", "lcm"), ("lcm of", "lcm"),
    ("average of", "mean"), ("arithmetic mean of", "mean"), ("mean of", "mean"), ("median of", "median"),
    ("largest of", "max"), ("maximum of", "max"), ("max of", "max"),
    ("smallest of", "min"), ("minimum of", "min"), ("min of", "min"),
)  # fmt: skip
_FORM_NAMES: dict[str, Goal] = {
    "fraction": "fraction", "decimal": "decimal", "percentage": "percent", "percent": "percent",
}  # fmt: skip
_FORMS: tuple[tuple[str, Goal], ...] = tuple(
    (f"{joint} {noun}", goal)
    for joint in ("as a", "as", "to a", "to", "into a", "in")
    for noun, goal in _FORM_NAMES.items()
)
_MULTIPLIERS = {"double": Fraction(2), "twice": Fraction(2), "triple": Fraction(3), "halve": Fraction(1, 2)}
_NEAREST = {
    "integer": 0, "whole number": 0, "unit": 0, "tenth": 1, "hundredth": 2, "thousandth": 3,
    "ten": -1, "hundred": -2, "thousand": -3,
}  # fmt: skip


def read_list(cursor: Cursor) -> Evaluate:
    """Read sum of 3, 4 and 5; difference between 10 and 4; gcd of 12 and 18; average of ..."""
    kind = dict(_LISTS)[cursor.need(*(phrase for phrase, _ in _LISTS))]
    cursor.take("the numbers", "numbers")
    items = _listed(cursor, ",", "and")
    if kind in ("difference", "quotient") and len(items) > 2:
        raise NotThisForm
    return _combined(kind, items)


def _listed(cursor: Cursor, *joints: str) -> tuple[Node, ...]:
    """Read two or more expressions up to the end; one after the other, as "two hundred and fifty" is one number."""
    items = [expression(cursor)]
    while joint := cursor.take(*joints):
        if joint == ",":
            cursor.take("and")
        items.append(expression(cursor))
    cursor.need_end()
    if len(items) < 2:
        raise NotThisForm
    return tuple(items)


def read_verb(cursor: Cursor) -> Evaluate:
    """Read add 2 and 3, add 10% to 50, subtract 3 from 10, multiply 4 by 5, divide 20 by 4, double 7, halve 7."""
    verb = cursor.need("add", "subtract", "multiply", "divide", *_MULTIPLIERS)
    if verb in _MULTIPLIERS:
        number = whole_expression(cursor)
        if isinstance(number, Add):
            raise Refusal("it can be read in two ways; parentheses would tell", "ambiguous")  # twice 7 + 1
        return _combined("product", (Number(_MULTIPLIERS[verb]), number))
    if verb == "multiply":
        return _combined("product", _listed(cursor, ",", "and", "by"))
    if verb == "divide":
        top = expression(cursor)
        cursor.need("by")
        return _combined("quotient", (top, whole_expression(cursor)))
    start = cursor.at
    amount = expression(cursor)
    if cursor.take("to" if verb == "add" else "from"):
        return Evaluate(Add((("+", whole_expression(cursor)), ("+" if verb == "add" else "-", amount))))
    if verb == "subtract":
        raise NotThisForm
    cursor.at = start
    return _combined("sum", _listed(cursor, ",", "and"))


def read_more_or_less(cursor: Cursor) -> Evaluate:
    """Read 5 more than 10, 3 less than 10, 10% less than 50; whether 3 *is* less than 10 is another question."""
    amount = expression(cursor)
    word = cursor.need("more than", "less than")
    start = whole_expression(cursor)
    if variables(amount, start) or isinstance(amount, Add):
        raise NotThisForm  # 2x + 1 less than 5 compares
    if not isinstance(amount, Number | Percent):
        raise Refusal("it can be read in two ways", "ambiguous")  # 1/3 more than 9
    return _changed(start, amount, word == "more than")


def _combined(kind: str, items: tuple[Node, ...]) -> Evaluate:
    match kind:
        case "sum":
            return Evaluate(Add(tuple(("+", item) for item in items)))
        case "product":
            return Evaluate(Multiply(tuple(("*", item) for item in items)))
        case "quotient":
            return Evaluate(Multiply((("*", items[0]), ("/", items[1]))))
        case "difference":
            first, second = items
            wording = f"the difference between {echo(first)} and {echo(second)}"
            return Evaluate(Call("abs", (Add((("+", first), ("-", second))),)), wording=wording)
        case _:
            return Evaluate(Call(kind, items))


def read_which(cursor: Cursor) -> Choose:
    """Read which is larger, 2^10 or 1000."""
    cursor.need("which number is", "which one is", "which is", "what is", "what's")
    cursor.take("the")
    word = cursor.need("larger", "greater", "bigger", "largest", "greatest", "biggest", "smaller", "smallest", "less")
    cursor.take(",", ":")
    parts = [part for part in cursor.parts((",", "or")) if part]
    if len(parts) < 2:
        raise NotThisForm
    candidates = tuple(whole_expression(Cursor(part)) for part in parts)
    return Choose(candidates, largest=word not in ("smaller", "smallest", "less"))


def read_yes_or_no(cursor: Cursor) -> Question:
    """Read is 97 prime, is 15 divisible by 5, is 2/3 greater than 3/5, does 2 + 2 equal 4."""
    opening = cursor.need("is it true that", "is", "are", "does", "check if", "check whether")
    cursor.take("the number")
    properties = (
        ("a prime number", "prime"), ("a prime", "prime"), ("prime", "prime"),
        ("a composite number", "composite"), ("composite", "composite"),
        ("an even number", "even"), ("even", "even"), ("an odd number", "odd"), ("odd", "odd"),
    )  # fmt: skip
    for phrase, kind in properties:
        if cursor.take_tail(phrase):
            if opening in ("check if", "check whether", "is it true that"):
                cursor.take_tail("is")
            return Property(kind, whole_expression(cursor))  # type: ignore[arg-type]
    for phrase in ("divisible by", "a multiple of"):
        number = cursor.before(phrase)
        if number is not None:
            number.take_tail("evenly")
            number.take_tail("is")
            return Property("divisible", whole_expression(number), whole_expression(cursor))
    left = expression(cursor)
    relation = read_relation(cursor)
    if relation is None:
        raise NotThisForm
    return Compare(left, relation, whole_expression(cursor))


def read_percentage(cursor: Cursor) -> Evaluate:
    """Read 20 is what percent of 80, increase 80 by 15%, percent change from 80 to 100."""
    percent = ("percentage", "percent", "per cent", "%")
    if cursor.take("what"):
        cursor.need(*percent)
        if cursor.take("of"):
            whole = expression(cursor)
            cursor.need("is", "are")
            return _ratio(whole_expression(cursor), whole)
        cursor.need("is", "are")
        part = expression(cursor)
        cursor.need("of")
        return _ratio(part, whole_expression(cursor))
    if verb := cursor.take("increase", "decrease", "reduce", "raise"):
        start = expression(cursor)
        cursor.need("by")
        return _changed(start, whole_expression(cursor), verb in ("increase", "raise"))
    if cursor.take(*percent):
        kind = cursor.need("change", "increase", "decrease", "difference")
        cursor.need("from")
        old = expression(cursor)
        cursor.need("to")
        new = whole_expression(cursor)
        first, second = (old, new) if kind == "decrease" else (new, old)
        growth = Multiply((("*", Add((("+", first), ("-", second)))), ("/", old)))
        return Evaluate(growth, "percent", wording=f"percentage {kind} from {echo(old)} to {echo(new)}")
    part = expression(cursor)
    if verb := cursor.take("increased by", "decreased by", "reduced by"):
        return _changed(part, whole_expression(cursor), verb == "increased by")
    for word in percent:
        if cursor.take(f"is what {word} of", f"as a {word} of", f"as {word} of"):
            return _ratio(part, whole_expression(cursor))
    raise NotThisForm


def read_base(cursor: Cursor) -> Evaluate:
    """Read 30 is 20% of what number, 20% of what is 30; and what number is 20% of 30."""
    if cursor.take("what number is", "which number is"):
        return Evaluate(whole_expression(cursor))
    if cursor.take_tail("of what number", "of which number", "of what"):
        part = expression(cursor)
        cursor.need("is")
        share = whole_expression(cursor)
    else:
        left = next(filter(None, map(cursor.before, ("of what number is", "of which number is", "of what is"))), None)
        if left is None:
            raise NotThisForm
        share, part = whole_expression(left), whole_expression(cursor)
    if not isinstance(share, Percent):
        raise NotThisForm
    return _combined("quotient", (part, share))


def _ratio(part: Node, whole: Node) -> Evaluate:
    return Evaluate(Multiply((("*", part), ("/", whole))), "percent")


def _changed(start: Node, amount: Node, up: bool) -> Evaluate:
    if not isinstance(amount, Percent) and not isinstance(amount, Number):
        raise NotThisForm
    return Evaluate(Add((("+", start), ("+" if up else "-", amount))))


def read_form(cursor: Cursor) -> Evaluate:
    """Read 0.75 as a fraction, convert 3/8 to a decimal, 1/8 as a percentage."""
    cursor.take("convert", "write", "express")
    for phrase, goal in _FORMS:
        if cursor.take_tail(phrase):
            return Evaluate(whole_expression(cursor), goal)
    raise NotThisForm


def read_rounding(cursor: Cursor) -> Evaluate:
    """Read round 3.14159 to 2 decimal places, pi to 5 decimals, 17 rounded to the nearest ten."""
    verb = cursor.take("round")
    body = expression(cursor)
    verb = cursor.take("rounded") or verb
    cursor.need("to")
    if cursor.take("the nearest", "nearest"):
        for phrase, places in _NEAREST.items():
            if cursor.take(phrase):
                cursor.need_end()
                return Evaluate(body, places=places)
        raise NotThisForm
    token = cursor.step()
    if token.kind != "number" or token.value is None or token.value.denominator != 1 or token.value > 50:
        raise NotThisForm
    cursor.need("decimal places", "decimal place", "decimals", "decimal", "places", "place", "digits after the point")
    cursor.need_end()
    return Evaluate(body, places=int(token.value))


def read_remainder(cursor: Cursor) -> Evaluate:
    """Read remainder of 17 divided by 5, remainder when 17 is divided by 5."""
    cursor.need("remainder of", "remainder when")
    dividend = expression(cursor)
    if cursor.take("is divided by"):
        return Evaluate(Multiply((("*", dividend), ("mod", whole_expression(cursor)))))
    cursor.need_end()
    match dividend:
        case Multiply((("*", top), ("/", bottom))):
            return Evaluate(Multiply((("*", top), ("mod", bottom))))
        case _:
            raise NotThisForm
