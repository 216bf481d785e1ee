"""Postal addresses in Russian and Arabic: a street or a quarter by its word, the house, and what stands around them.

Pure. Beside `places.py` and `homes.py`. In Russian the street and the number of the house make an address, with the
postal code and the town before it and the flat behind it. In Arabic an address is a row of parts with commas between;
one must name a street, a quarter or a building, and one must have a number. A street without a number is a place.
"""

from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "address.russian": Rule("postal_address", 1),
    "address.arabic": Rule("postal_address", 1),
    "address.arabic_box": Rule("postal_address", 1),
}

_RUSSIAN = Cue(
    phrases(
        """
        ул., ул, улиц*, пр-т*, пр-кт*, просп*, проспект*, пер., переул*, б-р, бульвар*, бул., наб., набережн*,
        шоссе, площад*, пл., проезд*, пр-д, тупик*, аллея*, аллее, мкр*, микрорайон*, квартал*, вулиц*, вул.,
        кв., д., дом
        """
    )
)
_ARABIC = Cue(
    phrases(
        "شارع, طريق, حي, زنقة, نهج, حارة, زقاق, جادة, ميدان, عمارة, شقة, فيلا, بناية, برج, بلوك, مجمع, منزل رقم, بيت رقم, ص.ب, ص ب, صندوق بريد"  # noqa: E501
    )
)
CUES = (_RUSSIAN, _ARABIC)

_CAP = "[А-ЯЁІЇЄ]"
_KIND = (
    r"(?:ул|вул|улиц[аеуыой]{1,2}|вулиц\w{1,2}|пр-к?т\w?|просп|проспект\w{0,2}|пр|пер|переул\w{2,3}|б-р|бул|"
    r"бульвар\w{0,2}|наб|набережн\w{2,3}|ш|шоссе|пл|площад[ьи]|проезд\w?|пр-д|тупик\w?|алле[яеи]|мкр|мкрн|"
    r"микрорайон\w?|кв-л|квартал\w?|линия)"
)
_NAME = (
    rf"(?:[0-9]{{1,3}}(?:-?(?:я|й|го|ой|ая|летия|лет))?\s)?{_CAP}[\w\-]*\.?(?:\s(?:{_CAP}[\w\-]{{0,20}}\.?|и|лет|летия|года|"
    r"мая|марта|октября|января|июля|победы|вала?|съезда|партсъезда|ряд|тракт)){0,3}?"
)
_HOUSE = (
    r"(?:,?\s(?:дом[еау]?|д|зд|вл|влад|владение|№)[.\s]{0,2}|,\s?|\s)[0-9]{1,4}\s?[а-яА-Я]?(?![\w])"
    r"(?:\s?[/\-]\s?[0-9]{1,4}[а-яА-Я]?(?![\w]))?(?!\s(?:минут|градус|км|метр|м\b|лет|год|раз|час|руб|человек|тыс|дней|дня|"
    r"дом|процент|%))"
)
_STREET = late(rf"(?<![\w\-])(?:{_KIND}\.?\s?{_NAME}{_HOUSE})")
_STREET_BEHIND = late(
    rf"(?<![\w\-])(?!(?:На|По|Моя|Наша|Эта|Вся|Та|Одна|С|В|От|До)\s)({_CAP}[\w\-]+(?:\s{_CAP}[\w\-]+)?)\s{_KIND}\.?{_HOUSE}"
)
_FLAT = late(
    r"(?:[,\s]{1,2}(?:к|корп|корпус\w?|стр|строени\w{1,2}|лит|литер\w?|под|подъезд\w?|п|эт|этаж\w?|кв|квартир\w{1,2}|оф|"
    r"офис\w?|комн|комнат\w|пом|помещени\w|домофон)(?:[.\s№]{1,3}[0-9А-Яа-я]{1,5}|[0-9]{1,5}[а-я]?)(?![\w])){1,6}"
)
_TOWN_AFTER = late(
    rf"(?:,\s(?:г\.?\s?|город\s|пос\.?\s|с\.\s)?{_CAP}[\w\-]+(?:\s{_CAP}[\w\-]+|\s(?:обл\.?|область|край|район|р-н))?){{0,3}}(?:,?\s[0-9]{{6}}(?![\w]))?"
)
_TOWN_BEFORE = late(
    rf"(?:(?<![\w])[0-9]{{6}},?\s(?:[Рр]оссия,\s|РФ,\s)?)?(?:(?<![\w])(?:(?:г|гор|город\w?|пос|пгт|п|с|село|дер|деревн\w|ст|респ|"
    rf"республика)\.?\s?)?{_CAP}[\w\-]+(?:\s(?:обл\.?|област[ьи]|кра[йя]|район\w?|р-н|{_CAP}[\w\-]+))?,\s){{0,4}}\Z"
)

