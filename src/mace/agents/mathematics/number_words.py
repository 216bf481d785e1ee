"""Numbers that are written out: twenty-five, two hundred and fifty, three million.

Pure. Words that do not follow each other as in one number end it, and what is left over then declines the question.
"""

from fractions import Fraction

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.cursor import Cursor
from mace.agents.mathematics.lexicon import NUMBER_WORDS, SCALE_WORDS


def take_number_words(cursor: Cursor) -> Fraction | None:
    """Step over a number in words and return it, or None when none stands here."""
    if cursor.current.tight and cursor.current.word in NUMBER_WORDS and cursor.ahead(-1).text == "-":
        raise Refusal("it can be read in two ways; parentheses would tell", "ambiguous")  # 7-eleven
    total, current = Fraction(0), None
    last_scale = 10**15
    while True:
        word = cursor.current.word
        if current is None and word in NUMBER_WORDS:
            current = _below_hundred(cursor)
            if cursor.take("hundred"):
                current *= 100
                cursor.at += cursor.sees("and") and cursor.ahead(1).word in NUMBER_WORDS
                if cursor.current.word in NUMBER_WORDS:
                    current += _below_hundred(cursor)
        elif current is not None and word in SCALE_WORDS and SCALE_WORDS[word] < last_scale:
            cursor.step()
            last_scale = SCALE_WORDS[word]
            total, current = total + current * last_scale, None
        elif current is None:
            return total if last_scale < 10**15 else None
        else:
            return total + current


def _below_hundred(cursor: Cursor) -> Fraction:
    value = NUMBER_WORDS[cursor.step().word]
    if value < 20:
        return value
    hyphen = cursor.current.text == "-" and cursor.current.tight and cursor.ahead(1).tight
    unit = NUMBER_WORDS.get(cursor.ahead(1 if hyphen else 0).word, Fraction(0))
    if 0 < unit < 10:
        cursor.at += 2 if hyphen else 1
        return value + unit
    return value
