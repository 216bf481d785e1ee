"""Dates of birth beside further words: birthdays, years of birth, short forms of forms, in the larger languages.

Pure. Beside `births.py` and `born.py`. A whole date of the last hundred and twenty years counts right after such a
word or right before one; a year alone does not.
"""

from collections.abc import Iterator

from mace.governance.detectors.birth_words import MONTHS
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {"birth_date.told": Rule("birth_date", 1), "birth_date.starred": Rule("birth_date", 1)}

_CUE = Cue(
    phrases(
        """
        birthday*, birth date*, birthdate*, date of birth*, dob, d.o.b*, bday*, born*, geburtstag*,
        geburtsdatum*, geboren*, geb., geb, jahrgang*, naissance*, ne le, nee le, nee, anniversaire*,
        date de naiss*, nacimiento*, fecha de nac*, f. nac*, f.n., fnac*, fec. nac*, naci*, nacio*, nacido*,
        nacida*, cumple*, cumpleanos*, soy del, nascita*, data di nasc*, nato*, nata*, sono del, classe,
        compleanno*, compie gli anni*, nascimento*, data nasc*, data de nasc*, dt nasc*, d.n., nasci*, nasceu*,
        nascido*, nascida*, aniversario*, faco anos*, faz anos*, geboortedatum*, verjaardag*, jarig*, gebdat*,
        urodz*, ur., ur, data ur*, urodzin*, fodd*, fodelsedatum*, fodelsedag*, fyller ar*, dogum tarih*,
        dogum gun*, dogumlu*, d.t., dogdum*, dogdu*, 生年月日*, 誕生日*, 生まれ*, 誕生*, 出生*, 出生日期*, 生日*,
        出生于*, 생년월일*, 생일*, 출생*, 태어*, 년생*, जन्म*, जन्मतिथि*, जन्मदिन*,
        जन्म तिथि*, पैदा*, डीओबी*, дата рожд*, день рожд*, родил*, рожден*,
        рождён*, г.р., г. р., г/р, гр., др, д.р*, д/р, др:, именинни*, народив*, birth, yob, date of brth,
        geburt*, geb.-dat*, geb-dat*, geb.dat*, zur welt, né(e), ne(e), nee(e), ddn, dn,
        date naiss*, fec nac*, fecha nac*, fn, nat., nato/a*, dt. nasc*, dt.nasc*, dn:,
        geb.datum*, geboren/*, geboortedag*, geboortedat*, gebjaar*, ur. dn*, ur.dn*, urodzil*, urodził*,
        fodelsed*, fodelseuppgift*, fod., född*, dtarih*, dogum*, doğum*, doğdu*, 生於*,
        生于*, 年生*, 月生*, 日生*, 生辰*, 出生年月*, 생년*, 일생*, 출생일*,
        जन्मे*, जन्मी*, जन्मा*, تاريخ الميلاد, تاريخ ميلاد*, ميلاد*, الميلاد,
        مواليد*, ولدت, ولد, وُلد*, وُلدت*, مولود*, مولودة*, تاريخ الولادة, الولادة,
        تاريخ ولادت*, ولادتي, عيد ميلاد*
        """
    )
)
CUES = (_CUE,)

