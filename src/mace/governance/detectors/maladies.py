"""Illnesses, disabilities, addictions and pregnancies of persons in Russian and Arabic, and states that are one word.

Pure. Beside `ailments.py`: a name of a condition in a sentence with a person,
or after a phrase that only leads to one
(`страдает`, `يعاني من`), with the words that belong to the name. Questions, research and advice tell of nobody.
"""

from collections.abc import Iterator

from mace.governance.detectors.avowals import has_person, is_asked, whole_word
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.illness import sentence_around
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {"diagnosis.of_person": Rule("diagnosis", 1), "diagnosis.led_to": Rule("diagnosis", 1)}

_NAMES = Cue(
    phrases(
        """
        диабет*, рак, рака, раком, раке, опухол*, онкологи*, лейкоз*, лейкеми*, меланом*, лимфом*, саркома*,
        карцином*,
        миелом*, инфаркт*, инсульт*, гипертони*, гипотони*, стенокарди*, аритми*, ишеми*, тромбоз*, варикоз*,
        атеросклероз*, порок сердца, порока сердца, сердечн* недостаточност*, астм*, бронхит*, пневмони*, туберкулез*,
        туберкулёз*, хобл, ковид*, коронавирус*, грипп*, ангин*, гайморит*, отит*, тонзиллит*, гепатит*, цирроз*,
        гастрит*,
        язв*, сколиоз*, простуд*, порок*, энурез*, заикани*, аневризм*, коклюш*, ветрянк*, краснух*, панкреатит*,
        холецистит*, колит*, болезнь крона, болезнью крона, геморро*, аппендицит*,
        грыж*, пиелонефрит*, цистит*, почечн* недостаточност*, мочекаменн*, простатит*, аденома*, аденомо*,
        эндометриоз*,
        миом*, бесплоди*, климакс*, выкидыш*, беременн*, вич, вич-инфекц*, вич-инфицирован*, вич-положительн*, спид*,
        сифилис*, гонорея*, гонореей, хламидиоз*, герпес*, впч, депресси*, шизофрени*, биполярн*, психоз*, невроз*,
        тревожн* расстройств*, паническ*, окр, птср, сдвг, аутизм*, аутист*, синдром аспергера, синдром дауна,
        синдромом дауна, деменци*, альцгеймер*, паркинсон*, эпилепси*, рассеянн* склероз*, мигрен*, дцп, инвалид*,
        паралич*, слепот*, глухот*, глаукома*, глаукомо*, катаракт*, артрит*, артроз*, остеохондроз*, остеопороз*,
        подагр*, волчанк*, псориаз*, экзем*, дерматит*, аллерги*, анеми*, гемофили*, гипотиреоз*, гипертиреоз*, зоб,
        ожирени*, анорекси*, булими*, алкогол*, наркоман*, наркозависим*, зависимост*, бессонниц*, выгорани*,
        перелом*,
        сотрясени*, сепсис*, целиаки*, муковисцидоз*, саркоидоз*, малярия, малярией, болезн*, синдром*, расстройств*,
        سكري, السكري, سرطان*, السرطان, ورم*, أورام, لوكيميا*, جلطة*, سكتة*, نوبة قلبية*, ضغط الدم*, ارتفاع ضغط*,
        ارتفاع الضغط*, الضغط, ربو, الربو, التهاب*, سل, السل, كورونا*, كوفيد*, كبد*, فيروس نقص المناعة*, الإيدز, ايدز*,
        إيدز*, الزهري, زهري, اكتئاب*, الاكتئاب, فصام*, الفصام, انفصام*, ثنائي القطب*, اضطراب*, قلق*, القلق, وسواس*,
        الوسواس*, توحد*, التوحد, فرط الحركة*, متلازمة*, زهايمر*, الزهايمر, ألزهايمر, خرف*, الخرف, باركنسون*,
        الباركنسون,
        صرع, الصرع, تصلب*, التصلب*, شقيقة, الشقيقة, صداع نصفي*, الصداع النصفي*, شلل*, الشلل, إعاقة*, اعاقة*,
        فشل كلوي*,
        الفشل الكلوي*, قصور*, القصور*, حصى*, حصوات*, قولون*, القولون*, قرحة*, ارتجاع*, داء*, مرض*, فقر الدم*, أنيميا*,
        انيميا*, الثلاسيميا, ثلاسيميا*, الهيموفيليا, روماتيزم*, الروماتيزم, روماتويد*, نقرس*, النقرس, هشاشة*,
        انزلاق غضروفي*,
        الديسك, ديسك, صدفية*, الصدفية, أكزيما*, اكزيما*, الإكزيما, بهاق*, البهاق, حساسية*, الحساسية, سيلياك*, غدة*,
        الغدة*, خمول*, فرط نشاط*, سمنة*, السمنة, حامل, حامل*, إجهاض*, اجهاض*, عقم, العقم, بطانة الرحم*, تكيس*, إدمان*,
        ادمان*, الإدمان*, مدمن*, كحول*, الكحول, مخدرات, المخدرات, عمى, صمم, الصمم, كسر*, ذئبة*, الذئبة*, ملاريا*,
        الملاريا,
        عملية*, فوبيا*, رهاب*, الرهاب*, أرق, الأرق, اعتلال*, ذبحة*, الذبحة*, رجفان*, بواسير*, فتق*, الفتق
        """
    )
)
_STATES = Cue(
    phrases(
        """
        embarazada, celiaco, celiaca, seropositivo, seropositiva, alcoholico, alcoholica, drogadicto, drogadicta,
        minusvalido,
        sordo, sorda, ciego, ciega, parapléjico, paraplejico, tetraplejico, esclerosis multiple, incinta, celiaco,
        celiachia,
        sieropositivo, sieropositiva, alcolista, tossicodipendente, invalido, invalida, sordomuto, cieca, cieco,
        disabile,
        esaurimento nervoso, allergico, allergica, gravida, soropositivo, soropositiva, celiaca, alcoolatra,
        alcoolica,
        dependente quimico, dependente quimica, cadeirante, tetraplegico, autista, enceinte, seropositif,
        seropositive,
        alcoolique, toxicomane, paraplegique, tetraplegique, malentendant*, malvoyant*, coeliaque, trisomique,
        schwanger,
        hiv-positiv, schwerbehindert*, alkoholiker*, drogenabhangig*, spielsuchtig*, querschnittsgelahmt*, gehorlos*,
        depressiv, suchtkrank*, zwanger, hiv-positief, alcoholist, alcoholverslaafd*, drugsverslaafd*, gokverslaafd*,
        slechthorend*, slechtziend*, arbeidsongeschikt, gravid, hivpositiv, hiv-positiv, alkoholist*, narkoman*,
        synskadad*,
        horselskadad*, rullstolsburen, alkoholik*, alkoholiczk*, narkomank*, niepełnosprawn*, ciazy, ciąży,
        nosicielem hiv, zakazony hiv, zakażony hiv, niewidom*, głuchoniem*, niesłysząc*, hamileyim, hamile,
        engelli*, alkolik*,
        hiv pozitif*, bagımlısı*, bagımlı*, pregnant, hiv positive, hiv-positive, alcoholic, heroin addict,
        drug addict,
        recovering addict, wheelchair user, legally blind, profoundly deaf, coeliac, celiac, paraplegic, quadriplegic,
        गर्भवती*, दिव्यांग*, विकलांग*, शराबी*, एचआईवी*, मिर्गी*, लकवा*, 妊娠*, 車椅子*, 身体障害*, 知的障害*,
        アルコール依存*, 怀孕*, 残疾*, 艾滋*,
        임신*, 장애인*, 알코올 중독*, 알코올중독*, 휠체어*, 에이즈*
        """
    )
)
_LEADS = Cue(
    phrases(
        """
        страдает, страдаю, страдал*, болеет, болею, болел*, диагноз*, диагностирова*, лечится от, лечусь от,
        лечился от,
        лечилась от, перенес*, перенёс*, анамнез*, поставили, диагностировали, обнаружили, нашли, выявили, يعاني من,
        تعاني من, أعاني من, اعاني من, يعاني,
        مصاب*,
        أصيب*, أصيبت*, اصيب*, إصابت*, تشخيص*, شخص*, لعلاج, علاج, يعالج من, أعالج من, تعالج من, توفي بسبب, خضع*
        """
    )
)
CUES = (_NAMES, _STATES, _LEADS)

