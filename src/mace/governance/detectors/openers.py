"""Codes that open something, one-word passwords and backup codes, with whatever people put between.

Pure. Beside `codes.py`, whose words name the thing with its code. Here the word for a code and the word for what it
opens (a door, an alarm, a card) may stand apart, in either order; a password may be one plain word where a sign or a
verb of its language leads to it and it ends the clause. What would hurt: codes of errors, countries and discounts.
"""

from collections.abc import Iterator

from mace.governance.detectors.code_words import PASSWORD_WORDS, PROSE
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases, words
from mace.governance.detectors.late import late
from mace.governance.detectors.passwords import _PROSE
from mace.governance.detectors.view import View

RULES = {
    "password.opens": Rule("password", 1),
    "password.one_word": Rule("password", 1),
    "password.backup": Rule("password", 1),
    "password.command": Rule("password", 1),
    "secret.other_phrase": Rule("private_key", 1),
}

_CODE = Cue(
    phrases(
        """
        code, codes, passcode*, pin, pins, combo, combination*, keycode*, key code*, zahlenkombination*,
        kombination*, zahlenschloss*, code-nr*, nummerncode*, turcode*, tur-code*, hauscode*, codigo*, clave*,
        combinacion*, codice*, combinazione*, combinaison*, digicode*, combinacao*, senha*, segredo*,
        combinatie*, cijfercode*, cijferslot*, sleutelkluis*, kod, kodu, kodem, kody, szyfr*, kombinacj*, koden,
        kodlas*, kodlås*, pinkod*, kodum, sifre*, şifre*, код*, шифр*, комбинаци*, пин, пин-код*, пинкод*, пина,
        رمز, الرمز, رمزي, كود, الكود, كودي, شفرة, الشفرة, الرقم السري, رقم سري,
        رقمي السري, رقمه السري, رقمها السري, الرقم السرى, بن كود, البن كود, باسكود,
        コード*, 暗証*, 番号*, ナンバー*, 密码*, 密碼*, 代码*, 口令*, 비번*, 비밀번호*, 번호*, 코드*,
        कोड*, पिन*, नंबर*, कॉम्बिनेशन*
        """
    )
)
_PASSWORD = Cue(
    [
        *PASSWORD_WORDS,
        *phrases(
            """
            пароль, пароля, паролем, пароли, парол*, кодовое слово*, كلمة المرور,
            كلمة مرور, كلمة السر, كلمة سر, كلمة مروري, كلمة سري, كلمة مروره,
            كلمة المرور الخاصة, باسورد*, الباسورد, باسوورد*, الباسوورد, باس,
            الرقم السري, رقم سري, الرمز السري, رمز المرور, رمز سري, كلمه السر,
            كلمه المرور, कूटशब्द*, गुप्त शब्द*, 暗号*, 暗号は*
            """
        ),
    ]
)
_BACKUP = Cue(
    phrases(
        """
        backup code*, recovery code*, scratch code*, backup-code*, wiederherstellungscode*, sicherungscode*,
        backupcode*, codes de secours, code de secours, codes de recuperation, codigos de respaldo,
        codigos de recuperacion, codici di backup, codici di recupero, codigos de backup, codigos de recuperacao,
        herstelcode*, kody zapasowe*, kody odzyskiwania, kod zapasowy*, reservkod*,
        aterstallningskod*, yedek kod*, kurtarma kod*, резервн*, коды восстановления, код восстановления,
        رموز احتياطية, رمز الاسترداد, رموز الاسترداد, الرموز الاحتياطية,
        رمز احتياطي, رموز النسخ الاحتياطي, バックアップコード*, リカバリーコード*,
        回復コード*, 备用码*, 恢复码*, 备份码*, 백업 코드*, 백업코드*, 복구 코드*,
        बैकअप कोड*, रिकवरी कोड*
        """
    )
)
_PHRASE = Cue(
    phrases(
        """
        фраза восстановления*, фразы восстановления, сид-фраз*, сид фраз*, мнемон*, резервная фраза*,
        عبارة الاسترداد, عبارة الاستعادة, عبارة البذور, العبارة السرية,
        كلمات الاسترداد, كلمات الاستعادة, عبارة سرية, रिकवरी फ्रेज*,
        रिकवरी वाक्यांश*, सीड फ्रेज*, リカバリーフレーズ*, シードフレーズ*,
        復元フレーズ*, 助记词*, 助記詞*, 恢复短语*, 복구 구문*, 복구 문구*, 시드 구문*, 시드 문구*, 니모닉*,
        seed phrase*, seed words*, recovery phrase*, recovery words*, mnemonic*
        """
    )
)
_COMMAND = Cue(["curl", "wget", "sshpass", "mysql"])
CUES = (_CODE, _PASSWORD, _BACKUP, _PHRASE, _COMMAND)

