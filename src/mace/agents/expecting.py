"""Whether a text that follows a miss in a conversation may be the value that was asked for.

Pure. With `in_reply_to` somebody says that it is; in a conversation nobody does, and people change the subject. So what
reads as an order, an expression or a sentence about something else is none: to store "Write a poem about rain" as a
shoe size would be a wrong fact. What may be one is still looked at by `reply_to_miss`.
"""

import re

_MOST_CHARS = 300
_VERBS = (
    "add answer ask build buy calculate call check compare compose compute convert count create define delete describe "
    "design do draft draw evaluate expand explain find fix forget generate get give go help imagine improve integrate "
    "list look make open order outline paraphrase plan play print prove put read recommend remind remove repeat "
    "rephrase rewrite save say schedule search send set shorten show simplify solve sort spell start stop suggest "
    "summarise summarize take talk tell think translate try turn use wait write"
)
_ORDER = re.compile(
    r"\A(?:(?:please|now|then|and|ok(?:ay)?|well|so)[,\s]+){0,3}"
    r"(?:can you|could you|would you|will you|let(?:['’]s| us)|" + "|".join(_VERBS.split()) + r")\s+\S",
    re.IGNORECASE,
)
_EXPRESSION = re.compile(r"[\d.,()\s]*\d[\d.,()\s]*(?:[+*/^=×÷]|\s-\s)[\d.,()\s+*/^=×÷-]*", re.IGNORECASE)
_SENTENCE = re.compile(
    r"\A(?:the|this|these|those|a|an|there|here|we|you|he|she|they|who|what|why|how|when|where|which)\b[^.!?\n]{1,200}?"
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|should|must|does|do|did)\b",
    re.IGNORECASE,
)
_THEY_ARE = re.compile(r"\A(?:they|those|these|this)\s+(?:is|are|was|were)\s", re.IGNORECASE)


def may_be_value(text: str) -> bool:
    """Say whether a text may be nothing but a value, or a sentence that gives it."""
    said = text.strip()
    if not said or len(said) > _MOST_CHARS or "\n" in said or said.endswith("?"):
        return False
    if _ORDER.match(said) or _EXPRESSION.fullmatch(said):
        return False
    return _SENTENCE.match(said) is None or _THEY_ARE.match(said) is not None