_NOBODY = late(
    r"\b(?:исследован\w+|профилактик\w+|симптом\w+|вакцин\w+|лечение|риск\w*|заболеваемост\w+|статистик\w+|фонд\w*|"
    r"процент\w*|"
    r"ученые|учёные|врачи|люди|людей|пациентов|больных|детей|женщин|мужчин|взрослых|собак\w*|кошек|препарат\w*|"
    r"study|studies|research\w*|risk\w*|symptom\w*|"
    r"people|women|"
    r"patients|frauen|femmes|mujeres|donne|mulheres|vrouwen|kvinnor|kobiet\w*|kadınlar\w*)\b|"
    r"دراسة|أبحاث|الوقاية|أعراض|أسباب|لقاح|خطر|العالم|الناس|المرضى|وزارة|منظمة|نسبة|जोखिम|महिलाओं|女性の|妇女|여성의"
)
_TOLD_OF = late(
    r"\bу\s[а-яё]+|\b(?:мне|ему|ей|меня|его|её|ее|сын\w*|доч\w+|жен[аеуы]|жене|муж\w*|брат\w*|сестр\w+|мам\w+|"
    r"пап[аеуы]|отц\w*|"
    r"отец|матер\w+|бабушк\w+|дедушк\w+|внук\w*|ребен\w*|ребён\w*|пациент\w*|больной|больная|сотрудни\w+|"
    r"госпитализирован\w*|"
    r"поступил\w*|больничн\w+|анамнез\w*|учет\w*|учёт\w*|диагноз\w*|принима[юе]\w*|лечи\w+|лечусь|лежал\w*|"
    r"перен[её]с\w*|инвалидност\w+|"
    r"болею|болеет|страда\w+|умер\w*|скончал\w+|пь[юе]\w*)\b|"
    r"أعاني|اعاني|يعاني|تعاني|عندي|عنده|عندها|لدي|أتناول|يتناول|تتناول|إصابت|أعالج|يعالج|خضع|مصاب|أصيب|التشخيص|"
    r"تشخيص|آخذ|يأخذ|توفي|توفيت"
)
_RUSSIAN_NAME = late(r"(?:\A|[.,]\s|\s)[А-ЯЁ][а-яё]{2,15}(?:\s[А-ЯЁ][а-яё.]{0,15}){0,2},?\s")
_SLAVIC_AFTER = late(
    r"(?:\s(?:[а-яё]+(?:ого|ой|их|ых|ая|ый|ий|ую)\s(?:типа|степени|стадии|железы|кишки|кишечника|мозга|"
    r"недостаточност\w+|системы)|"
    r"груди|легких|лёгких|печени|почек|желудка|кожи|крови|простаты|матки|яичников|кишечника|горла|мозга|миокарда|"
    r"(?:\d|i{1,3}|iv)[-\s]?(?:го|й|ей)?\s(?:типа|степени|стадии)|аспергера|дауна|крона|паркинсона|альцгеймера|"
    r"бехтерева|"
    r"молочной железы|щитовидной железы|толстой кишки|предстательной железы|поджелудочной железы|личности|настроения|"
    r"[сcbв]\b|на\s[а-яё]+|склероз\w*|расстройств\w+|недостаточност\w+|зависимост\w+)){1,3}"
)
_SLAVIC_BEFORE = late(r"(?:\b(?:[а-яё]+(?:ый|ий|ая|ое|ой|ого|им|ым|ую|ей|ее|яя)|сахарн\w+|хроническ\w+)\s){1,2}\Z")
_ARABIC_AFTER = late(
    r"(?:\s(?!منذ|في|من|و|لكن|قبل|بعد|عام|سنة|وهو|وهي|على|منه|أن|إلى|ثم|مع|عن|كان|هذا|لذلك|الآن|"
    r"حاليا)[\u0620-\u0652]+){1,2}"
)
_ARABIC_ALLERGY = late(r"\sمن(?:\sال[\u0620-\u0652]+){1,2}")
_ARABIC_LED = late(
    r"[\u0620-\u0652]{0,3}(?:\s(?:من|ابني|ابنتي|أبي|والدي|والدتي|أمي|أخي|أختي|زوجي|زوجتي|بأنه|حالته|حالتها|لديه|"
    r"مرض|إصابتي|إصابته|إصابتها)){0,3}\s"
    r"(?P<v>(?!منذ|في|عام|أنا)(?:ب|بال|ال)?[\u0620-\u0652]{3,14}(?:\s(?!منذ|في|من|و|لكن|قبل|بعد|عام|سنة|على|منه|أن|"
    r"إلى|ثم|مع|عن|كان)[\u0620-\u0652]+){0,2})"
)
_RUSSIAN_LED = late(
    r"[а-яё]*(?:\s(?:от|у\s[а-яё]+|мне|ему|ей|был|была|:|—|-))?[\s:—\-]{1,3}(?P<v>[а-яё\-]{4,24}(?:\s(?!в|с|и|на|"
    r"по|от|но|уже|много|три|два)[а-яё]{3,20}){0,2})"
)
_MEDICAL_RUSSIAN = late(
    r"(?:ит|итом|ита|оз|озом|оза|ома|омой|ому|емия|емией|ия|ией|ию|ии|изм|измом|ема|емой|рак\w*|склероз\w*|"
    r"болезн\w+|синдром\w*|расстройств\w+|недостаточност\w+)\b"
)
_STATED = late(
    r"\b(?:i'm|i am|she's|he's|is|was|am|are|soy|es|estoy|esta|sono|e|era|sou|estou|suis|est|bin|ist|war|ben|is|"
    r"was|zijn|jag ar|hon ar|han ar|ar|jestem|jest|"
    r"wird|wurde|became|a|an|een|en|un|une|una|um|uma|recovering|en|lleva\s\w+\scon|per|por|pour|"
    r"wegen)\s(?:\w+\s){0,2}\Z|(?:\A|[.!?]\s)\Z"
)


