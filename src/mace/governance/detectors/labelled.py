"""Numbers that a word right before them names: documents, records, insurances, accounts, identity numbers.

Pure. Where the other rules ask for a shape and a check digit, this one asks for the word alone, in the larger languages
and in compounds, and takes what follows it directly if it looks like a number: digits enough, no date, no amount. The
word must lead to it; a word somewhere near is not enough.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.labelled_words import TABLE
from mace.governance.detectors.late import late
from mace.governance.detectors.marked_words import MEDICAL_NEAR as _MEDICAL_NEAR
from mace.governance.detectors.view import View

RULES = {f"{row.type}.labelled": Rule(row.type, 1) for row in TABLE}

_CUES = tuple((row.type, Cue(row.words), row.digits) for row in TABLE)
CUES = tuple(cue for _, cue, _ in _CUES)

_SMALL = (
    r"no|nr|num|number|numero|numer|nummer|nro|n|nº|n°|№|id|is|was|ist|lautet|are|es|est|"
    r"e|my|card|code|serie|seria|серия|номер|и|"
    r"jest|to|of|for|the|de|del|du|la|le|el|il|der|die|das|di|do|da|ar|är|var|on|mit|with|"
    r"at|bei|bank|patient|porte|hat|has|file|"
    r"registered|issued|ending|account|acct|number:|reads|under|saving|savings|checking|"
    r"konto|personal|bankowe|osobisty|osobistego|"
    r"i|and|et|und|y|corrente|corriente|poupanca|bancaria|bancario|ipp|poz|te|numara|"
    r"numarasi|no:|dell?'?|d'identite|en|のは|"
    r"नंबर|नम्बर|संख्या|नं|है|का|की|मेरा|第|番号|号码|號碼|号|号は|は|が|の|記号|記号番号|"
    r"是|为|為|번호|는|은|이|가|증|카드"
)
_LEAD = late(
    rf"(?:[\s_:#=.,;\-–(\[\"'<>|/°º*：]{{0,4}}(?:{_SMALL})(?![^\W\d_])){{0,6}}[\s_:#=.,;\-–(\[\"'<>|/°º*：№]{{0,5}}",
    re.I,
)
_ANY_WORDS = late(r"(?:[\s,:(]{1,2}[^\W\d_][^\s\d:;,.!?)]{0,14}\)?){0,8}[\s_:#=.,\-–(\[\"'/°º：№]{1,5}")
_WORD_REST = late(r"[^\W\d_]{0,24}(?:-(?:nr|nummer|id|no|nummern)\b)?", re.I)
_VALUE = late(
    r"(?:[A-Za-z]{1,4}[ \-]?)?[0-9][0-9A-Za-z]*(?:[ \-./][0-9A-Za-z]*[0-9][0-9A-Za-z]*){0,"
    r"7}(?:[ \-./][0-9X](?![\w]))?(?![\w])"
    r"|[A-Za-z0-9]{6,22}(?![\w])"
)
_UNSPACED_AFTER = late(r"\s(?:was|is|in|on|at|and|und|et|y|e|en|i|och|for|from)\b.*$", re.I | re.S)
_CODED = late("(?=[A-Z]*[0-9])[A-Z0-9]{8,12}")  # letters and digits mixed, as newer documents have them
_DATE = late(
    r"(?:19|20)[0-9]{2}(?:[ \-./][0-9]{1,2}){0,2}|"
    r"[0-9]{1,2}[ \-./][0-9]{1,2}[ \-./](?:(?:19|20)[0-9]{2}|[0-9]{2})(?![0-9])"
)
_AMOUNT = late(r"\s?(?:€|\$|£|eur|usd|%|km|kg|mb|gb|ms|euro|dollars?|zł|zl|kr)(?![\w])", re.I)
_SERVICE = late(
    r"\b(?:user|service|twitter|github|google|facebook|instagram|steam|email|e-mail|mail|admin|root)\b[\w ]{0,12}$"
)
_BANK = late(
    r"\b(?:bank|iban|routing|aba|sort code|swift|bic|wire|bsb|ifsc|payee|blz|bankleitzahl|"
    r"abi|cab|agencia|ag|guichet|code banque|"
    r"branch|clearing\w*|sparkasse|volksbank|cuenta|banco|banca|bankowe)\b|銀行|支店|银行|은행|банк"
)
_WEAK = frozenset(
    [
        "account",
        "account is",
        "compte",
        "cuenta",
        "conto",
        "conta",
        "konto",
        "expediente",
        "permis",
        "patente",
        "licencia",
        "права",
        "bi",
        "cf",
        "rg",
        "hesap",
        "счет",
        "счёт",
        "普通",
        "当座",
        "a/c",
        "utente",
        "nip",
    ]
)


def find(view: View) -> Iterator[Hit]:
    """Yield the numbers that a word names."""
    if view.digits < 4:
        return
    best: dict[int, tuple[int, int, Hit]] = {}  # of each number: the word that stands nearest, the longer of two
    for kind, cue, least in _CUES:
        if not cue.in_text(view):
            continue
        done = 0
        for at, end in cue.occurrences(view):
            if end < done:
                continue
            for hit in _value(view, kind, at, end, least):
                done = hit.end
                rank = (at, end - at, hit)
                if hit.start not in best or rank[:2] > best[hit.start][:2]:
                    best[hit.start] = rank
    for _, _, hit in best.values():
        yield hit


def _value(view: View, kind: str, at: int, end: int, least: int) -> Iterator[Hit]:
    text = view.text
    rest = _WORD_REST.match(text, end)
    after = rest.end() if rest is not None else end
    lead = _LEAD.match(text, after, after + 90)
    start = lead.end() if lead is not None else after
    match = _VALUE.match(text, start, start + 44)
    if match is None or not any(char.isdigit() for char in match.group()):
        lead = _ANY_WORDS.match(text, after, after + 80)
        start = lead.end() if lead is not None else start
        match = _VALUE.match(text, start, start + 44)
    if match is None or (start == after and start > at and text[start - 1].isalnum() and text[start - 1].isascii()):
        return
    written = _UNSPACED_AFTER.sub("", match.group()).rstrip(" .-/")
    digits = sum(char.isdigit() for char in written)
    coded = kind in ("passport", "driver_license") and digits >= 2 and _CODED.fullmatch(written) is not None
    if (
        (digits < least and not coded)
        or digits > 30
        or len(set(written) - set(" -./")) < 3
        or _DATE.fullmatch(written) is not None
    ):
        return
    if (not coded and digits * 2 < len(re.sub(r"[ \-./]", "", written))) or _AMOUNT.match(text, match.end()):
        return
    said = view.lower[at:end]
    if view.version >= 3 and _OF_A_FIRM.search(view.lower, max(0, at - 16), at):
        return
    if view.version >= 3 and said in _FILES and _MEDICAL.search(view.lower, max(0, at - 70), match.end() + 50) is None:
        return
    if view.version >= 3 and (
        _SMALL_WORD.match(written) or _NETWORK.fullmatch(written) or _is_of_another(view, kind, at, end)
    ):
        return
    if said in _WEAK or (kind == "bank_account" and said.startswith("account")):
        around = view.lower[max(0, at - 70) : start] + view.lower[match.end() : match.end() + 40]
        if (_BANK.search(around) is None and digits < 8) or _SERVICE.search(view.lower, max(0, at - 24), at):
            return
    end_of = start + len(written)
    if kind == "bank_account":
        start, end_of = _with_branch(text, at, start, end_of)
    yield Hit(f"{kind}.labelled", start, end_of)


_OF_A_FIRM = late(r"(?:\bust-?|\bumsatzsteuer-?|\bvat\W{0,2}|\btva\W{0,2}|\bbtw-?|\bmoms-?|\bfirmen-?|\bcompany )\Z")
# Words for any file: of a patient only where medicine is spoken of.
_FILES = frozenset(
    [
        "numero de dossier",
        "dossiernummer",
        "expediente",
        "episodio",
        "numero de processo",
        "case number",
        "dosya no",
        "dosya numara",
        "admission",
        "登録番号",
        "hospital no",
    ]
)
_MEDICAL = late(_MEDICAL_NEAR)
_NETWORK = late(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_SMALL_WORD = late("[a-z]{2,4} ")
_HEALTH_CARD = late(r"(?:医保|醫保|就诊|就診|社保|诊疗|診療|健保|病历|门诊)\Z")
_CARD_CODE = late(r"(?:密码|密碼|暗証|비밀)")


def _is_of_another(view: View, kind: str, at: int, end: int) -> bool:
    """Say whether an account's word is part of another: the card of an insurance, the code of a card."""
    if kind != "bank_account":
        return False
    lower = view.lower
    return _HEALTH_CARD.search(lower, max(0, at - 4), at) is not None or _CARD_CODE.match(lower, end) is not None


