"""What people say of themselves and of others: faith, party, union, origin, love, crime, pay, blood, maiden name.

Pure. Beside `special.py`, which reads forms and the plainest sentences. A word for what somebody is counts where the
sentence has a person and a verb of the same language; an amount counts beside a word for pay and a person. Statistics,
institutions, novels and questions tell nothing of anybody.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.avowal_words import (
    GENERAL,
    MANY_SIGNS,
    MEMBER,
    PERSON_SIGNS,
    PLAIN,
    SAYINGS,
    TERMS,
    THINGS,
    VERB_SIGNS,
)
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.illness import sentence_around
from mace.governance.detectors.illness_words import ASKING, QUESTION_SIGNS
from mace.governance.detectors.late import late
from mace.governance.detectors.special_words import PLAIN_WORDS
from mace.governance.detectors.special_words import TERMS as EARLIER
from mace.governance.detectors.view import View

_KINDS = ("religion", "political_view", "union_membership", "ethnic_origin", "sexual_orientation")
RULES = (
    {f"{kind}.avowed": Rule(kind, 1) for kind in _KINDS}
    | {f"{kind}.form": Rule(kind, 1) for kind in (*_KINDS, "criminal_record")}
    | {
        "ethnic_origin.descent": Rule("ethnic_origin", 1),
        "criminal_record.served": Rule("criminal_record", 1),
        "salary.earned": Rule("salary", 1),
        "blood_type.known": Rule("blood_type", 1),
        "maiden_name.born": Rule("maiden_name", 1),
    }
)

_TOO_PLAIN = frozenset(["cut", "disk", "same", "tip", "st", "lo", "po", "sp"])  # words of every other text
_TERMS = {kind: Cue({*TERMS[kind], *EARLIER[kind]} - _TOO_PLAIN) for kind in _KINDS}
_PLAIN = PLAIN | PLAIN_WORDS
_DIRECT = frozenset(  # plain words as well: they count right after a verb of being
    phrases(
        """
        bi, trans, homo, nero, nera, preto, preta, arab, arabe, tamil, hispanic, queer, jude, bog, roma, rom,
        sami, kristen, christen
        """
    )
)

_DESCENT = Cue(
    phrases(
        """
        descent, heritage, ancestry, ethnic*, origin, origins, abstammung, herkunft, wurzeln, stammig*, origine,
        origines,
        origen, ascendencia, raices, origini, discendenza, origem, ascendencia, afkomst, komaf, wortels, pochodzeni*,
        korzeni*, harkomst, ursprung, bakgrund, rotter, kokenli*, asıllı*, национальност*, происхожден*, корни, أصل,
        أصول,
        اصول, من أصول, मूल, 系, 血统, 血統, 혈통, 계, volksgruppe, ethnie, etnia, narodowosc*
        """
    )
)
_CRIME = Cue(
    phrases(
        """
        convicted, conviction*, sentenced, prison, jail*, arrested, probation, parole, felony, misdemeano*,
        pleaded guilty,
        pled guilty, found guilty, criminal record*, served time, behind bars, community service, dui, verurteilt*,
        vorbestraft*, haft, haftstrafe*, gefangnis*, bewahrung*, freiheitsstrafe*, geldstrafe*, vorstrafe*, knast,
        strafbefehl*, condamn*, casier judiciaire, garde a vue, incarcer*, conden*, carcel, prision, antecedentes*,
        condann*, carcere, reclusione, arrestat*, patteggi*, precedenti penali, galera, preso, presa, prisao, cadeia,
        antecedentes criminais, detido, veroordeeld*, celstraf*, gevangenis*, taakstraf*, strafblad*, vastgezeten*,
        cel,
        skazan*, karan*, wiezien*, więzien*, wyrok*, odsiad*, domd*, domt*, fangelse*, villkorlig*, skyddstillsyn*,
        straffad*, hapis*, mahkum*, sabıka*, hukum giy*, ceza*, cezaevi*, осужд*, осуд*, судим*, приговор*, сидел*,
        тюрьм*,
        колони*, отсидел*, отбыв*, حكم عليه*, حكم علي*, حُكم*, سجن*, السجن, أدين*, إدانت*, مدان*, سوابق*, दोषी*, सज़ा*,
        सजा*, जेल*, गिरफ्तार*, 懲役*, 逮捕*, 有罪*, 執行猶予*, 服役*, 前科*, 罰金刑*, 判刑*, 坐牢*, 坐过牢*,
        有期徒刑*, 缓刑*,
        拘留*, 被判*, 入狱*, 징역*, 전과*, 집행유예*, 벌금형*, 구속*, 수감*, 실형*, 교도소*
        """
    )
)
_PAY = Cue(
    phrases(
        """
        salary, wage, wages, earn, earns, earned, earning, make, makes, paid me, paid him, paid her, get paid,
        gets paid, pay, paycheck, income,
        gross, takes home, take home, bekomm*,
        krieg*, percoi*, dostaj*, krijg*, gehalt*, verdien*, lohn, bruttolohn, brutto, netto, einkommen,
        monatsgehalt, jahresgehalt, salaire*, gagn*, touche*,
        paie, paye*, remuner*, revenu*, sueldo*, salario*, gano, gana, gana*, cobr*, nomina, ingreso*, stipendio*,
        guadagn*,
        prend*, ral, reddito, busta paga, ganh*, recebe*, recebo, ordenado*, renda, vencimento*, salaris*, verdient,
        loon,
        inkomen*, zarab*, pensj*, wynagrodz*, wypłat*, tjanar*, lon, manadslon*, inkomst*, maas*, kazan*, alıyor*,
        gelir*, nettogehalt*, bruttogehalt*, aylık*,
        зарплат*, оклад*, зарабат*, доход*, получа*, راتب*, أتقاضى, يتقاضى, تتقاضى, أكسب, يكسب, تكسب, دخل*, वेतन*,
        तनख्वाह*,
        तनख़्वाह*, सैलरी*, कमात*, आय, आमदनी*, 年収*, 月給*, 給料*, 給与*, 手取り*, 月収*, 稼*, 时薪*, 工资*, 月薪*,
        年薪*, 薪*, 收入*, 挣*, 赚*,
        연봉*, 월급*, 급여*, 벌어*, 벌고*, 수입*, 세후*, 세전*
        """
    )
)
_BLOOD = Cue(
    phrases(
        """
        blood, bloodtype, blutgruppe*, blut, groupe sanguin*, sanguin*, sangre, gruppo sanguigno, sangue, bloedgroep*,
        krwi, krew, grupa krwi, grupe krwi, grupę krwi, blodgrupp*, blodtyp*, kan grub*, kanı*, групп* крови,
        группа, فصيلة*, زمرة*, رक्त*, रक्त*, ब्लड*,
        positive, negative, positiv, negativ, positivo, negativo, positivum, positif, negatif, neg, pos, 형*, खून*,
        血液型*, 血型*, 혈액형*, rh, donor*
        """
    )
)
_MAIDEN = Cue(
    phrases(
        """
        nee, maiden name*, birth name*, geborene*, geb, geburtsname*, madchenname*, nom de jeune fille*,
        nom de naissance*, nacida, de soltera, soltera, nata, nubile, da ragazza, solteira, nascida, meisjesnaam*,
        geboren, geboortenaam*, domu, panienski*, panieński*, rodowe*, fodd, flicknamn*, kızlık*, kizlik*,
        evlenmeden*,
        bekarlık*, урожд*, девич*, قبل الزواج, اسم العائلة قبل*, लقب*, मायके*, शादी से पहले*, विवाह पूर्व*, 旧姓*, 婚前*,
        娘家姓*,
        本姓*, 原姓*, 결혼 전*, 친정 성*, 처녀 때*
        """
    )
)
_LABEL = {
    "religion": Cue(
        phrases(
            """
            religion*, konfession*, confession*, religione*, religiao, geloof*, godsdienst*, wyznani*, religi*,
            trosriktning,
            trostillhorighet, din, dini, dinim, inanc*, вероисповедани*, религи*, вера, конфесси*, الديانة*, ديانت*,
            الدين,
            دينه, ديني, المذهب, معتقد*, धर्म*, मज़हब*, मजहब*, 宗教*, 信仰*, 종교*, faith*
            """
        )
    ),
    "political_view": Cue(
        phrases(
            """
            partei*, parti, party*, political*, politisch*, politique*, politic*, partido*, partito*, partij*,
            politiek*, parti*,
            partia*, poglad*, pogląd*, politisk*, siyasi*, партийн*, партия*, политическ*, الحزب*, الانتماء السياسي*,
            الانتماء الحزبي*, الميول السياسية*, التوجه السياسي*, राजनीतिक*, पार्टी*, 支持政党*, 政党*, 政治*, 党派*,
            정당*, 정치*
            """
        )
    ),
    "union_membership": Cue(
        phrases(
            """
            gewerkschaft*, union*, trade union*, syndicat*, syndical*, sindicat*, sindical*, sindacat*, vakbond*,
            zwiaz*, związ*,
            przynaleznosc zwiaz*, fack*, sendika*, профсоюз*, النقابة*, العضوية النقابية*, عضوية النقابة*,
            الانتماء النقابي*, यूनियन*,
            संघ*, 労働組合*, 労組*, 組合*, 工会*, 노조*, 노동조합*
            """
        )
    ),
    "ethnic_origin": Cue(
        phrases(
            """
            ethnic*, ethni*, race, etnic*, etnia*, raza*, razza, raca*, cor, etnicit*, etnisk*, etnik*, pochodzenie*,
            narodowosc*, narodowość*, ursprung*, irk*, национальност*, этническ*, العرق*, الأصل العرقي*, الأصل*,
            القومية*, जाति*,
            जातीय*, नस्ल*, समुदाय*, 民族*, 種族*, 人種*, 种族*, 민족*, 인종*, herkunft*
            """
        )
    ),
    "sexual_orientation": Cue(
        phrases(
            """
            sexual*, sexuel*, sexuell*, orientation*, orientacion*, orientamento*, orientacao*, seksu*, geaardheid*,
            orientacj*,
            laggning*, cinsel*, сексуальн*, ориентац*, الميول*, التوجه الجنسي*, यौन*, लैंगिक*, 性的指向*, 性的*,
            性取向*, 性倾向*, 성적*,
            성지향*
            """
        )
    ),
    "criminal_record": Cue(
        phrases(
            """
            criminal*, conviction*, vorstrafe*, strafregister*, casier*, condamnation*, antecedent*, precedenti*,
            condann*,
            cadastro*, registo criminal*, strafblad*, justitieel*, karalno*, wyrok*, belastningsreg*, domar*,
            brott*, sabıka*,
            adli sicil*, судимост*, السوابق*, سوابق*, السجل الجنائي*, السجل العدلي*, صحيفة الحالة*, आपराधिक*,
            अपराध*, 犯罪*, 前科*,
            前歴*, 刑事*, 전과*, 범죄*
            """
        )
    ),
}
CUES = (*_TERMS.values(), _DESCENT, _CRIME, _PAY, _BLOOD, _MAIDEN, *_LABEL.values())

_SAYINGS = tuple(
    tuple(late(rf"(?<![\w'])(?:{words})(?![\w])") for words in (saying.persons, saying.verbs, saying.own))
    for saying in SAYINGS
)
_GENERAL, _THINGS = late(GENERAL), late(THINGS)
_MEMBER_BEFORE = late(
    rf"(?<![\w])(?:{MEMBER}|(?:am|i'm|is|bin|ist|war)\s(?:in|bei|with)(?:\s(?:der|dem|"
    rf"the))?)(?![\w])[^.;!?\n]{{0,22}}\Z"
)
_MEMBER_AFTER = late(rf"[^.;!?\n]{{0,4}}\s(?:{MEMBER[3:-1]}|aktiv)(?![\w])")
_NAMED = late(
    r"(?:\A|[\s(])(?!The |Die |Der |Das |Les |Los |Las |This |That |Many |Most |Some |All |Our |Their |In |Two )"
    r"[A-ZÀ-ÞŁŚŻŹĆА-Я][a-zà-ÿłśżźćıа-яё]{1,14}(?:-[A-Z][a-z]+)?(?:\s[A-ZÀ-ÞŁŚŻŹĆА-Я][a-zà-ÿłśżźćıа-яё]{1,18}){0,2}\s"
    r"(?:is|was|has|joined|votes|voted|identifies|converted|became|ist|war|wurde|hat|wahlt|gehort|est|a|etait|vote|"
    r"milite|es|era|fue|"
    r"vota|milita|pertenece|e|ha|tem|foi|vota|is|was|heeft|stemt|werd|jest|był\w*|został\w*|nalezy|ar|var|har|"
    r"rostar|blev)\s"
)
_LEADING = late(
    r"\b(?:am|is|was|i'm|he's|she's|are|bin|ist|war|sind|suis|est|soy|es|sou|e|sono|ben|is|jag ar|han ar|hon ar|"
    r"jestem|jest|"
    r"as|als|comme|como|come|out|я|он|она)\s(?:(?:a|an|een|en|ein|eine|un|une|una|um|uma|also|openly|auch|offen|"
    r"von)\s)?\Z"
)
_JOINED = late(
    r"\b(?:belong\w*|baptis\w+|baptiz\w+|confirmed|member|joined|attend\w*|getauft|baptise\w*|bautizad\w|"
    r"battezzat\w)\s(?:\w+\s){0,3}\Z"
)
_WIDER = late(
    r"\b(?:roman|romisch|rzymsko|greek|russian|serbian|coptic|sunni|shia|shi'a|reform|greco|grec|griechisch|russisch|"
    r"strictly|pastafari)[\s\-]\Z"
)


def find(view: View) -> Iterator[Hit]:
    """Yield what is protected by name in a view."""
    for kind, cue in _TERMS.items():
        if cue.in_text(view):
            yield from _avowed(view, kind, cue)
    for kind, cue in _LABEL.items():
        if cue.in_text(view):
            yield from _on_a_form(view, kind, cue)
    if _DESCENT.in_text(view):
        yield from _descended(view)
    if _CRIME.in_text(view):
        yield from _sentenced(view)
    if (view.has_digit or not view.ascii) and _PAY.in_text(view):
        yield from _earned(view)
    if _BLOOD.in_text(view):
        yield from _bled(view)
    if _MAIDEN.in_text(view):
        yield from _born_as(view)


def is_asked(sentence: str) -> bool:
    """Say whether a sentence asks, by its first word or a sign for asking."""
    words = sentence.split(None, 1)
    return not words or words[0].strip("¿\"'([") in ASKING or any(sign in sentence for sign in QUESTION_SIGNS)


def of_somebody(view: View, start: int, stop: int, at: int, end: int) -> bool:
    """Say whether a sentence says what stands in it of a person: somebody and a verb, in one language."""
    lower = view.lower
    before, after = lower[start:at], lower[end:stop]
    rest = f"{before} \N{BULLET} {after}"
    if is_asked(before + after) or _GENERAL.search(rest) is not None:
        return False
    if not view.ascii:
        if any(sign in rest for sign in MANY_SIGNS):
            return False
        if any(sign in rest for sign in PERSON_SIGNS) and (
            "\u0600" <= lower[at] < "\u0700" or any(sign in rest for sign in VERB_SIGNS)
        ):
            return True
        if _AFTER_OWN.match(lower, end) is not None:
            return True
    if _NAMED.search(view.text, start, at) is not None or _DROPPED.search(before) is not None:
        return True
    for who, does, own in _SAYINGS:
        if own.search(before) is not None or own.search(after) is not None:
            return True
        person = who.search(before) or who.search(after)
        if person is not None and does.search(rest.replace(person.group(), " ", 1)) is not None:
            return True
    return False


# Languages that leave the person out: a verb begins the sentence, or what follows a term is said of oneself.
_DROPPED = late(
    r"(?:\A|[.!?,;:]\s?)\s{0,2}(?:es|e|jest|era|fue|był|była|został|została|estuvo|e\sstat[oa]|foi|sar[aà]|"
    r"parece)\s(?:\w+\s){0,2}\Z|"
    r"\b(?:annem|babam|esim|kocam|karım|oglum|kızım|kardesim|abim|ablam|ailem|dedem|ninem|anneannem|babaannem|"
    r"amcam|dayım|teyzem|halam|"
    r"kuzenim|komsum|mudurum|patronum|sevgilim|nisanlım|arkadasım|ben|biz|kendisi|bey|hanım)(?:\s\w+){0,2}\s\Z"
)
_AFTER_OWN = late(
    r"(?:に投票し|を支持し|の?(?:信者|会員|党員|組合員)(?:です|でした)|に入信|に加入し|に入って|を信仰し)|"
    r"(?:을|를)\s(?:지지합|지지해|믿습|믿어|믿는)|\s?(?:신자|당원|조합원|교인)(?:입|이에|예)|에\s다닙|"
    r"'?(?:y[ıiu]m|l[iıuü]y[iıuü]m)(?![\w])"
)


def has_person(view: View, start: int, stop: int, at: int, end: int) -> bool:
    """Say whether a sentence that is no question and of no crowd has a person in it, beside what stands there."""
    lower = view.lower
    before, after = lower[start:at], lower[end:stop]
    rest = f"{before} \N{BULLET} {after}"
    if is_asked(before + after) or _GENERAL.search(rest) is not None:
        return False
    if not view.ascii:
        if any(sign in rest for sign in MANY_SIGNS):
            return False
        if any(sign in rest for sign in PERSON_SIGNS):
            return True
    if _NAMED.search(view.text, start, at) is not None:
        return True
    return any(who.search(rest) is not None or own.search(rest) is not None for who, _, own in _SAYINGS)


def whole_word(view: View, at: int, end: int) -> tuple[int, int] | None:
    """Return a word to its end; None when it stands inside another (scripts with words, of which cues know no edge)."""
    lower = view.lower
    first = lower[at]
    if "\u0370" <= first < "\u0530" and at > 0 and lower[at - 1].isalpha():
        return None
    if "\u0600" <= first < "\u0700":
        begin = at
        while begin > 0 and "\u0600" <= lower[begin - 1] < "\u0700" and lower[begin - 1].isalpha():
            begin -= 1
        if lower[begin:at] not in ("", "ال", "و", "ب", "ل", "وال", "بال", "لل", "ك", "ف"):
            return None
    while end < len(lower) and lower[end].isalpha() and lower[end - 1] < "\u0900" and lower[end] < "\u0900":
        end += 1
    return at, end


def _avowed(view: View, kind: str, cue: Cue) -> Iterator[Hit]:
    """Yield what a person is said to be, to believe or to belong to."""
    text, lower = view.text, view.lower
    last = -1
    for at, found in cue.occurrences(view):
        place = whole_word(view, at, found)
        if place is None or at < last:
            continue
        end = place[1]
        said = lower[at:found]
        start, stop = sentence_around(text, at)
        if _THINGS.match(lower, end) is not None and _JOINED.search(lower, max(start, at - 40), at) is None:
            continue
        if said == "kurt" and _DROPPED.search(lower, start, at) is None:
            continue
        if not _counts(view, kind, start, at, end, said):
            continue
        if not of_somebody(view, start, stop, at, end):
            continue
        wider = _WIDER.search(lower, max(start, at - 14), at)
        begin = wider.start() if wider is not None else at
        end = _name_end(view, kind, end)
        yield Hit(f"{kind}.avowed", begin, end)
        last = end


def _counts(view: View, kind: str, start: int, at: int, end: int, said: str) -> bool:
    """Say whether a term that is also a plain word stands where it means what people are."""
    if not said.isascii():
        return True
    text, lower = view.text, view.lower
    direct = _LEADING.search(lower, max(start, at - 30), at) is not None
    if (said in _PLAIN or lower[at:end] in _PLAIN) and not (direct and kind == "ethnic_origin"):
        belongs = _MEMBER_BEFORE.search(lower, max(start, at - 50), at) or _MEMBER_AFTER.match(lower, end, end + 24)
        return belongs is not None and not text[at].islower()
    if said in _DIRECT or (len(said) <= 3 and text[at:end].islower()):
        return direct
    return kind not in ("political_view", "union_membership") or end - at > 4 or not text[at].islower()


_UNION_REST = late(r"(?:\s(?:[A-Z][\w\-]+|работник\w+|\u0627\u0644[^\W\d_]+|учител\w+|медик\w+|образовани\w+)){1,3}")
_ARAB_REST = late(r"(?:\s\u0627\u0644[\u0620-\u064a]+){1,3}")


def _name_end(view: View, kind: str, end: int) -> int:
    """Return where the name of a party or a union ends that goes on in further words."""
    if kind in ("political_view", "union_membership") and not view.ascii:
        match = _ARAB_REST.match(view.text, end)
        if match is None and kind == "union_membership" and "\u0400" <= view.text[end - 1] < "\u0500":
            match = _UNION_REST.match(view.text, end)
        return match.end() if match is not None else end
    return end


_FORM = late(
    r"(?P<more>(?:[\s/_\-][^\W\d]{2,16}){0,2}?)(?:\s?\([^)\n]{1,20}\))?[\"'*]{0,3}\s{0,3}(?:[:：]|\s[\-–—]|\t|"
    r"\|)[\s\"'*]{0,3}"
    r"(?P<value>[^\s,;|{}\[\]<>\"':：()（）。/\-–—][^,;|{}\[\]<>\"\n()（）。/:：\t]{0,60})"
)
_FORM_START = late(
    r"(?:\A|[\n,;|{(\[\"'•*\->.!?。、，：；・／/】」\t]\s{0,4}|(?:\A|[\n,;.|])\s{0,2}(?:[^\W\d_]{2,14}\s){1,2}|"
    r"\s{2,})\Z"
)
_NO_VALUE = late(
    r"(?i)\s*(?:none|no|n/?a|null|nil|unknown|nothing|keine?|keine angabe|aucune?|neant|ninguna?|ninguno|nessuna?|"
    r"nessuno|"
    r"nenhuma?|geen|brak|inga?|yok|нет|отсутствует|لا يوجد|لا شيء|なし|無し|無|无|無回答|没有|없음|해당 없음|नहीं|"
    r"कोई नहीं|-+|\d+|false|true|low|medium|"
    r"high|str\w*|text|yes|ja|oui|si|sim|evet|required|optional|tbd|todo|see\s.*|the\s.*|a\s.*|an\s.*|this\s.*|"
    r"to\s.*|not\s.*|"
    r"how\s.*|what\s.*|why\s.*|is\s.*|der\s.*|die\s.*|das\s.*|le\s.*|la\s.*|les\s.*|el\s.*|il\s.*|un\s.*|une\s.*|"
    r"una\s.*)?\s*\Z"
)
_CUT = late(
    r"\s{2,}|\.\s|\.\Z|\s[-–—]\s|\s(?:since|seit|depuis|desde|dal|sinds|od|sedan|beri|с|منذ|से)\s|"
    r"(?:です|でした|입니다|이에요|예요)|\s(?:है|हैं)\b"
)
_LONGER_CUT = late(r"\s{2,}|[;|\n{}<>\"。]|\.\s|\.\Z|\s[^\W\d_]{3,20}\s?[:：]")
_LONG = late(r"[^\n;|{}<>\"]{1,80}")


def _on_a_form(view: View, kind: str, cue: Cue) -> Iterator[Hit]:
    """Yield the value that a label on a form leads to: something that people are, by its name, or a short answer."""
    text = view.text
    for at, found in cue.occurrences(view):
        place = whole_word(view, at, found)
        if place is None or _FORM_START.search(text, max(0, at - 32), at) is None:
            continue
        match = _FORM.match(text, place[1], place[1] + 120)
        if match is None or _NO_VALUE.match(match["value"]):
            continue
        begin = match.start("value")
        if kind == "criminal_record":
            long = _LONG.match(text, begin)
            value = _LONGER_CUT.split(long.group())[0] if long is not None else match["value"]
            probe = View(value, version=view.version)
            if not (_CRIME.in_text(probe) or _OFFENCE.search(probe.lower) is not None):
                continue
        else:
            value = _CUT.split(match["value"])[0]
            probe = View(value, version=view.version)
            if not (_TERMS[kind].in_text(probe) and any(True for _ in _TERMS[kind].occurrences(probe))) and not (
                kind == "religion" and _SHORT_FAITH.fullmatch(probe.lower) is not None
            ):
                continue
            if len(value.split()) > 6:
                continue
        value = value.rstrip(" .,、")
        if value:
            yield Hit(f"{kind}.form", begin, begin + len(value))


_SHORT_FAITH = late(r"(?:ev|rk|r\.?-?k|evang|kath|rom\.?-?kath|isl|vd|ohne bekenntnis|oj|alt-?kath)\.?")
_OFFENCE = late(
    r"theft|fraud|assault|burglary|robbery|drink|drunk|driving|drug|possession|shoplift|manslaughter|murder|"
    r"forgery|tax evasion|"
    r"diebstahl|betrug|korperverletzung|trunkenheit|raub|hehlerei|steuerhinterziehung|beleidigung|unterschlagung|"
    r"urkunden|"
    r"vol\b|escroquerie|fraude|violence|conduite|stupefiants|ivresse|recel|abus|robo|hurto|estafa|agresion|lesion|"
    r"conduc|alcohol|"
    r"trafico|furto|truffa|rapina|guida|lesioni|spaccio|roubo|ofensa|conducao|burla|estelionato|diefstal|"
    r"oplichting|mishandeling|"
    r"rijden|inbraak|kradziez|oszustw|pobici|jazda|rozboj|rozbój|stold|bedrageri|misshandel|rattfylleri|ran\b|"
    r"narkotika|snatteri|"
    r"hırsızlık|dolandırıcılık|yaralama|alkollu|uyusturucu|gasp|кража|краж|мошеннич|хулиган|разбо|побо|вожден|"
    r"наркот|грабеж|ст\.\s?\d|"
    r"سرقة|احتيال|اعتداء|مخدرات|تزوير|قيادة|رشوة|चोरी|धोखा|मारपीट|हमला|शराब|डकैती|窃盗|詐欺|傷害|暴行|飲酒|横領|"
    r"万引き|盗窃|诈骗|醉驾|故意伤害|危险驾驶|"
    r"抢劫|贪污|受贿|절도|사기|폭행|음주운전|상해|횡령|마약|\d{4}"
)

_DESCENT_BEFORE = late(
    r"(?P<value>(?:[a-z]+-)?[^\W\d_]{4,20}(?:[-\s](?:and|und|et|y|e|en|i|och)\s[^\W\d_]{4,20})?)\s"
    r"(?:descent|heritage|ancestry|ethnic\sorigin|origin|origins|abstammung|herkunft|wurzeln|afkomst|komaf|"
    r"harkomst|ursprung|"
    r"bakgrund|kokenli|asıllı|происхождения|национальности|मूल)"
)
_DESCENT_AFTER = late(
    r"(?:d'|de\s|di\s|von\s|of\s|hat\s|tem\s|tiene\s|ha\s|con\s|com\s|avec\s)?(?:origini?|origines?|origen|"
    r"ascendencia|ascendance|raices|origem|"
    r"raizes|discendenza|pochodzeni\w+|корни|национальности|национальность|национальностью|etnia|ethnie|أصول|أصل)"
    r"(?:\s(?:ethnique|etnico|etnica|sono|sont))?\s(?P<value>[^\W\d_]{4,20})"
)
_NOT_ORIGIN = frozenset(
    phrases(
        """
        this, that, their, same, data, country, unknown, original, national, family, point, request, response, cross,
        allow, allowed, ethnic, ethnische, ethnischer, social, soziale, regional, protected, cultural, natural,
        rural, humble,
        werk, sociale, ethniska, etniskt, animal, vegetal, vegetale, vegetalien, controlee, controlada, latin,
        greek, diese,
        technical, professional, academic, educational, military, legal, scientific, criminal, teknisk, vegetable,
        plant,
        humilde, modeste, modesta, social, sociale, noble, shared, common, mixed, rich, proud, world, unclear, true
        """
    )
)


def _descended(view: View) -> Iterator[Hit]:
    """Yield the people that somebody descends from."""
    text, lower = view.text, view.lower
    done = -1
    for at, found in _DESCENT.occurrences(view):
        start, stop = sentence_around(text, at)
        for match in (
            _DESCENT_BEFORE.search(lower, max(start, at - 48), min(stop, found + 8)),
            _DESCENT_AFTER.search(lower, max(start, at - 8), min(stop, at + 60)),
        ):
            if match is None or match.start("value") < done or not match.start() <= at < match.end():
                continue
            begin, end = match.span("value")
            value = lower[begin:end]
            if value.split()[0] in _NOT_ORIGIN or not of_somebody(view, start, stop, begin, match.end()):
                continue
            if not _ADJECTIVE.search(value):
                continue
            done = end
            yield Hit("ethnic_origin.descent", begin, end)
            break


_ADJECTIVE = late(
    r"(?:ish|ese|ian|ean|can|ani|ian|ench|utch|eek|wiss|hai|ewish|rab|oma|raqi|emeni|hmong|maori|isch\w{0,2}|"
    r"nois\w{0,2}|ais\w{0,2}|ien\w{0,3}|"
    r"ain\w{0,2}|een\w{0,2}|enne|que|ine?|nde|no|na|es|esa|eno|ena|ano|ana|roqui|i|ol|ola|eca?|co|ca|es|eza|iana?|"
    r"ese|ski\w*|skie\w*|cki\w*|"
    r"ckie\w*|sk|sse|ns|nse?|nish|urt|kurt|rap|meni|bosnak|arnavut|gurcu|çerkes|cerkes|laz|ск\w+|ин|ец|ка|янин|"
    r"янка|арин|арка|ей|"
    r"ي|ية|ीय|ी|kaans\w{0,2}|aamse|kse|nese|ans\w{0,2}|ees|ese|ain)\Z"
)

_CRIME_LEFT = late(
    r"(?:(?:wegen|zu|za|voor|wegens|tot|suçundan|за|по)\s[^.,;:!?\n\"()]{3,60}?|"
    r"[^\s.,;:!?\n\"()]+(?:\s[^\s.,;:!?\n\"()]+)?\s(?:sucundan|sebebiyle|nedeniyle)\s[^.,;:!?\n\"()]{0,30}?)\Z"
)
_CRIME_RIGHT = late(
    r"[^\W\d_]*(?:\s[^.,;:!?\n\"()]{1,60}?)?(?=[.,;:!?\n\"()]|\s(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|"
    r"maar|i|ale|och|men|ve|и|но)\s|\Z)"
)
_TIME_LEFT = late(
    r"(?:\b(?:spent|served|did|serving|doing)\s)?(?:[\w\-]+\s)?(?:years?|months?|weeks?|days?|jahren?|jahre|"
    r"monaten?|monate|ans?|mois|anos|meses|anni|"
    r"mesi|jaar|maanden|lata?|miesi\w+|ar|manader|yıl|ay|лет|года?|месяц\w*)\s(?:(?:in|im|de|en|la|el|di|w|i|da|na|"
    r"of|het|the|em)\s){0,3}\Z|"
    r"\b(?:hırsızlıktan|dolandırıcılıktan|yaralamadan|\w+(?:tan|ten|dan|den))\s(?:[\w]+\s){0,3}\Z"
)
_CRIME_OWN = late(
    r"\b(?:został\w*|siedzia\w+|odsiedzia\w+|mam\swyrok\w*|ma\swyrok\w*|byłem|byłam|estuvo|estuve|cumpli\w*|"
    r"tiene\santecedentes|tengo\santecedentes|e\sstat[oa]|"
    r"ha\sprecedenti|ho\sprecedenti|fui|foi|ficou|cumpri\w*|esteve|tem\santecedentes|отсидел\w*|сидел\w*|судим\w*|"
    r"осужден\w*|осуждён\w*|sabıkam|sabıkalıyım|"
    r"yattım|yattı|giydim|giydi|did\stime|ex-con\w*)\b|حكم عليه|حكم علي|لديه|لديها|عليه|عليها|"
    r"سجنت|سُجن|أدين|前科があ|逮捕歴|坐过牢|전과가"
)
_EAST_CLAUSE = late(r"[^\s、。，,！!？?.;；（）()\n]{0,24}")
_CRIME_NOT = late(
    r"\b(?:not|never|nie|nicht|kein\w*|jamais|aucun\w*|nunca|ningun\w*|mai|nessun\w*|nenhum\w*|nooit|geen|nigdy|"
    r"aldrig|ingen|inga|"
    r"hic|не|нет|no)\b|ない|没有|从未|无|없|नहीं|ليس|لا |لم "
)
_LAW = late(
    r"\b(?:straffas|punit[oaie]|punid[oa]s?|castiga\w*|castigad\w|punishable|punished|bestraft|punie?s?|gestraft|"
    r"podlega\w*|cezalandır\w+|наказыва\w+|"
    r"law|gesetz|loi|ley|legge|lei|wet|ustaw\w+|lag|kanun\w*|court|gericht|courts|tribunal\w*|offenders?|inmates|"
    r"prisoners)\b|"
    r"يعاقب|दंडनीय|処せられ|处以|처한다"
)


def _sentenced(view: View) -> Iterator[Hit]:
    """Yield what somebody was convicted of or served, with the words right beside it."""
    text, lower = view.text, view.lower
    done = -1
    for at, found in _CRIME.occurrences(view):
        place = whole_word(view, at, found)
        if place is None or at < done or "_" in text[at : place[1]]:
            continue
        end = place[1]
        start, stop = sentence_around(text, at)
        own = _CRIME_OWN.search(lower, start, stop) is not None
        if not (own and not is_asked(lower[start:stop])) and not has_person(view, start, stop, at, end):
            continue
        if _LAW.search(lower, start, stop) is not None:
            continue
        if _CRIME_NOT.search(lower, max(start, at - 16), at):
            continue
        if _THINGS.match(lower, end) or _CRIME_THING.match(lower, end):
            continue
        begin = at
        if text[at] >= "\u3040" or "\u0900" <= text[at] < "\u0e00":
            clause = _EAST_LEFT.search(text, max(start, at - 30), at)
            begin = clause.start(1) if clause is not None else at
            right = _EAST_CLAUSE.match(text, end)
            end = right.end() if right is not None else end
            end = min(end, stop)
        else:
            left = _TIME_LEFT.search(lower, max(start, at - 50), at) or _CRIME_LEFT.search(
                lower, max(start, at - 60), at
            )
            begin = left.start() if left is not None else at
            right = _CRIME_RIGHT.match(text, end, min(len(text), stop + 1))
            end = right.end() if right is not None else end
        while end > begin and text[end - 1] in " .,;!?":
            end -= 1
        if end - begin < 10 and begin == at and _ALONE.match(lower, at) is None:
            continue
        done = end
        yield Hit("criminal_record.served", begin, end)


_EAST_LEFT = late(
    r"(?:\A|"
    r"[\s、。，,！!？?.;；はが는은이가])([^\s、。，,！!？?.;；はが]{1,20}\s?(?:[^\s、。，,！!？?.;；はが]{1,12}\s)?)\Z"
)
_ALONE = late(
    r"vorbestraft|skazan|karan|condamne|condenad|condannat|veroordeeld|судим|осужд|前科|전과|سوابق|sabıka|जेल|दोषी|"
    r"सज|坐|有|逮|執|懲|服|구|징|수|실|집"
)
_CRIME_THING = late(
    r"\s(?:him|her|them)\s?(?:[.,;!?]|\Z)|\s(?:cells?|guards?|officers?|systems?|reform\w*|population|staff|"
    r"service|break|break\w*|check\w*|system|"
    r"wardens?|labor|colony|"
    r"statistics|overcrowding|camp|memoir|drama|series)\b"
)

_AMOUNT = late(
    r"(?P<a>(?:[€$£¥₩₽₹₺]|\b(?:eur|usd|gbp|chf|us\$|r\$|inr|rs\.?|aed|sar|pln|sek|try|rub|cny|rmb|jpy|"
    r"krw)\s?)\s?[0-9][0-9.,' ]{0,14}[0-9]?(?:k\b)?)"
    r"|(?P<b>\b[0-9][0-9.,' \u00a0]{0,14}?[0-9]?\s?(?:[€$£¥₩₽₹₺]|k\b(?:\s?(?:€|euros?|usd|dollars?|pounds?))?|"
    r"(?:thousand|tausend|tsd\.?|mil|mila|bin|тысяч\w*|"
    r"тыс\.?|ألف|آلاف|हज़ार|हजार|लाख|tys\.?|tusen|duizend|mille)(?:\s(?:euros?|dollars?|pounds?|d'euros|reais|pesos|"
    r"lira|tl|рублей|руб\.?|"
    r"درهم|ريال|جنيه|دينار|दिरहम|रुपये|रुपए|रुपया|zł\w*|kronor|kr|de\s\w+))?|euros?\b|eur\b|dollars?\b|usd\b|pounds?\b|"
    r"gbp\b|quid\b|franken\b|chf\b|reais\b|pesos?\b|soles\b|"
    r"zł\w*|zl\b|pln\b|kronor\b|kr\b|sek\b|tl\b|lira\w*|руб\w*|р\.|درهم\w*|ريال\w*|جنيه\w*|دينار\w*|دولار\w*|ليرة|"
    r"रुपये|रुपए|रुपया|रु\.?|"
    r"万円?|万元|万|千元|元|円|块|만\s?원|만원|천만\s?원|억\s?원|원))"
    r"|(?P<c>[一二三四五六七八九十百千两]{1,5}(?:万元|万|千元|千块|千|百块|元|块))"
    r"|(?P<d>[일이삼사오육칠팔구십백천]{1,6}만\s?원)"
)
_EARNS = late(
    r"\b(?:salary|wages?|earns?|earned|earning|income|paycheck|gehalt\w*|\w*gehalt|verdien\w*|\w*lohn|einkommen|"
    r"\w*einkommen|beträgt|pay|making|salaire\w*|gagn\w+|touche\w*|remuner\w+|revenus?|"
    r"sueldos?|salarios?|gan[oa]|ganaba|cobr[oa]\w*|nomina|ingresos|stipendio|guadagn\w+|prend[eo]|ral|reddito|"
    r"ganh\w+|receb[eo]\w*|ordenado|"
    r"renda|vencimento|salaris\w*|loon|\w*loon|inkomen|zarabia\w*|zarob\w*|pensj\w+|wynagrodz\w+|wypłat\w+|"
    r"tjanar\w*|\w*lon|inkomst\w*|maas\w*|gelir\w*|kazan\w+|"
    r"alıyor\w*|зарплат\w+|оклад\w*|зарабат\w+|доход\w*|получа\w+)\b|راتب|تقاضى|كسب|دخل|वेतन|तनख|सैलरी|कमात|आय|आमदनी|"
    r"年収|月給|給料|給与|手取り|月収|稼|"
    r"工资|薪|收入|挣|赚|연봉|월급|급여|벌|수입|세후|세전"
)
_PAID_ME = late(
    r"\b(?:i|i'm|he's|she's|he|she|we)\s(?:\w+\s)?(?:make|makes|making|made|get|gets)\s(?:[\w]+\s){0,2}\Z|"
    r"\b(?:pay|pays|paid|paying)\s(?:me|him|her)\s(?:[\w]+\s){0,2}\Z|\b(?:i'm|i am|he's|she's|is|was)\s(?:paid|"
    r"on)\s(?:\w+\s)?\Z|"
    r"\b(?:take|takes|taking|bring|brings)\shome\s(?:\w+\s)?\Z|\b(?:bekomme|bekommt|krieg[et]|perçoit|percoit|"
    r"percois|prende|prendo|dostaj\w+|far|krijgt?)\s(?:\w+\s)?\Z"
)
_NO_PAY = late(
    r"\b(?:average|median|mean|minimum|durchschnitt\w*|mindestlohn|moyen\w*|minimum|medio|media|minimo|"
    r"gemiddeld\w*|sredni\w*|średni\w*|minimaln\w*|genomsnitt\w*|"
    r"ortalama|asgari|средн\w+|минимальн\w+|range|up\sto|starting|offer\w*|hiring|vacanc\w+|budget|company|"
    r"unternehmen|firma|entreprise|empresa|azienda|"
    r"bedrijf|foretag\w*|sirket\w*|компани\w+|campaign|charity|tax\s(?:free|allowance))\b|متوسط|الحد الأدنى|औसत|"
    r"न्यूनतम|平均|最低|평균|최저"
)


def _earned(view: View) -> Iterator[Hit]:
    """Yield what somebody earns: an amount beside a word for pay, in a sentence with a person."""
    text, lower = view.text, view.lower
    done = -1
    for begin, stop in _PAY.windows(view, 40, 60):
        for match in _AMOUNT.finditer(lower, begin, stop):
            at, end = match.span()
            if at < done or (at and lower[at - 1] in "0123456789.,"):
                continue
            while end > at and text[end - 1] in " .,'":
                end -= 1
            first, last = sentence_around(text, at)
            sentence = lower[first:last]
            if _NO_PAY.search(sentence) is not None:
                continue
            word = _EARNS.search(lower, max(first, at - 48), at) or _EARNS.search(lower, end, min(last, end + 40))
            if word is None and _PAID_ME.search(lower, max(first, at - 36), at) is None:
                continue
            if not has_person(view, first, last, at, end) and _OWN_PAY.search(sentence) is None:
                continue
            done = end
            yield Hit("salary.earned", at, end)


_OWN_PAY = late(
    r"\b(?:my|his|her|mein\w*|sein\w*|ihr\w*|mon|son|mi|su|mio|suo|meu|seu|mijn|zijn|haar|moj\w*|moja|moje|jego|"
    r"jej|min|hans|hennes|"
    r"mo[ij]|мо[яйеё]|его|её|ее|verdiene|verdient|gano|gana|guadagno|guadagna|ganho|ganha|recebe|recebo|cobro|"
    r"cobra|zarabiam|zarabia|"
    r"зарабатываю|зарабатывает|получаю|получает|maasım|maasi|maası|kazanıyorum|kazanıyor|alıyorum|alıyor|prende|"
    r"prendo|percepisce)\b|"
    r"راتبي|راتبه|راتبها|أتقاضى|يتقاضى|تتقاضى|दخلي|मेरी|मेरा|उसकी|उनकी|年収|月給|手取り|月薪|年薪|工资|연봉|월급"
)

_BLOOD_VALUE = late(
    r"(?<![\w])(?P<w>(?:ab|a|b|o)\s?[型형])|"
    r"(?<![\w])(?:(?:type|typ|tipo|grubu|gruppe|group|grupo|gruppo|groupe|groep|grupa|grupp)\s)?(?P<v>(?:ab|a|b|o|"
    r"0)\s?(?:rh\s?(?:d\s?)?)?\(?(?:"
    r"[+\-](?![\w])|(?:pos|neg|poz)[a-z]{0,6}\b|plus\b|minus\b|dodatni\w*|ujemn\w+|"
    r"मोजिटिव|पॉजिटिव|पॉज़िटिव|नेगेटिव|положительн\w+|отрицательн\w+|موجب|سالب)?\)?(?:\s?rh\s?[+\-]|,?\s?rh\s?(?:pos|"
    r"neg)\w*)?"
    r"|(?:(?:first|перв|втор|трет|четв[её]рт)\w+|[ⅠⅡⅢⅣ]|i{1,3}|iv|[1-4](?:-я)?)\s?(?:\(?(?:положительн|"
    r"отрицательн)\w+\)?|\(?rh\s?[+\-]\)?|резус[^.,]{0,20}|[+\-](?![\w]))"
    r"|[abo]\s?(?:rh\s?)?(?:陽性|陰性|阳性|阴性)|(?:ए|बी|ओ|एबी)\s?(?:पॉजिटिव|पॉज़िटिव|नेगेटिव|प्लस|"
    r"माइनस))(?![\w])(?!')"
)
_BLOOD_WORD = late(
    r"(?:\bblood\s?(?:type|group)|blood|blutgruppe\w*|groupe\ssanguin|grupo\ssanguineo|tipo\s(?:de\s)?sang\w+|"
    r"gruppo\ssanguigno|bloedgroep\w*|grup\S{1,3}\skrwi|"
    r"blodgrupp\w*|blodtyp\w*|kan\sgrub\w+|групп\w+\sкрови|donor\w*|sangre|sangue|sang|sanguin\w*)|فصيلة\s?ال?دم|"
    r"فصيلة\sدم\w*|زمرة\s?دم\w*|فصيلة|زمرة|रक्त|ब्लड|"
    r"खून|血液型|血型|혈액형"
)
_BLOOD_SURE = late(r"[+\-]|po[sz]|neg|plus|minus|型|형|полож|отриц|dodatn|ujemn|موجب|سالب|पॉ|ने|प्ल|मा|性|rh")


_OWN_BLOOD = late(
    r"\b(?:i'm|i am|he's|she's|he is|she is|my \w+ is|ich bin|er ist|sie ist|soy|es|sou|sono|je suis|"
    r"je suis du groupe|elle est|il est|du groupe|jestem|jag ar|ik ben)\s"
    r"(?P<v>(?:ab|a|b|o|0)\s?(?:rh\s?)?(?:[+](?![\w])|-(?![\w])|-?pos|-?neg|positiv\w*|negativ\w*|positif|"
    r"negatif))(?![\w])|"
    r"(?:저는|제가|나는|난|私は|僕は|我是)\s?(?P<w>(?:ab|a|b|o)\s?[型형])(?!\s?(?:간염|肝炎))"
)


def _group(match: re.Match[str]) -> tuple[int, int]:
    """Return where the value of one of two ways to write it stands."""
    return match.span("v") if match["v"] else match.span("w")


def _bled(view: View) -> Iterator[Hit]:
    """Yield a blood group near a word for it."""
    lower = view.lower
    done = -1
    for begin, stop in _BLOOD.windows(view, 24, 4):
        for match in _OWN_BLOOD.finditer(lower, begin, stop):
            yield Hit("blood_type.known", *_group(match))
    for at, _ in _BLOOD.occurrences(view):
        word = _BLOOD_WORD.match(lower, at)
        if word is None or at < done:
            continue
        for match in _BLOOD_VALUE.finditer(lower, word.end(), word.end() + 44):
            between = lower[word.end() : _group(match)[0]]
            if any(sign in between for sign in ".;\n?") and ":" not in between:
                break
            value = match["v"] or match["w"]
            plain = _BLOOD_SURE.search(value) is None
            written = view.text[_group(match)[0] : _group(match)[1]]
            if plain and (not written.isupper() or len(between.strip(" :=-–—")) > 6):
                continue
            if not value.strip("0123456789") and plain:
                continue
            if not _somebodys_blood(view, *_group(match), between):
                break
            done = _group(match)[1]
            yield Hit("blood_type.known", *_group(match))
            break
        else:
            before = _BLOOD_BEFORE.search(lower, max(0, at - 40), at)
            if (
                before is not None
                and _BLOOD_SURE.search(before["v"]) is not None
                and has_person(view, *sentence_around(view.text, at), *before.span("v"))
                and _BLOOD_OF_ALL.search(lower, before.start(), at + 40) is None
            ):
                yield Hit("blood_type.known", *before.span("v"))


def _somebodys_blood(view: View, at: int, end: int, between: str) -> bool:
    """Say whether a blood group is somebody's: a form, a note of a few words, or a sentence with a person."""
    start, stop = sentence_around(view.text, at)
    if ":" in between or len(view.text[start:stop].split()) <= 5 or not view.ascii:
        return _BLOOD_OF_ALL.search(view.lower, start, stop) is None
    return has_person(view, start, stop, at, end)