def find(view: View) -> Iterator[Hit]:
    """Yield the conditions of persons in a view."""
    if not view.ascii:
        if _NAMES.in_text(view):
            yield from _named(view)
        if _LEADS.in_text(view):
            yield from _led(view)
    if _STATES.in_text(view):
        yield from _states(view)


def _of_nobody(view: View, start: int, stop: int) -> bool:
    sentence = view.lower[start:stop]
    return is_asked(sentence) or sentence.rstrip().endswith(("?", "؟")) or _NOBODY.search(sentence) is not None


def _named(view: View) -> Iterator[Hit]:
    """Yield the conditions in Russian and Arabic in a sentence with a person."""
    text, lower = view.text, view.lower
    last = -1
    for at, found in _NAMES.occurrences(view):
        place = whole_word(view, at, found)
        if place is None or at < last:
            continue
        end = place[1]
        start, stop = sentence_around(text, at)
        if _of_nobody(view, start, stop) or not (
            has_person(view, start, stop, at, end)
            or _TOLD_OF.search(lower, start, stop) is not None
            or (text[at] < "\u0600" and _RUSSIAN_NAME.search(text, start, at) is not None)
        ):
            continue
        if text[at] < "\u0600":
            before = _SLAVIC_BEFORE.search(lower, max(start, at - 40), at)
            begin = before.start() if before is not None else at
            after = _SLAVIC_AFTER.match(lower, end, min(stop, end + 50))
        else:
            begin = at
            while begin > 0 and "\u0620" <= text[begin - 1] <= "\u0652":
                begin -= 1
            after = _ARABIC_ALLERGY.match(lower, end, min(stop, end + 50)) or _ARABIC_AFTER.match(
                lower, end, min(stop, end + 40)
            )
            if lower[at:end] in ("حامل", "مدمن", "مدمنة"):
                after = None
        end = after.end() if after is not None else end
        if lower[at:end] in (
            "болезнь",
            "болезни",
            "болезней",
            "синдром",
            "расстройство",
            "مرض",
            "مرضى",
            "عملية",
            "علاج",
        ):
            continue
        last = end
        yield Hit("diagnosis.of_person", begin, end)