_THINGS = frozenset(
    words(
        """
        achterdeur airbnb allarme appartement armadietto armario ascenseur atm bancomat bankpas berging bike boite
        building cabinet cadeado cadenas caja cajero cancello candado cartao carte casillero cassaforte cassetta
        cave cellulare celular chiavi citofono cles cofre condominio debit deur door doors ec-karte edificio
        elevador elevator entrada entrance entry entryway fechadura fietsslot gate gates gebouw girocard hall hek
        immeuble ingang ingresso intercom interfone interphone keypad kort kortet llaves lobby lock lockbox locker
        lockers locks lucchetto mailbox movil multibanco padlock palazzo parking phone pinpas piso poort port porta
        portal portao portiek portillon portkod porton portone predio puerta residence safe safes schuur shed sim
        slot storage suitcase tablet taquilla tarjeta telefoon telephone tor trastero tur ture turen vault voicemail
        voordeur keybox
        """
    )
)
_THING_STEMS = tuple(
    words(
        """
        alarm alarmanlage apartman asansor bankamatik bankkarte bankkort bina blok bram buro coffre cykellas dolab
        dolap domofon dorr drzwi einfahrt eingang entre forrad furtk garage garaj garaz gebaude grind handy hanglas
        haustur kapi kapı kart kasa kassaskap keller kilid kilit klatk klodk kluis kreditkarte kłodk larm mobil
        nyckel portail porte schliessfach schloss schlusselbox schlusseltresor schranke sejf site skap skrytk
        sleutel szafk telefon treppenhaus tresor unlock wejsci wohnung
        """
    )
)
_OTHER_THINGS = late(
    r"двер|подъезд|домофон|сейф|замк|замок|ворот|калитк|гараж|сигнализац|"
    r"карт[аеуы]|симк|телефон|шкафчик|ячейк|банкомат|квартир|охран|вход|باب|"
    r"البوابة|بوابة|الإنذار|انذار|إنذار|الخزنة|خزنة|الخزانة|قفل|القفل|الكراج|"
    r"كراج|جراج|بطاقة|البطاقة|الصراف|الهاتف|الجوال|جوال|العمارة|عمارة|المبنى|"
    r"مبنى|الشقة|شقة|المدخل|مدخل|المصعد|الشريحة|دخول|فيزا|ドア|玄関|門|警報|金庫|ロック|"
    r"鍵|ロッカー|ガレージ|カード|スマホ|携帯|オート|マンション|ポスト|宅配|キーボックス|门|門|警报|报警|保险|锁|鎖|柜|车库|卡|"
    r"手机|电梯|单元|小区|钥匙|문|현관|대문|경보|금고|자물쇠|사물함|차고|카드|휴대폰|폰|공동|열쇠|도어|택배|엘리베이터|"
    r"दरवाज|गेट|अलार्म|तिजोरी|लॉक|ताल|गैराज|कार्ड|एटीएम|फोन|मोबाइल|लॉकर|"
    r"बिल्डिंग|सिम"
)
_WORD = late(r"[^\W\d_]+(?:-[^\W\d_]+)?")


def _speaks_of_thing(lower: str) -> bool:
    """Say whether something that a code opens is named."""
    if any(word in _THINGS or word.startswith(_THING_STEMS) for word in _WORD.findall(lower)):
        return True
    return not lower.isascii() and _OTHER_THINGS.search(lower) is not None


