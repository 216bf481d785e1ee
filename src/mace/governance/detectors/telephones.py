"""Telephone numbers, as rules of version 2 find them: with a country, in a national form, after or before a word.

Pure. A number is believed in this order: it carries its country; it is written as North Americans write theirs; it
begins with the trunk 0 and some country gives it out; a word for telephones leads to it or follows it; or a person
speaks (`me`, `mein`, `moi`) and some country gives it out. A bare run of digits alone is never one. What would hurt:
taking every grouped number for a telephone, which finds thousands in a megabyte of logs.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cards import CUE as _CARD
from mace.governance.detectors.cards import DUMP_BEFORE
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.numbering import (
    REGIONS,
    TRUNK_REGIONS,
    given_out,
    given_out_somewhere,
    international,
)
from mace.governance.detectors.phone_words import PHONE_FIELDS, PHONE_WORDS, SPEAKERS
from mace.governance.detectors.phones import CUE
from mace.governance.detectors.view import View

RULES = {
    "phone.with_country": Rule("phone", 1),
    "phone.american": Rule("phone", 1),
    "phone.trunk": Rule("phone", 1),
    "phone.named": Rule("phone", 1),
    "phone.labelled_after": Rule("phone", 1),
    "phone.in_chat": Rule("phone", 1),
}

_MORE = Cue(PHONE_WORDS, fields=PHONE_FIELDS)
# A person speaks: enough for a number that some country really gives out, too little for any other.
_CHAT = Cue(SPEAKERS, indexed=False)
_OTHER_KIND = late(
    r"(?:order|ticket|part|teil|art|model|modell|article|artikel|item|rev|size|range|"
    r"invoice|case|id|ids|ref|reference|tracking|parcel|amount|price|total|serial|sku|"
    r"isbn|ean|imei|version|"
    r"build|account|acct|konto\w*|rechnung\w*|bestell\w*|auftrag\w*|card|visa|iban|"
    r"kart\w*|pesel|nip|regon|dni|cpf|cnpj|"
    r"siret|siren|bsn|ssn|passport\w*|pass|license|licence|tax|vat|steuer\w*|zip|code|plz|cp|cap|population|id[- ]?nr|"
    r"commande|facture|pedido|factura|fattura|ordine|zamowieni\w*|faktur\w*|bestelling\w*|patient\w*|policy|polic\w*|"
    r"member|customer|kunden\w*|klant\w*|client|epoch|timestamp|bytes|isin|row|rows|page|pages|line|lines|port|"
    r"заказ\w*|инн|счет\w*|订单\w*|注文\w*|주문\w*|eur|usd|gbp|€|\$|£|pln|sek|kr|brl|r\$|jpy|inr|rs)"
    r"[\w]{0,12}[\s:#=.\-(\"'№]{0,4}(?:(?:no|nr|num|number|numero|is|ist|est|es|code)\b[\s:#.\-]{0,3}){0,3}$"
)
_EXTENSION = r"(?:\s?(?:x|ext\.?|extension|durchwahl|poste|int\.|wew\.)\s?[0-9]{1,6}(?![0-9]))?"
_EXTENSION_PART = late("[A-Za-z]")
# Each begins with the signs it can start with; what must not stand before them is asked once one is found.
_WITH_COUNTRY = late(
    r"(?:\+(?<![^\W\d]\+)(?<!\+\+)(?<![0-9]\s\+)\s?|0(?<![\w.,:/\-+=#$*]0)(?<![0-9:] 0)(?:0|11)[ \-]?)"
    r"[1-9](?:[ \t\r\n.\-()/]{0,3}+[0-9]){6,15}(?![0-9])" + _EXTENSION,
    re.I,
)
_DASHED = late(
    r"[0-9](?<![\w.+\-/=][0-9])(?:(?<=[2-9])|(?<=1)[\-. ][2-9]|(?<=0)01[\-. ][2-9])[0-9]{2}"
    r"([\-.])\s?[2-9][0-9]{2}\1\s?[0-9]{4}(?![0-9]|[\-.][0-9])" + _EXTENSION
)
_IN_BRACKETS = late(
    r"(?:\((?<![\w+]\()|1(?<![\w+]1)[\-. ]\()[0-9]{2,5}\)[\s\-.]{0,2}[0-9]{3,5}(?:[\-.\s]{1,2}[0-9]{2,4}){1,3}"
    r"(?![0-9]|[\-.][0-9])" + _EXTENSION
)
_BEFORE = r"[\w.+\-/:,=#$%&?@]"
_TRUNK = late(
    rf"(?:0(?<!{_BEFORE}0)(?<![0-9] 0)|\((?<!{_BEFORE}\()(?<![0-9] \()0)"
    r"[1-9][0-9]{0,4}\)?(?:[ \-/.]{0,2}[0-9]{2,8}){1,5}(?![\w]|[.:/\-,]{1,2}[0-9]| [0-9])"
)
_LOOSE = r"[0-9](?:[ \t\r\n.\-_/|,*~()]{0,3}+[0-9])"
_ANY = late(rf"{_LOOSE}{{5}}")
_NAMED = late(rf"(?<![\w+])[(\[]?\+?{_LOOSE}{{5,14}}(?![0-9])" + _EXTENSION)
_CHATTED = late(
    r"[(0-9](?<![\w.+\-/:,=#$%&?@(][(0-9])(?<![0-9] [(0-9])(?:"
    r"(?:(?<=[0-9])[0-9]{0,4}|(?<=\()[0-9]{1,5})\)?(?:[ \-.][0-9]{2,8}){1,4}(?![\w]|[.:/\-,]{1,2}[0-9]| [0-9])"
    r"|(?<=[0-9])[0-9]{8,10}(?![\w]|[.:/\-,]{1,2}[0-9]| [0-9]))"
)
_BETWEEN = late(
    r"(?:[\s:=#.,;\-–(\[\"'<>|/?!*]{0,4}(?:no|nr|num|number|numero|nummer|numer|nro|n|is|are|was|ist|lautet|es|est|e|"
    r"my|me|мне|mich|mir|moi|mij|mig|us|uns|him|her|the|at|on|to|in|unter|auf|au|sur|al|"
    r"en|el|le|la|a|o|na|no|op|pod|pa|til|via|it|"
    r"its|it's|the|you|can|or|der|die|das|bitte|please|por favor|svp|stp|back|again|"
    r"anytime|now|today|then|tel|cell|mobile|"
    r"phone|is:|jest|to|ao|pelo|je|om|через|по|это|на|は|も|が|に|を|へ|まで|番号|号|号码|"
    r"码|是|为|번호|는|은|로|으로|이|가)(?![^\W\d_])){0,6}"
    r"[\s:=#.,;\-–(\[\"'<>|/?!*：]{0,6}",
    re.I,
)
_AFTER = late(
    r"[\s\-–(\[,]{1,3}(?:office|fax|mobile|cell|home|work|desk|direct|handy|mobil|privat|"
    r"geschaftlich|buro|portable|fixe|movil|"
    r"casa|oficina|cellulare|ufficio|fisso|celular|mobiel|thuis|werk|komorka|dom|whatsapp|phone|tel)\b",
    re.I,
)
_SAID_AFTER = late(
    r"\s(?:is|was|ist|est|es|e|to|jest|ar|on)\s(?:(?:my|his|her|our|the|their|a|meine|mon|mi|il mio|o meu|moj|"
    r"mitt|mijn)\s)?(?:\w{1,12}\s)?$|\s?\($"
)
_DATE = late(r"[0-9]{1,2}([./\- ])[0-9]{1,2}\1(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}([./\-])[0-9]{1,2}\2[0-9]{1,2}")
_OTHER_NAME = late(r"\w\w(?:=|\"\s?:)\s?\"?$")
_TRUNK_ZERO = late(r"\(0\)")
_NOT_DIGITS = late("[^0-9]+")
_DIGITS = late("[0-9]+")
_ADDRESS_BEFORE = late(r"[^\W\d_]\s$")

# Kinds of numbers beside those above, since version 3: registers, files, taxes of firms.
_REGISTERED = late(
    r"(?:registration|registr\w*|reg|register\w*|handelsregister\w*|dossier|akte\w*|aktenzeichen|vorgang\w*|"
    r"expediente|registro|protocollo|pratica|processo|protocolo|zaak\w*|dossiernummer|sprawy|ewidenc\w*|arende\w*|"
    r"diarienummer|dosya|"
    r"sicil|ust-?id\w*|vat|tva|iva|btw|moms\w*|ein|duns|file|contract|vertrag\w*|contrat|contrato|contratto|umow\w*|"
    r"avtal\w*|受付|登録|管理|编号|编码|登记|접수|등록|관리|पंजीकरण)"
    r"[\w.\-]{0,12}[\s:#=.\-(\"'№]{0,4}(?:(?:no|nr|num|number|numero|nummer|numer|is|ist|est|es|e|code|le|番号|号|"
    r"號|번호|नंबर|संख्या)\b[\s:#.\-]{0,3}){0,3}$"
)

CUES = (CUE, _MORE)


def find(view: View) -> Iterator[Hit]:
    """Yield the telephone numbers in a view."""
    if view.version < 3:
        yield from _every(view)
        return
    registered: dict[int, bool] = {}  # several rules may find one number
    for hit in _every(view):
        start = hit.start
        if start not in registered:
            registered[start] = _is_registered(view, hit)
        if not registered[start]:
            yield hit


def _is_registered(view: View, hit: Hit) -> bool:
    """Say whether the words right before a number without its country name another kind of number."""
    if view.text[hit.start] == "+":
        return False
    return _REGISTERED.search(view.lower, max(0, hit.start - 40), hit.start) is not None


def _every(view: View) -> Iterator[Hit]:
    text = view.text
    if view.digits < 6 or not view.numbers or _ANY.search(text, view.numbers[0][0]) is None:
        return
    most = max(digits for _, _, digits in view.numbers)
    if most >= 7:
        if "+" in text or "00" in text or "011" in text:
            for match in _WITH_COUNTRY.finditer(text):
                yield from _with_country(view, match)
        if most >= 10:
            yield from _american(view, _dashed(view))
        if "(" in text:
            yield from _american(view, _bracketed(text), bracketed=True)
        if most >= _LEAST_OF_TRUNK and "0" in text:
            for match in _TRUNK.finditer(text):
                if _is_trunk(view, match):
                    yield Hit("phone.trunk", *match.span())
    if CUE.names(view.field) or _MORE.names(view.field):
        named = _NAMED.search(text, 0, 60)
        if named is not None and _fits(text, named, least=6):
            yield _hit("phone.named", text, named)
    if CUE.in_text(view) or _MORE.in_text(view):
        yield from _by_word(view)
    if most >= _LEAST_IN_CHAT:
        yield from _in_chat(view)


_LEAST_OF_TRUNK, _LEAST_IN_CHAT = 9, 8  # digits


def _digits(written: str) -> str:
    return _NOT_DIGITS.sub("", written)


def _hit(rule: str, text: str, match: re.Match[str]) -> Hit:
    return Hit(rule, match.start() + (text[match.start()] in "(["), match.end())


def _with_country(view: View, match: re.Match[str]) -> Iterator[Hit]:
    """Yield the longest beginning of a proposal that a country gives out, cut only between groups.

    Written in three groups or more, or near a word for telephones, a number need only be possible: ranges kept for
    films and new ones are in no table. After `00` it must be given out: long serial numbers begin so, too.
    """
    written = match.group()
    plus = written[0] == "+"
    start = match.start()
    ends = [group.end() for group in _DIGITS.finditer(written)]
    for count in range(len(ends), max(0, len(ends) - 4), -1):
        end = ends[count - 1]
        digits = _digits(_TRUNK_ZERO.sub("", written[:end]))
        if not plus:
            digits = digits.removeprefix("00") if digits.startswith("00") else digits.removeprefix("011")
        if count < 3 and plus and start > 0 and view.text[start - 1].isdigit():  # 1+4155552671 is a sum
            return
        loose = (plus and count >= 3) or _near(view, start, start + end)
        if (7 if loose else 10) <= len(digits) <= 15 and international(digits, loose):
            last = match.end() if count == len(ends) else start + end
            yield Hit("phone.with_country", start, last)
            return


def _near(view: View, start: int, end: int) -> bool:
    return CUE.near(view, start, end, before=32, after=0) or _MORE.near(view, start, end, before=24, after=0)


def _dashed(view: View) -> Iterator[re.Match[str]]:
    """Yield what `_DASHED` finds; its shape is searched for, which is far quicker where there are many digits."""
    text, shape = view.text, view.shape
    if "-0000" not in shape and ".0000" not in shape and "- 0000" not in shape and ". 0000" not in shape:
        return
    places = []
    for form in _DASHED_FORMS:
        at = shape.find(form)
        while at >= 0:
            places.append(at)
            at = shape.find(form, at + 1)
    yield from _from_places(_DASHED, text, sorted(places), (4, 2, 0))  # with 001 or 1 in front, or without


def _bracketed(text: str) -> Iterator[re.Match[str]]:
    """Yield what `_IN_BRACKETS` finds."""
    return _from_places(_IN_BRACKETS, text, [match.start() for match in _OPEN.finditer(text)], (2, 0))


_OPEN = late(r"\([0-9]{2}")


def _from_places(
    pattern: re.Pattern[str], text: str, places: list[int], steps_back: tuple[int, ...]
) -> Iterator[re.Match[str]]:
    """Yield what a pattern finds that can begin only so many characters before one of the places."""
    done = 0
    for place in places:
        for back in steps_back:
            match = pattern.match(text, place - back) if place - back >= done else None
            if match is not None:
                done = match.end()
                yield match
                break


_DASHED_FORMS = tuple(f"000{sign}{one}000{sign}{two}0000" for sign in "-." for one in ("", " ") for two in ("", " "))


def _american(view: View, matches: Iterator[re.Match[str]], bracketed: bool = False) -> Iterator[Hit]:
    for match in matches:
        digits = _digits(re.split(r"[xe]", match.group().lower())[0]).removeprefix("001").removeprefix("1")
        grouped = len(digits) == 10 and given_out(digits, "US")
        if grouped or _near(view, *match.span()) or (bracketed and given_out_somewhere(digits, REGIONS)):
            yield Hit("phone.american", *match.span())


def _is_trunk(view: View, match: re.Match[str]) -> bool:
    """Say whether a number with the trunk 0 is given out somewhere, and neither a date nor a number of a machine."""
    text, written = view.text, match.group()
    digits = _digits(written)
    if not _LEAST_OF_TRUNK <= len(digits) <= 12 or _DATE.match(text, match.start()) is not None or len(set(digits)) < 4:
        return False
    before = text[max(0, match.start() - 40) : match.start()]
    if written.isdigit():  # written without a gap: only where a sentence stands around it, or nothing at all
        bare = text.strip() == written and not view.field
        if not bare and (_ADDRESS_BEFORE.search(before) is None or not _CHAT.near(view, *match.span(), after=24)):
            return False
    elif written.count(".") == 1 and " " not in written and "-" not in written:
        return False  # 01.23456 is a decimal number
    if DUMP_BEFORE.search(before) is not None:
        return False
    if _OTHER_KIND.search(before.lower()) is not None and not _near(view, *match.span()):
        return False
    return given_out_somewhere(digits, TRUNK_REGIONS)


def _fits(text: str, match: re.Match[str], least: int) -> bool:
    if _DATE.match(text, match.start()):
        return False
    written = match.group().strip("([")
    size = len(_digits(_EXTENSION_PART.split(written)[0]))
    return least <= size <= (15 if "+" in written else 13) and (
        size > 7 or not written.replace(".", "").isdigit() or "." not in written
    )


_REACH = 120  # more than any number stands away from its word


def _by_word(view: View) -> Iterator[Hit]:
    """Yield the first number after each word, one right before it that is said to be it, and one labelled by it."""
    text = view.text
    for cue, far in ((CUE, True), (_MORE, False)):
        if not cue.in_text(view):
            continue
        for at, end in cue.occurrences(view):
            while not far and end < len(text) and text[end].isalpha() and text[end].isascii():
                end += 1
            if not view.has_number(at - _REACH, end + _REACH):
                continue
            if not far and _CARD.near(view, at, end, before=30, after=0):
                continue
            lead = _BETWEEN.match(text, end, end + 60)
            place = lead.end() if lead else end
            match = _NAMED.match(text, place, place + 40)
            if match is None and place > end and text[place - 1] in "([":
                match = _NAMED.match(text, place - 1, place + 40)
            if match is not None and _fits(text, match, least=6):
                yield _hit("phone.named", text, match)
            elif far:
                match = _NAMED.search(text, end, end + 72)
                between = text[end : match.start()] if match is not None else ""
                if (
                    match is not None
                    and len(between) <= 48
                    and view.shape.count("0", end, match.start()) < 6
                    and _OTHER_NAME.search(between) is None
                    and _OTHER_KIND.search(between.lower()) is None
                    and _fits(text, match, least=7)
                ):
                    yield _hit("phone.named", text, match)
            left = text[max(0, at - 44) : at]
            said = None
            if left and (left[-1].isspace() or left[-1] in "(-–[,"):  # both end so
                said = _SAID_AFTER.search(left) or (_AFTER_SIGN.search(left) if _AFTER.match(text, at - 1) else None)
            if said is not None:
                stop = at - len(said.group())
                for match in _NAMED.finditer(text, at - len(left), stop):
                    if match.end() == stop and _fits(text, match, least=6):
                        yield _hit("phone.labelled_after", text, match)


def _in_prose(view: View, match: re.Match[str]) -> bool:
    """Say whether a grouped number stands alone in a short sentence: no amount in thousands, and no other number."""
    written = match.group()
    groups = _DIGITS.findall(written)
    thousands = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    if len(view.text) > 200 or written.isdigit() or thousands or len(_digits(written)) < 9:
        return False
    return view.digits == len(_digits(written)) and len(view.vocabulary) >= 3


_NAME_AFTER = late(r"\s[A-Z][a-z]")  # a house number before its street
_AFTER_SIGN = late(r"[\s\-–(\[,]{1,3}$")


def _in_chat(view: View) -> Iterator[Hit]:
    """Yield a number that some country gives out, in a text where a person speaks of themself or somebody."""
    text = view.text
    for match in _CHATTED.finditer(text):  # what is cheap to ask comes first
        start, end = match.span()
        if end - start < 8 or not _LEAST_IN_CHAT <= view.shape.count("0", start, end) <= 11:
            continue
        written = match.group()
        if written.isdigit():
            if start and _ADDRESS_BEFORE.search(view.lower, max(0, start - 3), start) is None:
                continue
        elif written.count(".") == 1 and " " not in written:
            continue  # a decimal number
        digits = _digits(written)
        if len(set(digits)) < 4 or _DATE.match(text, start):
            continue
        if _NAME_AFTER.match(text, end):
            continue
        if not _CHAT.near(view, start, end, before=40, after=20) and not _in_prose(view, match):
            continue
        before = view.lower[max(0, start - 40) : start]
        if DUMP_BEFORE.search(before) is not None or _OTHER_KIND.search(before) is not None:
            continue
        if given_out_somewhere(digits, REGIONS):
            yield Hit("phone.in_chat", *match.span())
