"""A place in a list of tokens, and the phrases that can be found there.

Pure. It knows nothing of grammar; it only looks, takes, and goes back. A phrase is words with single spaces, and
matches whole tokens only.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from mace.agents.mathematics.lexicon import GREEK
from mace.agents.mathematics.tokens import END, Token


@lru_cache(maxsize=1024)  # phrases are our own constants
def _words(phrase: str) -> tuple[str, ...]:
    return tuple(phrase.split())


class NotThisForm(Exception):
    """The tokens do not have the form that was tried; another may fit."""


class Cursor:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tuple(tokens)
        self.at = 0
        self.x_means_times = False  # set where "2 x 3" was read as a product

    @property
    def current(self) -> Token:
        return self.ahead(0)

    def ahead(self, steps: int) -> Token:
        place = self.at + steps
        return self.tokens[place] if place < len(self.tokens) else END

    def step(self) -> Token:
        token = self.current
        self.at += 1
        return token

    def at_end(self) -> bool:
        return self.at >= len(self.tokens)

    def sees(self, phrase: str) -> bool:
        """Say whether the phrase stands here."""
        words = _words(phrase)
        tokens, at = self.tokens, self.at
        if at + len(words) > len(tokens) or tokens[at].word != words[0]:  # most phrases do not stand here
            return False
        return all(tokens[at + place].word == word for place, word in enumerate(words))

    def take(self, *phrases: str) -> str | None:
        """Step over the first of the phrases that stands here, and return it."""
        for phrase in phrases:
            if self.sees(phrase):
                self.at += len(_words(phrase))
                return phrase
        return None

    def need(self, *phrases: str) -> str:
        """Step over one of the phrases, or this is another form."""
        taken = self.take(*phrases)
        if taken is None:
            raise NotThisForm
        return taken

    def need_end(self) -> None:
        if not self.at_end():
            raise NotThisForm

    def take_tail(self, *phrases: str) -> str | None:
        """Cut the first of the phrases that ends the tokens off, and return it."""
        for phrase in phrases:
            words = _words(phrase)
            cut = len(self.tokens) - len(words)
            if cut >= self.at and [token.word for token in self.tokens[cut:]] == list(words):
                self.tokens = self.tokens[:cut]
                return phrase
        return None

    def before(self, phrase: str) -> "Cursor | None":
        """Step behind the first place of the phrase, and return a cursor on what stood before it."""
        for place in range(self.at, len(self.tokens)):
            if all(self.ahead(place - self.at + step).word == word for step, word in enumerate(_words(phrase))):
                left = Cursor(self.tokens[self.at : place])
                self.at = place + len(_words(phrase))
                return left
        return None

    def letter(self) -> str | None:
        """Step over a variable's name and return it."""
        name = variable_name(self.current)
        if name is not None:
            self.at += 1
        return name

    def need_letter(self) -> str:
        name = self.letter()
        if name is None:
            raise NotThisForm
        return name

    def parts(self, separators: Iterable[str]) -> list[tuple[Token, ...]]:
        """Return the remaining tokens cut at the separators that stand outside parentheses."""
        found: list[tuple[Token, ...]] = []
        part: list[Token] = []
        depth = 0
        wanted = frozenset(separators)
        for token in self.tokens[self.at :]:
            if token.kind == "sign":
                depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0 and token.word in wanted:
                found.append(tuple(part))
                part = []
            else:
                part.append(token)
        found.append(tuple(part))
        return found


def variable_name(token: Token) -> str | None:
    """Return the variable a token names: one letter, a Greek letter or its name, or a letter with an index."""
    if token.kind != "word":
        return None
    if len(token.text) == 1:
        return token.text if token.text != "e" else None
    if "_" in token.text:
        return token.text
    return GREEK.get(token.text)
