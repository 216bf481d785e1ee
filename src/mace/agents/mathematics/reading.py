"""From a person's words to one question, or to a decline.

Pure, cheap and without the computer-algebra library: this runs in the caller's process. A question is understood only
if every word of it has its place; one word left over declines the whole, because half a reading is a guess.
The order of `_FORMS` matters where two forms share their first words (a sum over k, a sum of numbers).
"""

from collections.abc import Callable, Sequence

from mace.agents.mathematics import forms_algebra, forms_arithmetic, forms_calculus, lexicon, limits
from mace.agents.mathematics.answers import NOT_MATHEMATICS, Declined, Refusal
from mace.agents.mathematics.cursor import Cursor, NotThisForm
from mace.agents.mathematics.estimate import check_sizes
from mace.agents.mathematics.quantities import read_conversion
from mace.agents.mathematics.questions import Choose, Compare, Evaluate, Property, Question, expressions_of
from mace.agents.mathematics.tokens import Token, tokenize
from mace.agents.mathematics.tree import Add, Constant, Multiply, Negate, Node, Number, Variable, depth, variables, walk

_FORMS: tuple[Callable[[Cursor], Question], ...] = (
    read_conversion,
    forms_arithmetic.read_which,
    forms_arithmetic.read_base,
    forms_arithmetic.read_percentage,
    forms_arithmetic.read_remainder,
    forms_algebra.read_solve,
    forms_algebra.read_then_find,
    forms_calculus.read_derivative,
    forms_calculus.read_integral,
    forms_calculus.read_limit,
    forms_calculus.read_series,
    forms_arithmetic.read_list,
    forms_algebra.read_rewriting,
    forms_arithmetic.read_verb,
    forms_arithmetic.read_yes_or_no,
    forms_arithmetic.read_more_or_less,
    forms_arithmetic.read_form,
    forms_arithmetic.read_rounding,
    forms_algebra.read_bare_equations,
    forms_algebra.read_value,
)


_LEAD_INS = dict(lexicon.LEAD_INS)


def read(text: str) -> Question | Declined:
    """Return the question a text asks, or why it is none that can be answered here."""
    try:
        tokens = tokenize(text)
        body, led, demanded = _without_courtesies(tokens)
        if not body:
            return NOT_MATHEMATICS
        question, x_means_times = _first_fitting(body)
        _check(question, body, x_means_times, led=led, demanded=demanded)
    except Refusal as refusal:
        return refusal.declined
    except NotThisForm:
        return NOT_MATHEMATICS
    except RecursionError:  # the bounds should not let it come to this, whoever calls from however deep
        return Declined("it is nested too deeply", "too_large")
    return question


def _without_courtesies(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], bool, bool]:
    """Return the tokens between lead-in and tail, whether there was a lead-in, whether it demanded a computation."""
    cursor = Cursor(tokens)
    led = demanded = False
    while cursor.take_tail(*lexicon.TAILS):
        pass
    taken: str | None = ""
    while taken is not None:
        taken = cursor.take(*_LEAD_INS)
        if taken == "what is" and _comparative_follows(cursor):
            cursor.at -= 2
            break
        led = led or taken is not None
        demanded = demanded or (taken is not None and _LEAD_INS[taken])
    return cursor.tokens[cursor.at :], led, demanded


def _comparative_follows(cursor: Cursor) -> bool:
    start = cursor.at
    cursor.take("the")
    found = cursor.current.word in ("larger", "greater", "bigger", "smaller", "less")
    cursor.at = start
    return found


def _first_fitting(tokens: tuple[Token, ...]) -> tuple[Question, bool]:
    for form in _FORMS:
        cursor = Cursor(tokens)
        try:
            return form(cursor), cursor.x_means_times
        except NotThisForm:
            continue
    raise NotThisForm


def _check(question: Question, tokens: Sequence[Token], x_means_times: bool, *, led: bool, demanded: bool) -> None:
    """Refuse what is read but not meant, not decidable or too large."""
    nodes = expressions_of(question)
    if any(depth(node) > limits.MAX_TREE_DEPTH for node in nodes):
        raise Refusal("it is nested too deeply", "too_large")
    names = variables(*nodes)
    if names and isinstance(question, Compare | Choose | Property):
        raise Refusal("it depends on the value of a variable")
    if len(names) > limits.MAX_VARIABLES:
        raise Refusal("it has too many variables", "too_large")
    if x_means_times and names & {"x", "X"}:
        raise Refusal("x stands for a product and for a variable", "ambiguous")
    indexed = {token.text for token in tokens if token.indexed}
    if len(indexed) == 1 and indexed & names:
        raise Refusal("a letter with digits is rather a name or a code")
    if isinstance(question, Evaluate):
        _check_value(question, tokens, led=led, demanded=demanded)
    check_sizes(question)


def _check_value(question: Evaluate, tokens: Sequence[Token], *, led: bool, demanded: bool) -> None:
    if question.goal == "value" and question.places is None and not question.wording:
        node = question.expression
        if isinstance(node, Number | Variable) or (isinstance(node, Constant) and node.name == "infinity"):
            raise Refusal("there is nothing to compute")
        if variables(node) and _cannot_change(node):
            raise Refusal("there is nothing to compute")
        if not demanded and _looks_like_a_date_or_number(tokens, led):
            raise Refusal("it is rather a date or a telephone number")


def _cannot_change(node: Node) -> bool:
    """Say whether no two parts could be put together: F-16, 3D, a - b."""
    leaves = [part for part in walk(node) if isinstance(part, Number | Constant | Variable)]
    names = [part.name for part in leaves if isinstance(part, Variable)]
    plain = all(isinstance(part, Number | Constant | Variable | Add | Multiply | Negate) for part in walk(node))
    return plain and len(set(names)) == len(names) and len(leaves) - len(names) <= 1


def _looks_like_a_date_or_number(tokens: Sequence[Token], led: bool) -> bool:
    """Say whether the text is 12-11-1990, 10/11/2024, 555-1234 or 1939-1945 rather than a subtraction."""
    numbers, joints = tokens[::2], tokens[1::2]
    if len(tokens) < 3 or any(token.kind != "number" or token.decimal for token in numbers):
        return False
    if {token.text for token in joints} not in ({"-"}, {"/"}) or not all(token.tight for token in tokens[1:]):
        return False
    lengths = [len(token.text) for token in numbers]
    if len(numbers) >= 3:
        return len(numbers) == 3 and (max(lengths[0], lengths[2]) == 4 or sum(lengths) >= 9)
    return not led and joints[0].text == "-" and lengths in ([3, 4], [4, 4])
