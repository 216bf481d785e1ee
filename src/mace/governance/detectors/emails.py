"""E-mail addresses: personal ones, and the mailboxes of roles and machines.

Pure. It walks outwards from each `@`, so a text without one costs a single search. Whether a domain exists is never
asked of a network. Endings that are file or unit names (`getty@tty1.service`) are no domains.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.findings import Hit, Rule, words
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "email.address": Rule("email", 1),
    "email.spelled": Rule("email", 1),
    "email.role": Rule("email_role", 1),
    "bank_account.upi": Rule("bank_account", 1),
}

# Signs a mailbox hardly ever has (`=`, `/`, `?`...) end it: in addresses of pages they stand before it.
_LOCAL_REVERSED = late(r"\s{0,2}([\w'+.\-]{1,64})")
_DOMAIN = late(r"\s{0,2}((?:[^\W_](?:[\w\-]{0,61}[^\W_])?\s?\.\s?){1,8}([^\W\d_][^\W_]{1,23}))(?![\w@])")
_DOMAIN_TIGHT = late(r"[\r\n]{0,2}((?:[^\W_](?:[\w\-]{0,61}[^\W_])?\.[\r\n]?){1,8}([^\W\d_][^\W_]{1,23}))(?![\w@])")
_USERINFO = late(r"://(?:[^\s/@]{1,64}:)?$")
_SPELLED = late(
    r"([\w.+\-]{1,64})\s{0,2}(?:[\[({<]\s?(?:at|@)\s?[\])}>])\s{0,2}"
    r"((?:[\w\-]{1,63}\s{0,2}(?:[\[({<]\s?(?:dot|\.)\s?[\])}>]|\.|\sdot\s)\s{0,2}){1,4}[^\W\d_]{2,24})(?![\w])",
    re.IGNORECASE,
)
_IN_WORDS = late(
    r"(?<![\w])([\w.+\-]{1,64})\sat\s(?:[\w\-]{1,63}\sdot\s){1,4}"
    r"(?:com|org|net|edu|gov|info|biz|io|dev|app|eu|uk|fr|nl|ch|ca|au|jp|cn|ru)(?![\w])"
)
_SPELLED_SIGNS = ("[at", "(at", "{at", "<at", "[ at", "( at", "[@", "(@")

# Addresses of the Indian payment network: a name at a bank's handle, which is no domain.
_HANDLE = (
    r"@(?:upi|ok(?:axis|sbi|hdfcbank|icici)|ybl|ibl|axl|apl|paytm|pt(?:axis|hdfc|sbi|yes)|"
    r"fbl|kotak|barodampay|hdfcbank|icici|sbi|axisbank|yesbank|indus|freecharge|airtel|jio|waicici|"
    r"wahdfcbank)(?![\w.\-])"
)
_UPI = late(rf"(?<![\w.@])[A-Za-z0-9][\w.\-]{{1,60}}{_HANDLE}", re.I)
_UPI_HANDLE = late(_HANDLE, re.I)
_LONGEST_PAYEE = 61  # characters before the sign

_NO_DOMAIN = frozenset(
    words(
        """
        service socket timer target slice mount scope path device automount swap png jpg jpeg gif svg webp ico css
        js mjs jsx tsx json yaml yml toml xml html htm php pyc rb cpp java class jar dll exe txt log
        cfg conf ini tar gz tgz zip whl deb rpm lock svc cluster
        """
    )
)
_ROLES = frozenset(
    words(
        """
        git noreply no-reply no_reply donotreply do-not-reply mailer-daemon mailerdaemon postmaster hostmaster
        webmaster abuse daemon nobody root bounce bounces notification notifications newsletter support info sales
        billing helpdesk press careers jobs enquiries inquiries security feedback svn hg www-data builds ci bot
        """
    )
)


def _payees(text: str) -> Iterator[re.Match[str]]:
    """Yield what `_UPI` finds; it is looked for only before a handle of a bank, which begins with a sign."""
    done = 0
    for handle in _UPI_HANDLE.finditer(text):
        match = _UPI.search(text, max(done, handle.start() - _LONGEST_PAYEE), handle.end() + 1)
        if match is not None:
            done = match.end()
            yield match


def find(view: View) -> Iterator[Hit]:
    """Yield the e-mail addresses in a view."""
    text = view.text
    at = text.find("@")
    while at >= 0:
        hit = _around(text, at)
        if hit is not None:
            yield hit
        at = text.find("@", at + 1)
    if view.version >= 3 and "@" in text:
        yield from (Hit("bank_account.upi", *match.span()) for match in _payees(text))
    lower = view.lower
    if any(sign in lower for sign in _SPELLED_SIGNS):
        for match in _spelled(view):
            yield Hit("email.spelled", *match.span())
    if " dot " in lower and " at " in lower:
        yield from (Hit("email.spelled", *match.span()) for match in _IN_WORDS.finditer(lower))


def _around(text: str, at: int) -> Hit | None:
    spaced = text[at + 1 : at + 2] == " " and text[at - 1 : at] == " "
    domain = (_DOMAIN if spaced else _DOMAIN_TIGHT).match(text, at + 1)
    if domain is None or domain[2].lower() in _NO_DOMAIN:
        return None
    backwards = text[max(0, at - 80) : at][::-1]
    local = _LOCAL_REVERSED.match(backwards)
    if local is None or (local.start(1) and not (spaced or backwards[0] in "\r\n")):
        return None
    name = local[1].rstrip("'+.-")  # reversed: a sign before the name does not belong to it
    mailbox = name[::-1].rstrip(".")
    if not mailbox:
        return None
    start = at - local.start(1) - len(name)
    if _USERINFO.search(text[max(0, start - 80) : start]) is not None:  # scheme://user:password@host is no mailbox
        return None
    rule = "email.role" if mailbox.lower() in _ROLES else "email.address"
    return Hit(rule, start, domain.end(1))


def _spelled(view: View) -> Iterator["re.Match[str]"]:
    """Yield `jane [at] example [dot] org`, looking only where an opening sign stands."""
    done = 0
    for sign in re.finditer(r"[\[({<]\s?(?:at|@)\s?[\])}>]", view.lower):
        start = max(done, sign.start() - 66)
        left = _LOCAL_REVERSED.match(view.text[start : sign.start()][::-1])
        if left is None:
            continue
        match = _SPELLED.match(view.text, sign.start() - left.end())
        match = match or _SPELLED.match(view.text, sign.start() - left.end() + 1)
        if match is not None:
            done = match.end()
            yield match
