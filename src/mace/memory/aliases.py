"""Aliases: what people say for a fact, and the canonical key they mean.

Pure. The packaged map (`sem_synonyms.json` beside this file) is read by wiring and handed to `load` as text;
entries added at run time are kept by the store and pass `check_entry` before they get there. Resolving only
names a key: whether the asker may read it is decided elsewhere, with the key in hand.

A phrase is compared in one form (`normalise_phrase`), otherwise exactly: there is no fuzzy match. A target is
a canonical key, or a `user/` key whose entity id is `{user}`, which stands for whoever asks and gives nothing
when nobody does. A packaged phrase may carry both: the `{user}` form for a known asker, and a literal key for
when there is none (`fav colour` is the example of the stage 0 text). A literal that answered known askers too
would point everybody at one person's facts.
"""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from mace.core.errors import InvalidInput
from mace.memory.keys import parse_key
from mace.memory.spelling import spellings

USER = "{user}"
ARTICLES = ("the", "a", "an")
MAX_PHRASE = 256
MAX_TEXT = 4 * MAX_PHRASE  # as said, white space included; longer is no phrase and not worth normalising


@dataclass(frozen=True, slots=True)
class Target:
    """What a phrase means; `without_user` is the literal key for when nobody in particular asks."""

    key: str
    without_user: str | None = None


def normalise_phrase(text: str) -> str:
    """Return the form in which phrases are compared; empty when nothing is left.

    Trimmed, lowercased, white space collapsed, `’` as `'`, punctuation at the edges stripped.
    """
    phrase = _normalise_once(text)
    while phrase != text:  # lowering can undo NFKC; a second pass settles it
        text, phrase = phrase, _normalise_once(phrase)
    return phrase


def check_entry(phrase: str, key: str) -> tuple[str, str]:
    """Return an entry in the form to store, (phrase, key); ValueError for one that could never be used."""
    if not isinstance(phrase, str) or not isinstance(key, str):
        raise InvalidInput("phrase and key must both be str")
    plain = normalise_phrase(phrase) if len(phrase) <= MAX_TEXT else ""
    if not 0 < len(plain) <= MAX_PHRASE:
        raise InvalidInput(f"phrase must have 1 to {MAX_PHRASE} characters")
    parts = key.split("/")
    if USER in key and (len(parts) != 4 or parts[0] != "user" or parts[2] != USER):
        raise InvalidInput(f"{USER} may only be the whole entity id of a user/ key")
    parse_key(key.replace(USER, "user_x", 1))
    return plain, key


def load(json_text: str) -> dict[str, Target]:
    """Read the packaged map: phrase to key, or to `{"key": ..., "without_user": ...}`.

    ValueError, naming the phrase, for an entry that is invalid or there twice (in any spelling).
    """
    entries = json.loads(json_text, object_pairs_hook=_Pairs)
    if not isinstance(entries, _Pairs):
        raise InvalidInput("the alias map must be one JSON object")
    aliases: dict[str, Target] = {}
    for phrase, value in entries:
        try:
            plain, target = _packaged_entry(phrase, value)
        except ValueError as error:
            raise InvalidInput(f"alias {phrase!r}: {error}") from None
        if plain in aliases:
            raise InvalidInput(f"alias {phrase!r}: duplicate phrase")
        aliases[plain] = target
    return aliases


def resolve(text: str, user_slug: str | None, added: Mapping[str, str], packaged: Mapping[str, Target]) -> str | None:
    """Return the key a phrase means to this asker, or None.

    `user_slug` is the asker's entity id as the key registry gives it (`user_tuff`). `added` holds the entries
    of the run time as `check_entry` returned them; a phrase found there is decided there.
    """
    if len(text) > MAX_TEXT:
        return None
    phrase = normalise_phrase(text)
    if phrase in added:
        target = Target(added[phrase])
    elif phrase in packaged:
        target = packaged[phrase]
    else:
        return None
    if USER not in target.key:
        return target.key
    if not user_slug:
        return target.without_user
    return str(parse_key(target.key.replace(USER, user_slug)))


def said_otherwise(phrase: str) -> tuple[str, ...]:
    """Return the other ways to say a normalised phrase: in another spelling, with an article, or without its own."""
    first, _, rest = phrase.partition(" ")
    bare = rest if rest and first in ARTICLES else phrase
    spelled = [form.replace("_", " ") for form in spellings(bare.replace(" ", "_"))] if "_" not in bare else []
    others = [bare, *spelled, *(f"{article} {bare}" for article in ARTICLES)]
    return tuple(other for other in dict.fromkeys(others) if other != phrase and len(other) <= MAX_PHRASE)


class _Pairs(list[tuple[str, object]]):
    """A JSON object as its pairs, so that a phrase written twice is seen."""


def _packaged_entry(phrase: str, value: object) -> tuple[str, Target]:
    if isinstance(value, str):
        plain, key = check_entry(phrase, value)
        return plain, Target(key)
    pairs = value if isinstance(value, _Pairs) else _Pairs()
    forms = dict(pairs)
    own, literal = forms.get("key"), forms.get("without_user")
    if len(pairs) != 2 or not isinstance(own, str) or not isinstance(literal, str):
        raise InvalidInput("the target must be a key, or an object with `key` and `without_user`")
    plain, own = check_entry(phrase, own)
    if USER not in own or USER in literal:
        raise InvalidInput(f"`key` must contain {USER}, and `without_user` must not")
    return plain, Target(own, str(parse_key(literal)))


def _normalise_once(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    text = " ".join(text.split())
    start, end = 0, len(text)
    while start < end and _is_edge(text[start]):
        start += 1
    while start < end and _is_edge(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_edge(character: str) -> bool:
    return character == " " or unicodedata.category(character)[0] == "P"
