"""Who says what of whom: persons and the verbs that state something of them, language by language.

Pure. A word for a person in one language is a small word in another (`on`, `her`, `var`, `a`), so a person counts only
beside a verb of the same language. Lower case without accents that ASCII letters carry, as views hold texts.
"""

import re
from typing import NamedTuple

from mace.governance.detectors.late import late
from mace.governance.detectors.view import words_of


class Saying(NamedTuple):
    """One language: persons, verbs of being or belonging, verbs that hold their person, and what follows a term."""

    persons: str
    verbs: str
    own: str
    between: int = 5  # words between the verb and what is said


_TITLES = "mr|mrs|ms|dr|herr|frau|hr|sr|sra|sig|mme|pan|pani|dhr|mevr"
_NAMES = rf"(?:{_TITLES})\.?\s\w+"
SAYINGS = (
    Saying(
        r"i|he|she|we|my\s\w+|his\s\w+|her\s\w+",
        r"am|is|was|are|were|been|became|become|converted\sto|identif\w+\sas|came\sout\sas|raised|grew\sup|votes?|voted|"
        r"joined|belongs?\sto|supports?|campaign\w+\sfor|member\sof|served|spent|got|have|has|practi[cs]es?|paid",
        r"i'm|i've|he's|she's|we're|i’m|he’s|she’s",
    ),
    Saying(
        rf"ich|er|sie|wir|mein\w{{0,2}}\s\w+|{_NAMES}",
        r"bin|ist|war|sind|wurde|worden|gehore|gehort|wahle|wahlt|gewahlt|habe|hat|mitglied|trat|konvertiert\w*|bekenne|"
        r"eingetreten|sass|sitzt",
        r"(?!)",
        7,
    ),
    Saying(
        rf"je|j|il|elle|nous|mon\s\w+|ma\s\w+|{_NAMES}",
        r"suis|est|ai|a|etait|vote|votons|milite|appartiens|appartient|adhere\w*|converti\w*|membre|sommes|purge",
        r"j'ai|j’ai",
    ),
    Saying(
        rf"yo|el|ella|mi\s\w+|{_NAMES}",
        r"soy|es|era|fue|fui|sido|vote|voto|voto|milita|pertenece|afiliad\w|miembro|convirtio|estuvo|cumplio|cumple",
        r"soy|fui|he\ssido|vote\spor|voto\sa|milito|pertenezco|estoy\safiliad\w|me\sconverti|somos|estuve|cumpli|tengo",
    ),
    Saying(
        rf"io|lui|lei|mi[oa]\s\w+|{_NAMES}",
        r"sono|e|era|stat[oa]|votato|vota|voto|iscritt\w|membro|convertit\w|appartiene|ha|ho",
        r"sono\sstat[oa]|sono\sun\w?|sono\siscritt\w|sono\smembro|ho\svotato|mi\ssono|appartengo|sono",
    ),
    Saying(
        rf"eu|ele|ela|meu\s\w+|minha\s\w+|{_NAMES}",
        r"sou|e|era|fui|foi|votei|votou|voto|vota|filiad\w|membro|pertence|converteu|tem|cumpriu",
        r"sou|fui|votei|voto|pertenco|milito|me\sconverti|cumpri|tenho",
    ),
    Saying(
        rf"ik|hij|zij|ze|mijn\s\w+|{_NAMES}",
        r"ben|is|was|stem|stemt|stemde|gestemd|heb|heeft|werd|word|behoor\w*|lid|bekeerd\w*|zat",
        r"(?!)",
        7,
    ),
    Saying(
        rf"on|ona|moj\s\w+|moja\s\w+|{_NAMES}",
        r"jest|był\w*|został\w*|głosował\w*|głosuje|nalezy|ma|członkiem|członkinia|przeszedł|przeszła|siedział\w*",
        r"jestem|byłem|byłam|głosowałem|głosowałam|naleze|zostałem|zostałam|mam|siedziałem|siedziałam",
    ),
    Saying(
        rf"jag|han|hon|vi|min\s\w+|mitt\s\w+|{_NAMES}",
        r"ar|var|rostar|rostade|tillhor|har|blev|medlem|domdes|konverterade|satt",
        r"(?!)",
    ),
)