_OTHER_CODE = late(
    r"(?:error|fehler|erreur|status|exit|product|produkt|postal|zip|area|country|lander|source|discount|rabatt|promo|"
    r"voucher|gutschein|coupon|bar|qr|return|response|http|item|article|artikel|colou?r|hex|dress|tax|sort|branch|bank|"
    r"swift|iso|icd|penal|civil|strafgesetz|postcode|booking|order|tracking|airport|currency|vergi|posta|bledu|pocztow\w*|"
    r"почтов\w*|ошибк\w*|البريدي|خطأ|郵便|电话|電話|手机|전화|우편|फोन|मोबाइल|口座|受付|注文|登録|会員|계좌|주문|등록|खाता|पिन)"
    r"[\s\-_]{0,2}(?:no\.?\s)?\Z"
)
_REST = r"[^\W\d_]{0,14}"
_TO_CODE = late(
    rf"{_REST}(?:[\s:：=,\-–(\"'/]{{1,3}}[^\W\d_][^\s\d.!?;:：=,\-–(\"'/]{{0,18}}+){{0,7}}[\s:：=\-–(\"'「『«“は是为为는은है]{{0,5}}"
    r"([#*]?[0-9]{1,4}\s?[KКkкVvВв]\s?[0-9]{3,6}|[#*]?[0-9]{3,8}[A-Za-zА-Я]?[#*]?|[0-9A-F]{1,2}[0-9]{2,5}[A-F]?[#*]?|"
    r"[0-9]{1,2}(?:[\- ][0-9]{1,2}){2,4})(?![\w]|[.,\-/:][0-9]|\s?(?:€|\$|£|%|kr|zł|руб|元|円|원))"
)
_YEAR = late(r"(?:19|20)[0-9]{2}")
_DIGIT = late("[0-9]")
_SINCE = late(
    r"(?:\b(?:in|since|from|until|of|seit|von|im|jahr|depuis|en|desde|dal|nel|em|sinds|od|w|sedan|yılı)|с|в|год\w*|عام|سنة|منذ)\s\Z"
)
_REACH = 46


def find(view: View) -> Iterator[Hit]:
    """Yield the codes and passwords in a view."""
    if view.digits >= 3 and _CODE.in_text(view):
        yield from _opening(view)
    if _PASSWORD.in_text(view):
        yield from _plain_words(view)
    if view.digits >= 4 and _BACKUP.in_text(view):
        for _, end in _BACKUP.occurrences(view):
            match = _LIST.match(view.text, end, end + 400)
            if match is not None and len(match[1]) >= _SHORTEST_BACKUP:
                yield Hit("password.backup", *match.span(1))
    if _PHRASE.in_text(view):
        for _, end in _PHRASE.occurrences(view):
            match = _WORDS.match(view.text, end, end + 400)
            if match is not None:
                yield Hit("secret.other_phrase", *match.span(1))
    if _COMMAND.in_text(view):
        for begin, stop in _COMMAND.windows(view, 1, 160):
            for match in _ARGUMENT.finditer(view.text, begin, stop):
                yield Hit("password.command", *match.span(match.lastindex or 0))


_SHORTEST_BACKUP = 8
_LIST = late(
    r"[^\W\d_]{0,14}(?:[\s:：=\-–(,][^\s\d:：=.;]{1,16}){0,5}?[\s:：=\-–(は是는은है]{1,5}"
    r"((?=[A-Za-z]*[0-9])[0-9A-Za-z]{4,10}(?:[ \-][0-9A-Za-z]{4,10}){0,3}(?:[,;/\s]{1,3}(?=[A-Za-z]*[0-9])[0-9A-Za-z]{4,10}"  # noqa: E501
    r"(?:[ \-][0-9A-Za-z]{4,10}){0,3}){0,15})(?![\w])"
)
_WORDS = late(
    r"[^\W\d_]{0,12}(?:\s[^\W\d_]{1,12}){0,3}?\s{0,2}[:：=\-–\"'«「は是는은]{1,3}\s{0,2}[\"'«「]?"
    r"((?:[^\W\d_]{2,12}[ ,、\-]{1,2}){5,23}[^\W\d_]{2,12})(?=[\"'」»”.]{0,2}\s*(?:\Z|\n|[.;]))"
)
_ARGUMENT = late(
    r"\s(?:-u|--user)[\s=]{1,2}[\"']?[\w.@\-]{1,40}:([^\s\"':@]{4,64})|(?<=sshpass)\s-p\s?[\"']?([^\s\"']{4,64})|"
    r"(?<=mysql)(?:\s-[uh]\s?\S{1,40}){1,3}\s-p([^\s\"'\-][^\s\"']{3,64})"
)


