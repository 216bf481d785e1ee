"""Postal addresses of the larger countries: a street and a house, then a code or a town; or a word for living there.

Pure. `addresses.py` knows the American, British and Western European forms. Here streets are found by the word that
they are named with in each language, or by its ending, and followed part by part to where the address ends. A street
alone is a place on a map: it counts with a postal code, or after a word for living or sending. East Asian addresses are
read from the largest place to the smallest.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases, words
from mace.governance.detectors.late import late
from mace.governance.detectors.streets import STREET_WORDS
from mace.governance.detectors.view import View

RULES = {
    "address.street_first": Rule("postal_address", 1),
    "address.number_first": Rule("postal_address", 1),
    "address.chinese": Rule("postal_address", 1),
    "address.japanese": Rule("postal_address", 1),
    "address.korean": Rule("postal_address", 1),
    "address.indian": Rule("postal_address", 1),
    "address.turkish": Rule("postal_address", 1),
    "address.code_first": Rule("postal_address", 1),
}

_LIVING = Cue(
    phrases(
        """
        address*, live at, lives at, lived at, living at, live in, lives in, reside*, residence, located at,
        my place, new place, place is, home, house, ship, shipping, send, sent, deliver*, delivery, parcel, package,
        cheque, mail, mailing, billing, moved to, move to, come to, pick me up at, meet me at, visit me,
        apartment at, adress*, anschrift*, wohn*, wohnhaft, zuhause, schick*, send*, liefer*, versand*, paket,
        gezogen, habite*, habitons, reside, adresse, domicil*, demeur*, livr*, envoy*, expedi*, colis, vis au, loge,
        vivo en, vive en, vivimos, direccion*, domicilio*, envi*, mand*, calle, residencia, paquete, abito, abita,
        abitiamo, indirizzo, risied*, vivo in, sped*, consegn*, invia*, pacco, moro, mora, moramos, endereco*,
        morada, vivo na, envie, entreg*, encomenda, woon*, woont, wonen, adres*, stuur*, bezorg*, pakket, mieszka*,
        zamieszka*, wyslac, wysłać, wysl*, wyśl*, dostarcz*, przeslij, prosze, paczk*, bor, bodde, skicka*, lever*,
        bosatt, osoite*, asun, bydlim, bydlisko, lakom, lakcim*, cim, adresim, adresi*, adresinde, oturuyorum,
        yasiyorum, ikamet*, gonder*, живу, живет, живёт, проживаю*, адрес*, прожив*, отправ*, достав*, пришл*, 住所*,
        住んで, 送って, 届け, 地址*, 住在, 寄到, 寄给, 送到, 家住, 주소*, 살아, 살고, 거주, 보내, 배송*
        """
    ),
    fields=words(
        r"""
        \w{0,12}address street home location_?address adresse?n? anschrift wohnort direccion domicilio indirizzo
        endereco morada adres adress osoite adresi адрес 住所 地址 주소 residence rue calle strasse
        """
    ),
    indexed=False,
)
_STREET = Cue(
    phrases(
        """
        rue, avenue, av., av, bd, boulevard, chemin, allee, impasse, quai, calle, avenida, avda, plaza, paseo,
        camino, carretera, ctra, ctra., urbanizacion, glorieta, travesia, rambla, cuesta, carrera, ronda, carrer,
        passeig, calzada, via, viale, corso, piazza, piazzale, vicolo, largo, strada, rua, travessa, alameda, praca,
        estrada, rodovia, ulica, ul., ul, al., aleja, aleje, os., osiedle, plac, ulice, ulici, ulicy, улица, ул., ул,
        проспект, пр-т, пр., переулок, пер., бульвар, набережная, шоссе, площадь, вулиця, вул., caddesi, cad., cad,
        sokak, sok., sok, sk., sk, bulvar, sokagi, bulvari, mahallesi, mah., mah, jalan, jl., jl, utca, odos, οδος
        """
    )
)
ENDINGS = (
    "strasse",
    "straße",
    "strase",
    "str",
    "weg",
    "platz",
    "allee",
    "gasse",
    "damm",
    "ufer",
    "graben",
    "chaussee",
    "promenade",
    "steig",
    "straat",
    "laan",
    "plein",
    "kade",
    "gracht",
    "singel",
    "dreef",
    "dijk",
    "gatan",
    "gata",
    "vagen",
    "vägen",
    "stigen",
    "gränd",
    "torget",
    "vej",
    "gade",
    "veien",
    "katu",
    "kuja",
    "markt",
    "stieg",
)
_TURKISH = Cue(
    ["mah", "mahallesi", "cad", "caddesi", "sok", "sokak", "sokagi", "sk", "sokağı", "bulvarı", "blv", "apt"]
)
CUES = (_STREET, _TURKISH)

_N = r"[0-9]{1,5}[A-Za-z]?(?:\s?(?:bis|ter))?(?:[/\-][0-9]{1,4}[A-Za-z]?)?(?:\s[A-H](?![\w]))?"
_HOUSE = late(
    rf"[,\s]{{0,3}}(?:(?:n\.?|no\.?|nr\.?|nº|n°|№|numero|num\.?|д\.?|дом|no:|numara)[:\s]{{0,2}})?({_N})(?![0-9])", re.I
)
_NAME_WORD = late(
    r"[\s.,]{0,3}((?:[^\W\d_][\w'’.\-]*|[IVX]{1,4}|[0-9]{1,2}(?=\s(?:de|di|of|maggio|aprile|listopada|maja)\b)))"
)
_CODE = late(
    r"(?<![0-9.,])(?:[0-9]{5}-[0-9]{3}|[0-9]{2}-[0-9]{3}|[0-9]{4}-[0-9]{3}|"
    r"[0-9]{5}(?:-[0-9]{4})?|[0-9]{3} ?[0-9]{2}|[0-9]{4}(?: ?[A-Z]{2})?|"
    r"[0-9]{6}|[0-9]{3} [0-9]{3})(?![0-9.]*[0-9])"
)
_PART = late(
    r"[ \t]{0,2}[,\n\-–/]{1,2}[ \t\n]{0,3}((?:[^\W_][\w'’.:\-/º°ª]*|№)(?:[ ]{1,2}(?:[^\W_][\w'’.:\-/º°ª()]*)){0,4})|"
    r"[ ]{1,2}((?:[0-9]{2,5}[\-\s]?[0-9]{0,5}(?:\s[A-Z]{2})?|daire|apt|apto|suite|unit|"
    r"lgh|d:|kat|m\.|lok\.|кв\.|int|interno|piso|apartment)[ ]{1,2}"
    r"[^\W_][\w'’.\-/]*(?:[ ][A-Z][\w'’.\-/]*){0,3})",
    re.I,
)
_NOT_PART = late(
    r"(?i)(?:and|but|please|thanks?|thx|und|aber|bitte|danke|et|mais|merci|y|pero|gracias|"
    r"grazie|ma|obrigad\w+|mas|en|maar|bedankt|i|ale|"
    r"dzieki|och|men|tack|with|mit|avec|con|com|met|z|med|call|tel|phone|when|is|was|the|"
    r"he|she|we|they|it|born|nato|geboren|ну|и|а|"
    r"adresinde|which|who|before|after|on|at|because|so|if)\b"
)
_LOWER_OK = late(
    r"(?i)(?:apto?|apt\.?|piso|bloco|bl|col\.?|esc|pta|int|kat|daire|кв|корп|г|обл|м|lok|m|cep|cp|[0-9]|de|del|la|d')"
)
_NUMBER_FIRST = late(
    r"(?<![\w.,/$#:=+\-(])(?:(?:flat|unit|apt|house|h\.? ?no\.?|plot|door|room|shop|no\.?|"
    r"#|suite|floor|block)[ .:#]{0,2})?"
    r"[0-9][0-9]{0,5}(?:[A-Za-z]|(?:[\-/][0-9]{1,4}){1,3}[A-Za-z]?)?(?:\s(?:bis|ter))?,?[ ]{1,2}(?=[^\W\d_])",
    re.I,
)
_CHINESE = late(
    r"(?:[\u4e00-\u9fff]{2,8}(?:省|自治区|特别行政区))?\s?(?:[\u4e00-\u9fff]{1,7}(?:市|州|"
    r"县))?\s?(?:[\u4e00-\u9fff]{1,8}(?:新区|区|县|镇|乡|街道))?\s?"
    r"[\u4e00-\u9fff]{0,10}(?:路|街|大道|巷|弄|道|胡同|段|里|村)\s?[0-9]{1,5}\s?(?:号|號|"
    r"弄)(?:\s?[\u4e00-\u9fff]{0,8}?\s?[0-9A-Za-z]{1,5}\s?"
    r"(?:号楼|号|栋|幢|座|楼|单元|室|层|樓|房)){0,4}"
)
_JAPANESE = late(
    r"(?:〒?\s?[0-9]{3}-[0-9]{4}[\s,]{0,2})?(?:東京都|北海道|(?:京都|大阪)府|"
    r"[\u4e00-\u9fff]{2,3}県)?[\u4e00-\u9fff\u3041-\u30ff]{1,6}[市区町村郡]"
    r"[\u4e00-\u9fff\u3041-\u30ffヶケ々]{1,14}?\s?[0-9]{1,4}\s?(?:丁目|番地?|"
    r"-)\s?[0-9]{1,4}\s?(?:番地?|号|-)?(?:\s?[0-9]{1,4}\s?号?)?"
    r"(?:\s?-\s?[0-9]{1,4})?(?:[\s]?[\u30a1-\u30ff\u4e00-\u9fffA-Za-z]{2,14}\s?[0-9]{1,4}\s?号?室?)?"
)
_INDIAN = late(
    r"(?:मकान|फ्लैट|प्लॉट|घर|गली|सेक्टर|दुकान|हाउस|वार्ड|ग्राम|"
    r"म\.न)[^\n।]{3,90}?[0-9]{6}(?![0-9])|(?<=पता)[\s:]{1,3}(?:है\s)?[^\n।]{0,60}[0-9][^\n"
    r"।]{4,60}"
)
_KOREAN = late(
    r"(?:[가-힣]{2,5}(?:특별시|광역시|특별자치시|특별자치도|도)|서울시?|부산시?|대구시?|"
    r"인천시?|광주시?|대전시?|울산시?|세종시?|경기|강원|충북|충남|전북|전남|경북|경남|"
    r"제주)"
    r"\s?(?:[가-힣]{1,5}[시군구]\s?){0,2}(?:[가-힣]{1,6}[읍면]\s?)?[가-힣0-9]{1,10}\s?(?:"
    r"로|길|동|가|리)\s?[0-9]{0,3}(?:번?길)?\s?[0-9]{1,5}(?:-[0-9]{1,4})?"
    r"\s?(?:번지)?(?:[,\s]{1,2}[가-힣A-Za-z]{0,10}\s?[0-9]{1,4}\s?(?:동|호|층)){0,3}"
)


_TURKISH_WORD = r"(?:[A-ZÇĞİÖŞÜ0-9][\w.\-]{0,20})"
_TURKISH_ADDRESS = late(
    rf"{_TURKISH_WORD}(?:\s{_TURKISH_WORD}){{0,3}}\s(?i:mah(?:allesi)?|cad(?:desi)?|sok(?:ak|agi|ağı|agı)?|sk|"
    rf"bulvari|bulvarı|blv)\b\.?"
    rf"(?:[,\s]{{1,2}}(?:{_TURKISH_WORD}\s){{0,4}}(?i:mah(?:allesi)?|cad(?:desi)?|sok(?:ak|agi|ağı|agı)?|sk|apt|"
    rf"sitesi|blok)\b\.?){{0,3}}"
    r"[,\s]{1,2}(?i:no)\s?[:.]?\s?[0-9]{1,4}[A-Za-z]?(?:\s?/\s?[0-9A-Za-z]{1,4})?"
    r"(?:[,\s]{1,2}(?i:d|daire|kat|k|da|ic kapi no)\s?[:.]?\s?[0-9]{1,4})*"
    r"(?:[,\s/\-]{1,3}(?:[0-9]{5}|[A-ZÇĞİÖŞÜ][^\W\d_]{2,})){0,4}"
)


def find(view: View) -> Iterator[Hit]:
    """Yield the postal addresses in a view."""
    if view.has_digit and _TURKISH.in_text(view):
        yield from _turkish(view.text)
    if not view.has_digit:
        return
    if not view.ascii:
        yield from _east_asian(view)
    yield from _streets(view)
    if not _ROADS.isdisjoint(view.tokens):
        yield from _numbers(view)


_TURKISH_SAID = late(r"\s(?i:mah|cad|sok|sk|bulvar|blv)")
_TURKISH_NUMBER = late(r"[,\s](?i:no)\s?[:.]?\s?[0-9]")
_TURKISH_NAME, _TURKISH_REST = 92, 500  # before the word it is named with; behind it, up to the number of the house


def _turkish(text: str) -> Iterator[Hit]:
    """Yield what `_TURKISH_ADDRESS` finds; it is searched for only where one of its words stands."""
    done = 0
    for said in _TURKISH_SAID.finditer(text):
        at = said.start()
        if at < done or _TURKISH_NUMBER.search(text, at, at + _TURKISH_REST) is None:
            continue
        found = _TURKISH_ADDRESS.search(text, max(done, at - _TURKISH_NAME), at + _TURKISH_REST)
        while found is not None and found.start() < at:
            match = _TURKISH_ADDRESS.match(text, found.start()) or found
            yield Hit("address.turkish", *match.span())
            done = match.end()
            found = _TURKISH_ADDRESS.search(text, done, at + _TURKISH_REST) if done < at else None


_EAST = late("[गमफपघ路街道巷市区町村县縣号號丁目로길동구시]")


def _east_asian(view: View) -> Iterator[Hit]:
    if _EAST.search(view.text) is None:
        return
    for rule, pattern in (
        ("chinese", _CHINESE),
        ("japanese", _JAPANESE),
        ("korean", _KOREAN),
        ("indian", _INDIAN),
    ):
        for match in pattern.finditer(view.text):
            written = match.group()
            if view.version >= 3 and rule == "indian" and _NO_CODE.search(written) is not None:
                continue
            if len(written.strip()) >= 7:
                lead = _EAST_LEAD.match(written)
                start = match.start() + (lead.end() if lead is not None else 0)
                yield Hit(f"address.{rule}", start, match.start() + len(written.rstrip()))


_NO_CODE = late(r"[0-9]-?[0-9]{6}$|[0-9A-Za-z]{20}")  # the end of a telephone number, or of a key
_EAST_LEAD = late(
    r"(?:我们|我家|我|他|她)?(?:的?地址(?:是|为)?|家?住(?:在)?|寄(?:到|给)|送到|位于|私は|住所は|自宅は|家は)\s?"
)


def _streets(view: View) -> Iterator[Hit]:
    """Yield the addresses that begin with the street, or with the number right before it."""
    text = view.text
    done = 0
    for at, name_end in sorted(_names(view)):
        if at < done:
            continue
        house = _HOUSE.match(text, name_end)
        start = at
        if house is None:
            before = _NUMBER_BEFORE.search(text, max(0, at - 14), at)
            if before is None:
                continue
            start, end = before.start(1), name_end
        else:
            end = house.end(1)
        stop, coded = _follow(text, end)
        code_before = _CODE_BEFORE.search(text, max(0, start - 60), start)
        if code_before is not None and not coded:
            start, coded = code_before.start(1), True
        if coded or _TOWN_AFTER.match(text, end) is not None or _LIVING.near(view, start, stop, before=48, after=24):
            done = stop
            yield Hit("address.street_first", start, stop)


_TOWN_AFTER = late(r"(?:,\s(?:[0-9]{1,3}[ºªo°]?\s?[A-Za-z]{0,3},\s)?|\s-\s)[A-ZÀ-ÞŁŚŻŹĆÇĞİŞ][^\W\d_]{2,}")
_NUMBER_BEFORE = late(rf"(?<![\w.])({_N}),?\s{{1,2}}$")
_CODE_BEFORE = late(r"(?<![0-9])([0-9]{6},\s(?:г\.\s?|город\s)?[^\W\d_][\w\-. ]{1,30},\s)$")


def _names(view: View) -> Iterator[tuple[int, int]]:
    """Yield where a street's name begins and ends."""
    text, lower = view.text, view.lower
    if _STREET.in_text(view):
        for at, end in _STREET.occurrences(view):
            stop, count = end, 0
            while count < 6:
                word = _NAME_WORD.match(text, stop)
                if word is None or _TAKEN.match(word[1]):
                    break
                stop = word.end()
                count += 1
                if _HOUSE.match(text, stop) is not None:
                    break
            if count and (
                text[at].isupper() or any(char.isupper() for char in text[end:stop]) or not text[end:stop].isascii()
            ):
                yield at, stop
            trailing = _TRAILING_NAME.search(text, max(0, at - 40), at)  # Невский проспект, Atatürk Caddesi
            if trailing is not None and lower[at:end] not in _LEADING_ONLY:
                yield trailing.start(), end + (text[end : end + 1] == ".")
    for ending, places in view.ending(ENDINGS, 5):
        for at in places:
            end = at + len(ending)
            end += text[end : end + 1] == "."
            if text[at].isupper() and _HOUSE.match(text, end) is not None:
                first = _FIRST_NAMES.search(text, max(0, at - 24), at)
                yield (first.start() if first is not None else at), end


