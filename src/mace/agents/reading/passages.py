"""Lines of a store that answer a question as they stand: "Q: ... A: ...", and "Zorblax: a tool for bending light".

Pure. A line answers only the question it was written for: every word that says something is the same in both.
"""

import re

from mace.agents.reading import world
from mace.agents.reading.world_words import EMPTY, root
from mace.memory.keys import normalise

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ASKED = re.compile(
    r"\s*(?:(?:q|question)\s*[:.)-]\s*)?([^?\n]{3,300}\?)\s*(?:(?:a|answer)\s*[:.)-]\s*)?(\S.*)", re.I | re.S
)
_NEXT = re.compile(r"\n\s*(?:q|question)\s*[:.)-]|\n\s*\n", re.I)
_NAMED = re.compile(r"\s*(?:[-*•]\s*)?([^:\n]{1,80}?)\s*(?::|\s[–—-])\s+(\S.*)", re.S)
_DENIED = frozenset(("not", "never", "no", "without"))


def exact_line(question: str, text: str) -> str | None:
    """What a line says to the question it was written for, or None."""
    asked = _ASKED.match(text)
    if asked is not None:
        if _says(asked[1]) != _says(question) or not _says(question):
            return None
        answer = _NEXT.split(asked[2], maxsplit=1)[0].strip()
        return answer if answer and not answer.endswith("?") else None
    named = _NAMED.match(text)
    if named is None:
        return None
    wanted = world.read_question(question)
    if wanted is None or wanted.form not in ("what", "who"):
        return None
    name = normalise(named[1])
    found = [world.Found(said, "world/fact/x", ("definition",)) for said in wanted.subjects if normalise(said) == name]
    choices, _ = world.choose(wanted, found)
    return text.strip() if name and any(choice.is_itself and not choice.mentions for choice in choices) else None


def defines(question: str, text: str) -> bool | None:
    """Say whether a passage has a sentence about the thing that a question asks what it is; None for other questions.

    "What is a loom?" is not answered by a sentence about a part of it.
    """
    wanted = world.read_question(question) if _ITSELF.match(question.strip()) else None
    if wanted is None:
        return None
    whole = [span for span in wanted.spans if world.is_itself(wanted, span)]
    if not whole:
        return None
    names = {normalise(name) for span in whole for name in span.names}
    return any(normalise(_ARTICLE.sub("", about)) in names for about in _ABOUT.findall(text))


def may_answer(question: str, text: str) -> bool:
    """Say whether a passage can be quoted for a question.

    Not if it speaks of another thing whose name differs by a sign ("Ox+"), of what was before, or has none of the words
    that ask for something about the name.
    """
    asked, said = frozenset(_SIGNED.findall(question.lower())), frozenset(_SIGNED.findall(text.lower()))
    if asked - said:
        return False
    words, there = question.lower(), text.lower()
    for name in said - asked:
        bare = re.escape(name.rstrip("+#"))
        if re.search(rf"\b{bare}\b(?![+#])", words) and not re.search(rf"\b{bare}\b(?![+#])", there):
            return False
    if _BEFORE.search(there) and not _BEFORE.search(words):
        return False
    wanted = _says(_NAMES.sub(" ", question)) - _OPENINGS
    return not wanted or any(world.are_related(one, other) for one in wanted for other in _all_roots(text))


_SIGNED = re.compile(r"\b\w+(?:\+{1,2}|#)(?!\w)")
_BEFORE = re.compile(r"\b(?:former|formerly|previous|previously|used to)\b|\bex-")
_NAMES = re.compile(r"(?<=\s)[A-Z]\S*")
_OPENINGS = frozenset(
    map(root, ("what", "what's", "who", "when", "where", "which", "how", "much", "many", "why", "long"))
)


def _all_roots(text: str) -> frozenset[str]:
    words = (word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))
    return frozenset(root(word) for word in words if word not in EMPTY)


_ITSELF = re.compile(
    r"(?:what|who)(?:['’]s|['’]re| is| are| was| were)\b|define\b|what do(?:es)? .{1,200} mean\b", re.I
)
_ABOUT = re.compile(
    r"(?:\A|[.!?;\n])\s*([^.!?;:\n]{1,120}?)\s*(?::|[–—]|\b(?:is|are|was|were|means?|refers|denotes|stands)\b)", re.I
)
_ARTICLE = re.compile(r"\A\s*(?:the|an?)\s+", re.I)


def _says(text: str) -> frozenset[str]:
    """The words of a question that say something, in one form each, with its question word."""
    words = [word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text)]
    return frozenset(root(word) for word in words if word not in EMPTY or word in _DENIED)