def _opening(view: View) -> Iterator[Hit]:
    seen = -1
    for at, end in _CODE.occurrences(view):
        if _DIGIT.search(view.text, end, end + 80) is None:
            continue
        match = _TO_CODE.match(view.text, end, end + 90)
        if match is None or match.start(1) <= seen or (match.start(1) == end and view.text[end - 1].isascii()):
            continue
        before = view.lower[max(0, at - _REACH) : at].rpartition("\n")[2]
        if _OTHER_CODE.search(before) is not None:
            continue
        if _YEAR.fullmatch(match[1]) is not None and _SINCE.search(view.lower, end, match.start(1)) is not None:
            continue
        lead = f"{before} {view.lower[at : match.start(1)]}"
        after = view.lower[match.end(1) : match.end(1) + 28].partition("\n")[0]
        if not _speaks_of_thing(lead) and not _speaks_of_thing(after):
            continue
        seen = match.start(1)
        yield Hit("password.opens", *match.span(1))


_TO_WORD = late(
    r"[^\W\d_]{0,14}(?:[\s_\-][^\W\d_][^\s:：=.,;!?\"'<>_\-]{0,18}+){0,6}?(?:\s{0,2}(?P<sign>:|：|=|=>|->|—|–)\s{0,2}|"
    r"\s(?P<verb>e|ist|lautet|est|c'est|es|era|jest|to|ar|var|is|это|هي|هو|है|est:|sera|sara)\s)"
    r"[\"'`«「“]?(?P<word>[^\W\d_][^\W\d_\-]{2,30}(?:-[^\W\d_]{2,14}){0,4})(?=[\"'`»」”]?[.,;!)]{0,2}\s*(?:\Z|\n|[.;,]\s))"
)
_ENGLISH = late(r"pass|pw|cred|login|secret|key|magic|safe")
_SAID = frozenset(
    words(
        """
        missing empty mandatory optional unknown correct incorrect invalid valid expired wrong weak strong short long
        needed hidden secret safe secure unsafe insecure temporary blank null none default unchanged different random
        unique disabled enabled true false string text type value yes str bytes int optional[str] required field input
        here there below above attached same sensitive confidential important old new easy simple complex good bad
        true undefined redacted masked removed hashed salted plaintext cleartext necessary obsolete known set lost
        неверный неверен неправильный верный обязателен истек истёк изменен изменён сброшен забыт слабый сложный простой
        отсутствует нужен утерян тот новый старый временный пустой прежний такой правильный введен сменен утрачен
        خاطئة خطأ صحيحة غير مطلوبة ضعيفة قوية منتهية مطلوب صحيح خاطئ فارغة قصيرة جديدة سرية إلزامية مهمة
        गलत सही जरूरी कमजोर मजबूत आवश्यक नया पुराना अमान्य
        obligatorio incorrecto correcto valido invalido requerido necesario secreto seguro largo corto debil nueva
        falsa falso giusta sbagliato errato scaduto corta lunga debole nota segreta segreto obbligatorio vuota
        certa errado correto invalido incorreta curta longa nova valida vazia
        richtig falsch lang kurz neu alt leer bekannt unbekannt sicher geheim zwingend noetig notig einfach
        bon mauvais bonne mauvaise vide court courte long longue nouveau secret connu inconnu faux correct
        fout goed leeg kort lang nieuw oud onbekend bekend geheim nodig eenvoudig
        zle dobre krotkie dlugie puste nowe stare znane nieznane wazne niewazne
        ratt kort lang tomt nytt gammalt okant kant hemligt
        dogru doğru bos boş kısa uzun yeni eski gerekli zorunlu gizli
        """
    )
)
_MADE_OF = late(
    r"(?:ge\w+(?:t|en)|ver\w+(?:t|en)|\w+(?:ed|ing|iert|owane|ovan[oa]|able|ible|bar|lich|ado|ada|ato|ata|ito|ita|uto|uta|"
    r"ido|ida|ованный|ован|ена|ено|ить|ать|ется))$"
)


def _plain_words(view: View) -> Iterator[Hit]:
    """Yield a password that is one plain word: a sign or a verb leads to it, and it ends its clause."""
    text = view.text
    for at, end in _PASSWORD.occurrences(view):
        match = _TO_WORD.match(text, end, end + 110)
        if match is None:
            continue
        word = match["word"]
        lower = word.lower()
        if lower in _SAID or lower in PROSE or lower in _PROSE or _MADE_OF.fullmatch(lower) is not None:
            continue
        english = _ENGLISH.match(view.lower, at) is not None and match["verb"] in (None, "is", "to", "c'est")
        last = len(text) - match.end() <= 3  # nothing is told about it afterwards
        if english:
            if match["verb"] != "is" or not last or len(word) < 5 or " for " not in text[at : match.start("word")]:
                continue
        elif len(word) < 4 or not (match["sign"] or last):
            continue
        yield Hit("password.one_word", *match.span("word"))