_MONTHS = (
    r"(?:jan|feb|f[eé]v|m[aä]r|mar|apr|avr|abr|may|mai|maj|mag|mei|jun|jui|giu|haz|jul|lug|lip|tem|aug|aou|ago|sie|"
    r"agu|sep|set|wrz|eyl|oct|okt|out|ott|paz|eki|nov|lis|kas|dec|dez|des|dic|gru|ara|"
    r"sty|lut|kwi|cze|oca|sub|nis|ene|gen|janv)[a-z]{0,9}\.?"
)
_OTHER_MONTHS = (
    r"янв\w{0,4}\.?|фев\w{0,5}\.?|мар(?:та|т|\.)?|апр\w{0,4}\.?|ма[яй]|июн\w?\.?|июл\w?\.?|авг\w{0,4}\.?|сен\w{0,6}\.?|окт\w{0,5}\.?|"
    r"ноя\w{0,4}\.?|дек\w{0,5}\.?|يناير|فبراير|مارس|[أا]بريل|[إا]بريل|مايو|يونيو|يونيه|يوليو|يوليه|[أا]غسطس|سبتمبر|[أا]كتوبر|"
    r"نوفمبر|ديسمبر|كانون الثاني|شباط|[آا]ذار|نيسان|[أا]يار|حزيران|تموز|[آا]ب|[أا]يلول|تشرين الأول|تشرين الاول|تشرين الثاني|"  # noqa: E501
    r"كانون الأول|كانون الاول|جانفي|فيفري|أفريل|افريل|ماي|جوان|جويلية|أوت|اوت|غشت|شتنبر|دجنبر|محرم|صفر|ربيع الأول|ربيع الثاني|"  # noqa: E501
    r"جمادى الأولى|جمادى الآخرة|رجب|شعبان|رمضان|شوال|ذو القعدة|ذو الحجة|x?i{1,3}|i?v|vi{1,3}|i?x"
)
_INDIAN_MONTHS = "जनवरी|फरवरी|फ़रवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|सितम्बर|अक्टूबर|अक्तूबर|नवंबर|नवम्बर|दिसंबर|दिसम्बर"
_MONTH_NAMES = "|".join(
    sorted((name for name in MONTHS if len(name) > 3 or name in ("mai", "may", "maj", "mei")), reverse=True)
)
_YEAR = r"(?:19[0-9]{2}|20[0-2][0-9])"
_DATE = late(
    rf"(?<![0-9/.\-])(?:[0-3]?[0-9][./\-\s]{{1,2}}[01]?[0-9][./\-\s]{{1,2}}(?:{_YEAR}|"
    rf"'?[0-9]{{2}})(?![0-9/.\-]*[0-9])|{_YEAR}[./\-]\s?[01]?[0-9][./\-]\s?[0-3]?[0-9](?![0-9])|"
    rf"[0-3]?[0-9](?:st|nd|rd|th|er|º|°|\.)?\s(?:de\s|di\s|of\s)?{_MONTHS},?\s(?:de\s|del\s|di\s)?{_YEAR}|"
    rf"{_MONTHS}\s[0-3]?[0-9](?:st|nd|rd|th)?,?\s{_YEAR}|{_YEAR},?\s[0-3]?[0-9]\s{_MONTHS}|"
    rf"[0-3]?[0-9]\s(?:{_INDIAN_MONTHS})\s{_YEAR}|"
    rf"[0-3]?[0-9](?:-?(?:го|ого|е))?\.?[\s\-]{{1,2}}(?:من\s)?(?:شهر\s)?(?:{_OTHER_MONTHS}),?[\s\-]{{1,2}}(?:سنة\s|عام\s|لعام\s)?(?:{_YEAR}|1[34][0-9]{{2}})(?:\s?(?:года|г\.|هـ|م(?![\w])))?|"
    rf"[0-3]?[0-9]\s?[./\-]\s?[ivx]{{1,4}}\s?[./\-]\s?{_YEAR}|1[34][0-9]{{2}}\s?[/\-]\s?[01]?[0-9]\s?[/\-]\s?[0-3]?[0-9]\s?هـ?|"
    rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9])|[0-9]{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9\-])|"
    rf"(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2]){_YEAR}(?![0-9])|"
    rf"[0-3]?[0-9][\s\-.]?{_MONTHS}[\s\-.]?(?:{_YEAR}|'?[0-9]{{2}}(?![0-9:]))|(?:昭和|平成|令和|"
    rf"大正)\s?[0-9]{{1,2}}\s?年\s?[0-9]{{1,2}}\s?月\s?[0-9]{{1,2}}\s?日|"
    rf"{_YEAR}\s?[年년]\s?[0-9]{{1,2}}\s?[月월]\s?[0-9]{{1,2}}\s?[日일号]?(?:生まれ|生|생)?)",
)
_DIGIT = late("[0-9]")
_SIX = late(r"[\s:：은는]{0,3}([0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9])(?![0-9\-])")
_BEFORE = late(r"[\w.]{0,8}\s{0,2}\n?(?:[^\n.!?;]|\.(?!\s[A-ZА-ЯЀ-Џ][^\s.]{3})){0,48}\Z")
_WRITTEN = late(
    rf"\s(?:[^\W\d_]{{1,14}}[\s\-]){{0,6}}?((?:[^\W\d_]{{3,20}}[\s\-]){{1,3}}?(?:of\s|de\s|di\s)?(?:{_MONTH_NAMES}),?\s(?:de\s|del\s|di\s)?{_YEAR})(?![0-9])"
)
_STARRED = late(
    rf"(?<=[,(;])\s?[*∗]\s?((?:[0-3]?[0-9][./\-]\s?[01]?[0-9][./\-]\s?{_YEAR})|[0-3]?[0-9]\.\s?{_MONTHS}\s{_YEAR}|{_YEAR}-[01][0-9]-[0-3][0-9])(?![0-9])"
)
_ERA = late(
    r"[\s:：はが]{0,4}([mtshrＭ明大昭平令]\s?[0-9]{1,2}\s?[./年\-]\s?[01]?[0-9]\s?[./月\-]\s?[0-3]?[0-9](?:\s?日)?)(?![0-9])"
)
_AFTER = late(r"[^\n.!?;0-9]{0,16}\Z")
ALONE = 8  # digits of a text below which a date counts only beside a word


def may(view: View) -> bool:
    """Say whether the sign of births may stand before a date."""
    return "*0" in view.shape or "* 0" in view.shape


def find(view: View) -> Iterator[Hit]:
    """Yield the dates of birth in a view."""
    if view.digits < 4:
        return
    text = view.lower
    if view.digits >= ALONE and may(view):
        for starred in _STARRED.finditer(text):
            yield Hit("birth_date.starred", *starred.span(1))
    if not _CUE.in_text(view):
        return
    cues = list(_CUE.occurrences(view))
    seen: set[int] = set()
    for at, end in cues:
        digit = _DIGIT.search(text, end, end + 57)
        if digit is not None and text[digit.start() - 1 : digit.start()] == "'":
            digit = None
        match = _DATE.match(text, digit.start(), digit.start() + 40) if digit is not None else None
        if match is not None and _BEFORE.match(view.text, end, match.start()) is not None:
            if match.start() not in seen:
                seen.add(match.start())
                yield Hit("birth_date.told", *match.span())
            continue
        written = _WRITTEN.match(text, end, end + 70) or _ERA.match(text, end)
        if written is not None:
            yield Hit("birth_date.told", *written.span(1))
            continue
        six = _SIX.match(text, end) if text[at] >= "\u3000" else None
        if six is not None:
            yield Hit("birth_date.told", *six.span(1))
            continue
        dates = list(_DATE.finditer(text, max(0, at - 40), at))
        last = dates[-1] if dates else None
        if last is not None and last.start() not in seen and _AFTER.match(text, last.end(), at) is not None:
            seen.add(last.start())
            yield Hit("birth_date.told", *last.span())