def _led(view: View) -> Iterator[Hit]:
    """Yield what follows a phrase that leads to a condition."""
    text, lower = view.text, view.lower
    for at, found in _LEADS.occurrences(view):
        if whole_word(view, at, found) is None:
            continue
        start, stop = sentence_around(text, at)
        if _of_nobody(view, start, stop):
            continue
        arabic = text[at] >= "\u0600"
        match = (_ARABIC_LED if arabic else _RUSSIAN_LED).match(lower, found, min(stop, found + 70))
        if match is None or not (
            has_person(view, start, stop, match.start("v"), match.end("v"))
            or _TOLD_OF.search(lower, start, stop) is not None
        ):
            continue
        if arabic and not lower.startswith(_ARABIC_SURE, at):
            continue
        if not arabic and _MEDICAL_RUSSIAN.search(match["v"]) is None:
            continue
        yield Hit("diagnosis.led_to", *match.span("v"))


_ARABIC_SURE = ("يعاني من", "تعاني من", "أعاني من", "اعاني من", "مصاب", "أصيب", "اصيب", "إصابت", "تشخيص")


def _states(view: View) -> Iterator[Hit]:
    """Yield what somebody is said to be in one word: pregnant, deaf, addicted."""
    text, lower = view.text, view.lower
    for at, found in _STATES.occurrences(view):
        place = whole_word(view, at, found)
        if place is None:
            continue
        start, stop = sentence_around(text, at)
        if _of_nobody(view, start, stop):
            continue
        if text[at] < "\u0900" and _STATED.search(lower, max(start, at - 40), at) is None:
            continue
        dropped = _DROPPED.search(lower, start, at) is not None or lower.startswith("hamileyim", at)
        if dropped or has_person(view, start, stop, at, place[1]) or _OWN_AFTER.match(lower, place[1]):
            yield Hit("diagnosis.of_person", at, place[1])


_DROPPED = late(r"(?:\A|[.!?,;]\s?)\s?(?:es|e|esta|lleva|jest|soy|sono|sou|estoy|estou|jestem)\s(?:\w+\s){0,3}\Z")
_OWN_AFTER = late(r"\s?[0-9]{1,2}\s?(?:ヶ月|か月|カ月|週|个月|周|개월|주)|(?:して|中)(?:い|で)|了")