def _beginnings(saying: Saying) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words that a language's persons and own verbs begin with, and the beginnings of those that are no words."""
    whole, open_ends = set(), []
    for one in f"{saying.persons}|{saying.own}".replace(_NAMES, _TITLES).split("|"):
        letters = re.match("[a-z]*", one)
        said = letters.group() if letters is not None else ""
        if one == "(?!)" or not one.isascii():  # says nothing, or nothing in ASCII
            continue
        if one == said or (one[len(said)] in "'\\" and not one.startswith("\\w", len(said))):
            whole.add(said)
        else:
            open_ends.append(said)
    return frozenset(whole), tuple(open_ends)


# What stands right before a term, and, where the verb comes last, right after it.
_BEFORE = tuple(
    rf"\b(?:{s.persons})(?:\s\w+){{0,3}}\s(?:{s.verbs})(?:\s[\w'’\-.]+){{0,{s.between}}}[\s'’]{{1,2}}\Z"
    rf"|\b(?:{s.own})(?:\s[\w'’\-.]+){{0,{s.between}}}[\s'’]{{1,2}}\Z"
    for s in SAYINGS
)
BEFORE = late(
    "|".join(_BEFORE)
    + r"|(?:我|他|她|本人|我妈|我爸|我们)[^，。,.]{0,6}(?:是|信|信仰|加入|投|投给|被|有|坐)[^，。,.的]{0,5}\Z"
    + r"|\b(?:я|он|она|мой\s\w+|моя\s\w+)(?:\s\w+){0,3}\s\Z"
)
_BY_LANGUAGE = tuple((_beginnings(s), late(pattern)) for s, pattern in zip(SAYINGS, _BEFORE, strict=True))


def said_before(before: str) -> bool:
    """Say whether `BEFORE` is found in what stands before a term; of a text in ASCII language by language.

    A language is tried only where a word stands that one of its persons or verbs begins with: most have none.
    """
    if not before.isascii():
        return BEFORE.search(before) is not None
    if before[-1:] != "'" and not before[-1:].isspace():
        return False
    said = words_of(before)
    for (whole, open_ends), pattern in _BY_LANGUAGE:
        if (not whole.isdisjoint(said) or any(word.startswith(open_ends) for word in said)) and pattern.search(before):
            return True
    return False


PERSON_BEFORE = late(
    r"(?:私|僕|俺|彼女?|母|父|妻|夫|息子|娘|さん)[はがもの]|(?:저|나|그|그녀|어머니|아버지|남편|아내|엄마|아빠|우리)(?:는|은|가|도|희)|"
    r"(?:मैं|मैंने|वह|वो|मेरे|मेरी|मेरा|उसने|उन्होंने|हम)\s|\b(?:ben|annem|babam|esim|kocam|kardesim|o)\s"
)
AFTER = late(
    r"(?:の)?(?:教徒|信者|党員|会員|組合員|支持者|員)?(?:です|でした|だ|である|なので|なんです|に投票|に入党|に加入|に入って|を受け|を持|が(?:ある|あり))|"
    r"\s?(?:신자|교인|교도|당원|조합원|인)?(?:입니다|이에요|예요|이다|이고|이며|였|에\s투표|을\s믿|를\s믿|에\s가입|을\s선고|를\s선고|받|가\s있|이\s있)|"
    r"[^।.]{0,30}(?:हूँ|हूं|है|हैं|सदस्य|वोट|काटी|मिली|था|थी)|"
    r"[’']?(?:\w{0,3}(?:y[iıu]m|[iı]m)|\w{0,2}\suyesi\w*|\w{0,3}\soy\sver\w*|\w*\syatt\w*|\w*\sgiydi\w*|\w*\saldi\w*)(?![\w])"
)
AFTER_OWN = late(r"[’']?\w{0,3}\s(?:uyesiyim|oy\s(?:verdim|veriyorum)|secmeniyim)(?![\w])")  # the ending is the person
# A name that is also a plain word needs a word for belonging right before or after it.
MEMBER_BEFORE = late(
    r"\b(?:member(?:\sof)?|mitglied(?:\s(?:in|bei|von))?|membre|adherente?|miembro|afiliad\w|iscritt\w|tesserat\w|filiad\w|"
    r"membro|lid(?:\s(?:van|bij))?|członki\w+|medlem(?:\s(?:i|av))?|votes?|voted(?:\sfor)?|voto|vote|stem|gewahlt|głosował\w*|głosuje)"
    r"(?:\s(?:of|the|der|die|bei|in|im|von|du|de|la|le|des|del|el|al|alla|ao|a|da|do|de|i|av|for|por|para|op|na))"
    r"{0,2}\s\Z"
)
MEMBER_AFTER = late(r"[’']?\w{0,3}\s(?:uyesi|üyesi|member|mitglied|seçmeni)\w*")
