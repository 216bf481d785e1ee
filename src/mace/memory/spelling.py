"""British and American spellings that name one attribute: favourite and favorite, colour and color.

Pure. Keys stay as they are written; who looks for a fact by what somebody said looks under every spelling of it.
"""

import re
from itertools import product

_WORDS = re.compile("[a-z0-9]+")
_FORMS = (
    ("favorite", "favourite", "fav", "fave"),
    ("favorites", "favourites", "favs", "faves"),
    ("color", "colour"),
    ("colors", "colours"),
)
_CANONICAL = {form: forms[0] for forms in _FORMS for form in forms}
_ALL = {forms[0]: forms for forms in _FORMS}
_MOST = 16  # spellings that are looked under


def one_spelling(text: str) -> str:
    """Return a text in lower case (an attribute or a phrase) in the one spelling that its kind shares."""
    return _WORDS.sub(lambda word: _CANONICAL.get(word[0], word[0]), text)


def spellings(attribute: str) -> tuple[str, ...]:
    """Return every spelling of an attribute (`favourite_colour`), the one that all share first."""
    words = [_ALL.get(word, (word,)) for word in one_spelling(attribute).split("_")]
    if all(len(forms) == 1 for forms in words):
        return ("_".join(forms[0] for forms in words),)
    found = []
    for chosen in product(*words):
        found.append("_".join(chosen))
        if len(found) == _MOST:
            break
    return tuple(found)


_SIGNS = {"+": " plus ", "#": " sharp ", "&": " and ", "@": " at ", "%": " percent ", "*": " star ", "=": " equals "}


def signs_in_words(phrase: str) -> str:
    """Return the words for an attribute with every sign that tells one from another ("C++", "C#") as a word."""
    if not any(sign in phrase for sign in _SIGNS):
        return phrase
    return "".join(_SIGNS.get(character, character) for character in phrase)