_PART = r"[^\n,.;:!?()\"«»]"
_KEY = (
    r"(?<![^\W\d_])[وبفل]?(?:ال)?(?:شارع|طريق|حي|زنقة|نهج|حارة|زقاق|جادة|ميدان|عمارة|شقة|فيلا|بناية|برج|بلوك|مجمع|منزل|"
    r"بيت|قطعة|طابق|دور|مدينة|محافظة|منطقة)(?![^\W\d_])"
)
_ARABIC_STREET = late(
    r"(?:(?<![\w])[0-9]{1,5}\s?[,\-]?\s?)?(?<![^\W\d_])[وبفل]?(?:ال)?"
    r"(?:شارع|طريق|حي|زنقة|نهج|حارة|زقاق|جادة|ميدان|عمارة|شقة|فيلا|بناية|برج|بلوك|مجمع)(?![^\W\d_])"
    rf"\s(?:(?:رقم|ال)\s?)?{_PART}{{1,44}}"
)
_MORE_PARTS = late(
    rf"\s?[,\-]\s?(?:{_KEY}{_PART}{{1,40}}|(?:رقم\s)?[0-9]{{1,6}}(?![\w])(?:\s[^\W\d_]{{2,14}}){{0,2}}|[^\W\d_]{{2,16}}(?:\s[^\W\d_]{{2,14}}){{0,2}}(?:\s[0-9]{{4,6}})?(?=\s*(?:[,.;\n\-]|\Z)))"
)
_BOX = late(
    r"(?<![\w])(?:ص\.?\s?ب\.?|صندوق\s(?:ال)?بريد)\s?:?\s?[0-9]{2,7}(?:\s?[,\-]\s?[^\W\d_]{2,16}(?:\s[0-9]{4,6})?){0,3}"
)
_LIVING = late(
    r"عنوان|أسكن|اسكن|يسكن|تسكن|ساكن|أقيم|اقيم|يقيم|تقيم|مقيم|منزل|بيتي|بيته|توصيل|التوصيل|ارسل|أرسل|إرسال|شحن|الشحن|"
    r"انتقل|سكن|السكن|نسكن|نعيش|أعيش|يعيش|تعيش"
)
_MOST_PARTS = 6


def find(view: View) -> Iterator[Hit]:
    """Yield the Russian and Arabic addresses in a view."""
    if not view.has_digit or view.ascii:
        return
    if _RUSSIAN.in_text(view):
        yield from _russian(view.text)
    if _ARABIC.in_text(view):
        yield from _arabic(view.text)


def _russian(text: str) -> Iterator[Hit]:
    for pattern in (_STREET, _STREET_BEHIND):
        for match in pattern.finditer(text):
            flat = _FLAT.match(text, match.end())
            end = flat.end() if flat is not None else match.end()
            after = _TOWN_AFTER.match(text, end)
            end = after.end() if after is not None else end
            begin = max(0, match.start() - 90)
            before = _TOWN_BEFORE.search(text, begin, match.start())
            yield Hit("address.russian", before.start() if before is not None else match.start(), end)


def _arabic(text: str) -> Iterator[Hit]:
    done = 0
    for match in _ARABIC_STREET.finditer(text):
        if match.start() < done:
            continue
        end, parts = match.end(), 1
        while parts < _MOST_PARTS and (more := _MORE_PARTS.match(text, end)) is not None:
            end, parts = more.end(), parts + 1
        written = text[match.start() : end]
        living = _LIVING.search(text, max(0, match.start() - 48), match.start()) is not None
        numbered = any(map(str.isdigit, written))
        if (parts >= 2 and (numbered or living)) or (numbered and living):
            done = end
            yield Hit("address.arabic", match.start(), match.start() + len(written.rstrip(" ,-")))
    for match in _BOX.finditer(text):
        yield Hit("address.arabic_box", *match.span())
