"""Numbers that a word leads to, in the further words of `marked_words.py`: accounts, records, insurances, documents.

Pure. As in `labelled.py` the word must lead to the number, over small words and at most four others. A word of
everyday (`policy`, `journal`, `customer number`) counts only where its kind is spoken of near it. What would hurt:
taking the first number after such a word in any text, which finds one in every invoice.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.labelled import _AMOUNT, _DATE, _SMALL, _UNSPACED_AFTER
from mace.governance.detectors.late import late
from mace.governance.detectors.marked_words import BANKS, PAYING, TABLE
from mace.governance.detectors.phones import CUE
from mace.governance.detectors.telephones import _MORE
from mace.governance.detectors.view import View

RULES = {f"{row}.marked": Rule(row, 1) for row in sorted({row.type for row in TABLE})} | {
    "bank_account.branch": Rule("bank_account", 1),
    "bank_account.paid": Rule("bank_account", 1),
}

_ROWS = tuple(
    (
        row.type,
        Cue([word.removeprefix("?") for word in row.words]),
        frozenset(word.removeprefix("?").rstrip("*") for word in row.words if word.startswith("?")),
        row.digits,
        late(row.near) if row.near is not None else None,
    )
    for row in TABLE
)
# Codes of branches and banks: short, told only behind their own word, and one value with the account beside them.
_BRANCH = Cue(
    phrases(
        """
        sort code*, sort-code*, sortcode*, bsb*, ifsc*, ifsc code*, blz*, bankleitzahl*, routing*, aba, transit*,
        institution*, branch code*, bic*, swift*, code banque, code guichet, guichet, cle rib, cle, banque, entidad,
        oficina, sucursal, dc, digito de control, codigo de banco, codigo banco, plaza, filiale, abi, cab, cin,
        codice abi, codice cab, agencia*, ag, ag., operacao, banco, filiaal, bankcode*, oddzial*, clearing*,
        clearingnr*, clearingnummer*, kontor, sube*, şube*, sube kodu*, banka kodu*, бик, 支店番号*, 店番*,
        支店コード*, 銀行コード*, 記号*, 支店, 支行*, 分行*, 联行号*, 行号*, 開戶行*, 开户行*, 지점*, 은행코드*,
        शाखा*, शाखा कोड*, आईएफएससी*, micr*
        """
    ),
)
_ACCOUNT = Cue(
    phrases(
        """
        account*, acct*, acc, a/c, konto*, kontonr*, kontonummer*, kto*, compte*, cuenta*, cta*, conto*, c/c, cc,
        conta*, conta corrente, poupanca, rekening*, rekeningnummer*, rek, rachun*, hesap*, hesab*, hesap no*, сч*,
        口座*, 口座番号*, 普通*, 普通預金*, 当座*, 番号*, 账号*, 帐号*, 账户*, 帳號*, 卡号*, 계좌*, 계좌번호*, खाता*,
        खाता संख्या, खाता नंबर, खाते*, अकाउंट*, अकाउंट नंबर, number*, numero
        """
    ),
    indexed=False,
)
_PAYING = Cue([*PAYING, *BANKS])
CUES = (*(cue for _, cue, _, _, _ in _ROWS), _BRANCH, _PAYING)

_BETWEEN = r"[\s_:#=.,;\-–(\[\"'<>|/°º*：№]"
_MORE_SMALL = (
    _SMALL + r"|s|it|it's|this|that|hat|lautet|nummern|c'est|mon|ma|sa|notre|mi|mis|su|al|en|con|il|lo|gli|alla|al|mio|"
    r"mia|suo|meu|minha|seu|sua|ao|na|nr\.|mijn|van|het|een|op|moj|moja|moje|do|w|na|dla|mitt|min|mina|hennes|har|och|"
    r"till|pa|numaram|nosu|numarası|numaranız|benim|kodu|kod|cod|kode|koden|codice|codigo|mit der|under|und|serial|ref|"
    r"reference|policy|member|record|records|chart|health|insurance|medical|group|plan|presso|chez|aupres|"
    r"numero:|code:|नं\.|क्रमांक|आईडी|कार्ड|में|पर|को|यह|मेरी|आपका|हमारा|であり|です|卡号|卡號|编号|編號|为|是|卡|"
    r"账户|账号|이고|의|카드번호|серия|серии|номер|номера|номером|за|под|мой|моя|мое|моё|его|ее|её|это|рф|россии|гражданина|"
    r"رقم|رقمه|رقمها|رقمي|برقم|الرقم|هو|هي|الخاص|الخاصة|بي|به|بها|لدي|وهو|وهي|التالي|كالتالي|عن|في|من|تحت|ورقمه|ورقمها"
)
_LEAD = late(rf"(?:{_BETWEEN}{{0,4}}(?:{_MORE_SMALL})(?![^\W\d_]|(?<=[A-Za-z])[0-9])){{0,7}}{_BETWEEN}{{0,5}}", re.I)
_ANY_WORDS = late(r"(?:[\s,:(]{1,2}[^\W\d_][^\s\d:;.!?)]{0,14}\)?){1,4}[\s_:#=.,\-–(\[\"'/°º：№]{1,5}")
_WORD_REST = late(r"[^\W\d_]{0,24}(?:['’]s)?(?:-(?:nr|nummer|id|no|nummern|nummeret)\b)?", re.I)
_VALUE = late(
    r"[0-9]{2}\s?[0-9]{2}\s?,?\s?(?:№|номер|ном\.|N)[\s:]{0,2}[0-9]{6}(?![\w])|[0-9]{2}\s?[А-Я]{2}\s?(?:№\s?)?[0-9]{6}(?![\w])|"
    r"(?:(?:[A-Z]{1,6}[ \-/.]?|[A-Za-z]{1,4}[\-/.]?){1,2}(?=[0-9]))?[0-9][0-9A-Za-z]*"
    r"(?:[ \-./][0-9A-Za-z]{0,8}[0-9][0-9A-Za-z]{0,12}){0,8}(?:[ \-./][0-9A-Z](?![\w]))?(?![\w])"
    r"|(?=[A-Z]{0,8}[0-9])[A-Z0-9]{6,22}(?![\w])"
)
_CODED = late("(?=(?:[A-Z]*[0-9]){3})[A-Z0-9]{7,18}(?:[ -][0-9]{1,4})?")
_MONEY_BEFORE = late(r"(?:€|\$|£|¥|₹|rs\.?|eur|usd|gbp|inr|chf|pln|sek|brl|r\$)\s?$")
_COUNT_AFTER = late(
    r"\s?(?:元|円|원|रुपये|रुपए|zł|zl|kr|tl|rub|руб|€|\$|£|people|users|customers|items|times|years?|jahre|ans|anos|"
    r"anni|"
    r"dollars|euros?|pounds|rows|files|人|個|个|件|歳|岁|年|月|号楼|時|点|세|명|개|년|월)(?![a-z])"
)
_COMMA_PART = late(
    r"(?<=[0-9]{4}),\s[0-9]{3}(?:[ \-]?[0-9]{1,4}){1,4}(?![\w])|(?<=-[0-9]),\s[0-9]{3}(?:[ \-]?[0-9]{1,4}){1,4}(?![\w])"
)
_NETWORK = late(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_LONG_DATE = late(r"(?:19|20)[0-9]{6}")
_REACH = 70


def find(view: View) -> Iterator[Hit]:
    """Yield the numbers that a word leads to."""
    if view.digits < 4:
        return
    best: dict[int, tuple[int, Hit]] = {}  # of each number: the word that stands nearest before it
    for kind, cue, everyday, least, near in _ROWS:
        if not cue.in_text(view):
            continue
        for at, end in cue.occurrences(view):
            hit = _value(view, kind, at, end, least)
            if hit is None:
                continue
            if view.lower[at:end] in everyday and not (near is not None and _spoken_of(view, near, at, end, hit.end)):
                continue
            if hit.start not in best or at >= best[hit.start][0]:
                best[hit.start] = (at, hit)
    for _, hit in best.values():
        yield hit
    if _BRANCH.in_text(view):
        yield from _branches(view)
    if _PAYING.in_text(view) and view.digits >= 9:
        yield from _paid(view)


_LONG = late(r"(?<![\w.,/+\-])(?:[0-9]{4}(?:-[0-9])?,\s)?[0-9](?:[ \-./]?[0-9]){8,27}(?![\w]|[.,\-/][0-9])")
_OTHER_NUMBER = late(
    r"(?:order|invoice|bill|ref|reference|transaction|txn|utr|id|ids|ticket|tracking|parcel|rechnung\w*|bestell\w*|"
    r"auftrag\w*|"
    r"vorgang\w*|verwendungszweck|kunden\w*|facture|commande|dossier|factura|pedido|referencia|fattura|ordine|"
    r"fatura|pedido|"
    r"factuur|bestelling|kenmerk|faktur\w*|zamowieni\w*|ordernummer|ocr|siparis|fatura|tel\w*|phone|mobile|cell|"
    r"handy\w*|bizum|swish|"
    r"zelle|venmo|blik|upi|paytm|gpay|phonepe|mobil\w*|pix|satispay|card|karte|tarjeta|carta|kaart|kort|isbn|ean|"
    r"imei|serial|"
    r"version|epoch|timestamp|訂單|订单|注文|주문|ऑर्डर|फोन|मोबाइल|手机|電話|전화|заказ\w*|"
    r"тел\w*)[\w]{0,10}[\s:#=.\-(\"'№]{0,4}"
    r"(?:(?:no|nr|num|number|numero|nummer|is|ist|est|es|e|to|an|a|al|code|号|號|号码|番号|번호|"
    r"नंबर)\b[\s:#.\-]{0,3}){0,3}$"
)


def _paid(view: View) -> Iterator[Hit]:
    """Yield a long number, grouped or of eleven digits at least, beside a word of paying or the name of a bank."""
    text = view.text
    for begin, stop in _PAYING.windows(view, behind=36, ahead=64):
        for match in _LONG.finditer(text, begin, min(len(text), stop + 30)):
            written = match.group()
            digits = sum(map(str.isdigit, written))
            grouped = digits < len(written)
            if digits < (9 if grouped else 11) or len(set(written)) < 4 or match.start() > stop:
                continue
            if digits <= 11 and (
                CUE.near(view, *match.span(), before=80) or _MORE.near(view, *match.span(), before=80)
            ):
                continue  # how to reach somebody
            if (
                _NETWORK.fullmatch(written)
                or _DATE.fullmatch(written)
                or _LONG_DATE.fullmatch(written)
                or _THOUSANDS.fullmatch(written)
            ):
                continue
            before = view.lower[max(0, match.start() - 32) : match.start()]
            if _OTHER_NUMBER.search(before) is not None or _MONEY_BEFORE.search(before[-4:]) is not None:
                continue
            if _AMOUNT.match(text, match.end()) is None and _COUNT_AFTER.match(view.lower, match.end()) is None:
                yield Hit("bank_account.paid", *match.span())


_THOUSANDS = late(r"[0-9]{1,3}(?:[.,' ][0-9]{3})+")


def _spoken_of(view: View, near: re.Pattern[str], at: int, end: int, stop: int) -> bool:
    """Say whether the kind of number is spoken of near: before its word, after it, or after the number."""
    lower = view.lower
    return (
        near.search(lower, max(0, at - _REACH), at) is not None
        or near.search(lower, end, stop + _REACH // 2) is not None
    )


def _value(view: View, kind: str, at: int, end: int, least: int) -> Hit | None:
    text = view.text
    rest = _WORD_REST.match(text, end)
    after = rest.end() if rest is not None and text[end - 1 : end] < "\u0900" else end
    lead = _LEAD.match(text, after, after + 80)
    start = lead.end() if lead is not None else after
    match = _VALUE.match(text, start, start + 48)
    if match is None:
        words = _ANY_WORDS.match(text, after, after + 70)
        start = words.end() if words is not None else start
        match = _VALUE.match(text, start, start + 48)
    if match is None or (start == after and text[start - 1].isalnum() and text[start - 1].isascii()):
        return None
    written = _UNSPACED_AFTER.sub("", match.group()).rstrip(" .-/")
    if kind == "bank_account" and (tail := _COMMA_PART.match(text, start + len(written))) is not None:
        written += tail.group()
    digits = sum(map(str.isdigit, written))
    coded = _CODED.fullmatch(written) is not None and digits >= 3
    if (digits < least and not (coded and kind in ("passport", "driver_license"))) or digits > 30:
        return None
    if kind in ("passport", "driver_license") and not coded and digits < 7:
        return None
    if len(set(written) - set(" -./")) < 3 or _DATE.fullmatch(written) or _NETWORK.fullmatch(written):
        return None
    if digits * 3 < len(written) or _MONEY_BEFORE.search(text[max(0, start - 4) : start].lower()):
        return None
    stop = start + len(written)
    if _AMOUNT.match(text, stop) or _COUNT_AFTER.match(view.lower, stop):
        return None
    return Hit(f"{kind}.marked", start, stop)


_CODE = late(
    r"(?:[A-Z]{4}0[A-Z0-9]{6}|[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?|[0-9]{2}[\- ][0-9]{2}[\- ][0-9]{2}|"
    r"[0-9]{3}[\- ][0-9]{3}"
    r"(?: ?[0-9]{2,3})?|[0-9]{1,9}(?:-[0-9X])?)(?![\w])"
)
_NUMBER = late(r"[0-9](?:[ \-./]?[0-9A-Z]){4,29}(?![\w])")
_MOST_PARTS = 5


def _branches(view: View) -> Iterator[Hit]:
    """Yield the codes of banks and branches with the account they stand beside: together they are one value.

    A code alone counts by its own form (`20-00-00`, an IFSC) or where an account is spoken of near it.
    """
    text = view.text
    done = 0
    for at, end in _BRANCH.occurrences(view):
        if at < done:
            continue
        after = _word_end(text, end)
        lead = _LEAD.match(text, after, after + 40)
        start = lead.end() if lead is not None else after
        code = _CODE.match(text, start)
        if code is None or (start == after and text[start - 1].isascii()):
            continue
        number, stop = _account_after(view, code.end())
        if number:
            done = stop
            yield Hit("bank_account.branch", start, stop)
            continue
        written = code.group()
        telling = len(written) >= 8 and not written.isdigit() and any(map(str.isdigit, written))
        around = view.lower[max(0, at - 60) : at] + " " + view.lower[code.end() : code.end() + 60]
        if telling or (len(written) >= 3 and _ACCOUNT_NEAR.search(around) is not None):
            done = code.end()
            yield Hit("bank_account.branch", start, code.end())


def _word_end(text: str, end: int) -> int:
    rest = _WORD_REST.match(text, end)
    return rest.end() if rest is not None and text[end - 1 : end].isascii() else end


def _account_after(view: View, end: int) -> tuple[bool, int]:
    """Follow parts with a word and a number each, up to an account number; return whether one is met, and its end."""
    text, stop = view.text, end
    for _ in range(_MOST_PARTS):
        bare = _BARE_AFTER.match(text, stop)
        if bare is not None:
            return True, bare.end()
        label = _PART_LABEL.match(text, stop)
        if label is None or not (_ACCOUNT.within(view, stop, label.end()) or _BRANCH.within(view, stop, label.end())):
            return False, stop
        account = _ACCOUNT.within(view, stop, label.end())
        number = _NUMBER.match(text, label.end()) if account else _CODE.match(text, label.end())
        if number is None:
            return False, stop
        if account:
            return True, label.end() + len(_UNSPACED_AFTER.sub("", number.group()))
        stop = number.end()
    return False, stop


_BARE_AFTER = late(r"[ ,/]{1,3}[0-9](?:[ \-]?[0-9]){5,16}(?![\w])")
_PART_LABEL = late(r"[\s,;/|()&+\-–]{0,4}[^\d\n;,()]{1,34}?[\s:：.#=\-(]{0,4}(?=[0-9A-Z]{2})(?![A-Z][a-z])")

_ACCOUNT_NEAR = late(
    r"\b(?:accounts?|acct|a/c|konto\w*|kto|compte|cuenta|conto|conta|cc|c/c|rekening\w*|hesap\w*|hesab\w*|iban)\b"
    r"|口座|普通|खाता|अकाउंट|сч[её]т|계좌|账"
)