_TAKEN = late(r"(?i)(?:no|nr|n|д|дом|num|numero|nº|n°)\b[.:]?$")
_TRAILING_NAME = late(r"(?:[A-ZÀ-ÞА-ЯĞİŞ][\w'’\-]+\s){1,3}$")
_LEADING_ONLY = frozenset(words("rue calle via rua ulica ul. ul am im zum zur carrer corso piazza av. av"))
_FIRST_NAMES = late(r"(?<![.!?]\s)(?:(?<![\w])(?:[A-ZÄÖÜ][a-zäöüß]+(?:e|er|en|es|ra|a)\s)){1,2}$")


def _follow(text: str, end: int) -> tuple[int, bool]:
    """Follow the parts after a house number to where the address ends; say whether a postal code is among them."""
    coded = False
    for _ in range(6):
        part = _PART.match(text, end)
        if part is None:
            break
        said = part[1] or part[2]
        place = part.start(1) if part[1] else part.start(2)
        if _NOT_PART.match(said) or not (
            said[0].isupper() or said[0].isdigit() or not said[0].isascii() or _LOWER_OK.match(said)
        ):
            break
        words_kept = _proper(said)
        if not words_kept:
            break
        end = place + len(words_kept)
        code = _CODE.search(words_kept)
        coded = coded or code is not None
        if len(words_kept) < len(said):
            break
    return end, coded


