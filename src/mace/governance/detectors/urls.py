"""Addresses of pages. Seen, never blocked: most name a place on the web, not a person.

Pure. What an address carries about somebody (a mailbox, a token, a password) is found by the rules for it, inside the
address as anywhere else.
"""

from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {"url.address": Rule("url", 1)}
CUES: tuple[Cue, ...] = ()

_REST = late(r"[^\s\"'<>`{}|\\^\[\]]{1,2000}")
_SCHEMES = ("https", "http", "ftp", "ftps", "ssh", "ws", "wss", "git", "file", "postgres", "postgresql", "redis", "smb")
_WWW = late(
    r"(?<![\w.@/\-])www\.[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,6}(?::[0-9]{1,5})?(?:/[^\s\"'<>`{}|\\^\[\]]{0,2000})?"
)
_TRAILING = ".,;:!?)"


def may(view: View) -> bool:
    """Say whether an address of a page can stand in the text."""
    text = view.text  # a single sign is found far quicker than several
    return ("/" in text and "://" in text) or (not view.ascii and "www." in view.lower)  # in ASCII it is a word


def find(view: View) -> Iterator[Hit]:
    """Yield the addresses of pages in a view."""
    text, lower = view.text, view.lower
    at = text.find("://")
    while at >= 0:
        start = at
        while start > 0 and at - start < 12 and lower[start - 1].isascii() and lower[start - 1].isalpha():
            start -= 1
        rest = _REST.match(text, at + 3) if lower[start:at] in _SCHEMES else None
        if rest is not None:
            end = at + 3 + len(rest.group().rstrip(_TRAILING))
            if end > at + 5:
                yield Hit("url.address", start, end)
        at = text.find("://", rest.end() if rest is not None else at + 3)
    if "www." in lower:
        for match in _WWW.finditer(lower):
            yield Hit("url.address", match.start(), match.start() + len(match.group().rstrip(_TRAILING)))