def _with_branch(text: str, cue: int, start: int, end: int) -> tuple[int, int]:
    """Return the account with the code of its branch, which stands right before its word or right after it."""
    before = _BRANCH_BEFORE.search(text, max(0, cue - 48), cue)
    before = before or _BRANCH_OFFICE.search(text, max(0, cue - 24), start)
    after = _BRANCH_AFTER.match(text, end)
    return (before.start(1) if before is not None else start), (after.end() if after is not None else end)


_BRANCH_WORDS = (
    r"(?:blz|bankleitzahl|bic|swift|sort ?code|bsb|ifsc|branch|routing|aba|code banque|"
    r"code guichet|guichet|cle|rib|oficina|sucursal|entidad|dc|abi|cab|cin|"
    r"agencia|ag|banco|filiaal|clearing\w*|支店\w*|支店番号|店番号?|銀行コード|开户行|"
    r"분점|शाखा|आईएफएससी|ifsc code|sube|şube)"
)
_BRANCH_OFFICE = late(
    r"([一-龠々ァ-ヶーぁ-ん]{1,8}支店[\s　]{0,2}(?:[(（]?(?:店番)?[0-9]{3}[)）]?[\s　]{0,2})?(?:普通|当座)(?:預金|"
    r"口座)?"
    r"(?:口座番号|番号)?[\s　:：]{0,3}|(?:支店番号|店番|支店コード|記号)[\s　:：]{0,2}(?:[0-9]{3,5})[\s　、,\-]{0,3}"
    r"(?:(?:普通|当座)(?:預金)?|口座番号|番号|口座)?[\s　:：]{0,3}(?:番号)?[\s　:：]{0,2})\Z"
)
_BRANCH_BEFORE = late(
    rf"({_BRANCH_WORDS}?[\s.:#\-–no°º：]{{0,6}}[0-9][0-9\-–. ]{{2,9}}[0-9](?:[,;/\s]{{1,3}}"
    rf"{_BRANCH_WORDS}[\s.:#]{{0,3}}[0-9][0-9\-]{{1,9}}){{0,3}})[,;/\s(]{{1,4}}$",
    re.I,
)
_BRANCH_AFTER = late(
    rf"[,;/\s(]{{1,4}}{_BRANCH_WORDS}[\s.:#\-–]{{0,4}}(?:is|ist|est|es|"
    rf":)?\s?[A-Z0-9][0-9A-Z\-–]{{2,12}}(?:[ \-][0-9]{{2,4}}){{0,2}}(?![\w])",
    re.I,
)