def _proper(said: str) -> str:
    """Return the beginning of a part that is still a name or a number: a word in small letters goes on a sentence."""
    kept = 0
    for match in re.finditer(r"\S+", said):
        word = match.group()
        if word[0].islower() and word[0].isascii() and not _LOWER_OK.match(word) and match.start():
            break
        kept = match.end()
        if word.endswith(".") and len(word) > 5:
            break
    return said[:kept].rstrip(".,")


def _numbers(view: View) -> Iterator[Hit]:
    """Yield `12-4-56, MG Road, Bengaluru 560001`: a number, a street in the English manner, then a town or a code."""
    text = view.text
    for match in _NUMBER_FIRST.finditer(text):
        end = match.end()
        street = False
        for count in range(6):
            word = _NAME_WORD.match(text, end)
            if word is None or not (
                word[1][0].isupper() or not word[1][0].isascii() or word[1].lower() in ("of", "the", "de", "la")
            ):
                break
            end = word.end()
            if count and word[1].rstrip(".").lower() in _ENGLISH:
                street = True
                if text[end : end + 1] in ",\n" or text[end : end + 2] == ". ":
                    break
        if not street or not _LIVING.near(view, match.start(), end, before=48, after=0):
            continue
        stop, _ = _follow(text, end)
        yield Hit("address.number_first", match.start(), stop)


_ROADS = frozenset(
    words("road street lane marg nagar colony layout sector phase chowk bazaar salai enclave vihar puram")
)
_ENGLISH = STREET_WORDS | frozenset(
    words("marg nagar colony layout sector phase chowk bazaar salai cross enclave vihar puram")
)