_BLOOD_OF_ALL = late(
    r"\b(?:donors?|common|rare|needed|universal|universell\w*|haufig\w*|selten\w*|rare|plus\sfrequent|comun|raro|"
    r"nadir\w*|редк\w+|нужн\w+)\b|"
    r"نادرة|الأكثر|दुर्लभ|多い|少ない|常见|稀有|흔한|희귀"
)
_BLOOD_BEFORE = late(
    r"(?<![\w])(?P<v>(?:ab|a|b|o|0)\s?(?:rh\s?)?(?:[+\-]|pos[a-z]{0,6}|neg[a-z]{0,6}|pozitif|negatif|pozitiv)|"
    r"(?:перв|втор|трет|четв[её]рт)\w+\s(?:положительн|отрицательн)\w+)\s(?:[^\W\d_]+\s){0,2}\Z"
)

_UPPER = r"A-ZÀ-ÞŁŚŻŹĆŃÓÅÄÖÇĞİŞÜА-ЯЁ"
_BETWEEN = r"(?:(?:von|van|de|der|den|di|da|du|le|la|O'|Mc|Mac|D')\s?){0,2}"
_SURNAME = rf"(?P<v>{_BETWEEN}[{_UPPER}][\w'’]+(?:-[{_UPPER}][\w'’]+)?)"
_MAIDEN_SAID = late(
    rf"(?i:\bnee|\bgeborene?n?|\bgeb\.|\bz\sdomu|\bz\sd\.|\bde\ssoltera|\bnata|\bnacida|\bnascida|\bfodd|\bgeboren|"
    rf"\bda\snubile|"
    rf"\bурожд[её]нн\w+|\bурожд\.|\bв\sдевичестве|\bdo\scasamento)(?::|,)?\s{_SURNAME}"
    rf"|(?i:maiden\sname|birth\sname|geburtsname|madchenname|nom\sde\sjeune\sfille|nom\sde\snaissance|"
    rf"apellido\sde\ssolter\w|nombre\sde\ssoltera|"
    rf"cognome\sda\s(?:nubile|ragazza)|nome\sde\s(?:solteir\w|nascimento)|meisjesnaam|geboortenaam|"
    rf"nazwisko\s(?:panie[nń]skie|rodowe)|flicknamn|"
    rf"k[ıi]zl[ıi]k\s(?:soyad[ıi]\w*|soyisim\w*)|bekarl[ıi]k\ssoyad\w*|девич\w+\sфамили\w+|"
    rf"evlenmeden\sonceki\ssoyad\w*)(?:\s(?!(?:is|was|ist|est|es|e|jest|to|ar|war|era)\s)[a-zа-яё]{{2,10}}){{0,3}}"
    rf"(?:\s?[:=\-–—]|\s(?:is|was|ist|war|lautet\w*|est|etait|es|era|e|jest|to|ar|var|была|был|—|-|brzmi\w*|"
    rf"to\sbyło|:))?[\s\"'«]{{1,3}}{_SURNAME.replace('<v>', '<u>')}"
    rf"|(?:旧姓|婚前姓|娘家姓|本姓|原姓)(?:は|が|是|为|:|：|\s|"
    rf"「){{0,3}}(?P<w>[\u4e00-\u9fff\u3041-\u30ff]{{1,4}}?)(?=[。、，,.）)」\s\n]|です|でした|で|と|という|から|"
    rf"の|\Z)"
    rf"|(?:결혼\s전\s성|친정\s성|결혼\s전\s이름)(?:은|이|:|씨는)?\s?(?P<x>[가-힣]{{1,4}}?)(?=씨|이었|였|이에|예요|"
    rf"입니다|이고|[.,\s\n]|\Z)"
    rf"|(?:قبل\sالزواج|قبل\sزواجي|قبل\sزواجها)\s?(?:هو|كان|كانت|:|"
    rf"هي){{0,1}}\s?(?P<y>(?:ال)?[\u0620-\u064a]{{3,12}}(?:\s(?:ال)[\u0620-\u064a]{{2,12}})?)"
    rf"|(?:शादी\sसे\sपहले|विवाह\sपूर्व|विवाह\sसे\sपहले|मायके)\s(?:[^\s,।]+\s){{0,4}}?(?:उपनाम|सरनेम|नाम|कुलनाम)\s?(?:है|था|:|"
    rf"-)?\s?(?P<z>[\u0900-\u097f]{{2,14}})"
)
_NO_NAME = frozenset(
    phrases(
        """
        in, am, a, im, on, at, il, el, le, en, na, w, i, the, januar, februar, march, april, may, june, july, maria,
        to, is, yes, no, and, или
        """
    )
)
_BORN_PLAIN = late(r"(?:nata|nacida|nascida|fodd|geboren|geborene?n?)\Z", re.I)
_MONTH = late(
    r"(?i)(?:jan|feb|mar|mrz|apr|may|mai|maj|jun|jul|aug|sep|oct|okt|nov|dec|dez|monday|montag|london|berlin|paris|"
    r"madrid|rom[ae]|wien|"
    r"amsterdam|stockholm|warsz|istanbul|deutsche|munchen|hamburg|koln)(?:uary|uar|ch|il|e|y|ust|tember|ember|ober|"
    r"i)?\b"
)


def _born_as(view: View) -> Iterator[Hit]:
    """Yield the name somebody was born with."""
    text = view.text
    done = -1
    for begin, stop in _MAIDEN.windows(view, 24, 60):
        for match in _MAIDEN_SAID.finditer(text, max(begin, done), min(len(text), stop + 20)):
            group = next(name for name in ("v", "u", "w", "x", "y", "z") if match[name])
            value = match[group]
            lead = text[match.start() : match.start(group)].rstrip(" :,")
            if value.lower() in _NO_NAME or _MONTH.match(value) is not None:
                continue
            if _BORN_PLAIN.search(lead) and not _BORN_PERSON.search(text, max(0, match.start() - 40), match.start()):
                continue
            done = match.end()
            yield Hit("maiden_name.born", *match.span(group))


_BORN_PERSON = late(
    rf"(?:[{_UPPER}][\w'’\-]+,?\s\(?|[Mm]utter\s|[Mm]adre\s|[Mm]ae\s|[Ff]rau\s|eine?\s|[Mm]amma\s|hon\sar\s|ar\s|"
    rf"ist\s(?:eine\s)?|[Mm]oeder\s)\Z"
)
