"""Telephone numbers after further words, and before them: `連絡先は...`, `... पर कॉल करना`, `trovarmi al ...`.

Pure. Beside `telephones.py`. A word for reaching somebody leads to the number over small words, or follows it; the
number must be given out by one of the larger countries, or carry its country. What would hurt: taking every number
beside `contact` for a telephone.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases, words
from mace.governance.detectors.late import late
from mace.governance.detectors.numbering import REGIONS, given_out_somewhere, international
from mace.governance.detectors.telephones import _DATE
from mace.governance.detectors.view import View

RULES = {
    "phone.to_reach": Rule("phone", 1),
    "phone.then_called": Rule("phone", 1),
}

_REACH = Cue(
    phrases(
        """
        phone*, telephone*, tel, tel., mobile*, mob, cell*, landline*, ring, ring me on, ring us on, give me a ring*,
        give me a call*, give us a call*, give me a bell*, call, call me*, text, text me*, message me*, msg me*,
        whatsapp*, telegram*, signal, viber, imo, facetime*, reach me*, reach us, reachable*, contact*,
        emergency contact*, in case of emergency*, ice, next of kin*, home number*, work number*, office number*,
        my number*, his number*, her number*, dad's number*, mum's number*, mom's number*, number is, dial*, hotline*,
        helpline*, fax*, sms*, direct line*, desk phone*, extension*, telefon*, telefonnummer*, tel.-nr*, telefonnr*,
        rufnummer*, handy*, handynr*, mobil*, mobilnr*, mobilnummer*, festnetz*, erreichbar*, erreichst*, erreichen*,
        anrufen*, ruf mich*, rufen sie*, ruf an*, melde dich*, meld dich*, durchwahl*, nummer, notfallkontakt*,
        kontakt*, whatsapp-nummer*, portable*, fixe, numero, numero de telephone*, joindre*, joignable*, appelle*,
        appelez*, rappelle*, rappelez*, contacter*, contactez*, urgence*, urgences, sms au, texto*, telefono*, tfno*,
        tlf*, tfn*, movil*, celular*, cel, fijo, llama*, llamame*, llamar*, marca*, marcame*, contacto*, contactarme*,
        contactame*, escribeme*, mi numero*, numero de contacto*, emergencia*, urgencia*, guasap*, wasap*, whats,
        localizarme*, telefonico*, cellulare*, cell, cell., fisso, chiama*, chiamami*, chiamare*, chiamatemi*,
        chiamarmi*, contatt*, recapit*, trovarmi*, trovate*, trovi al, rispondo al, mio numero*, numero di casa*,
        numero di cellulare*, urgenze*, emergenza*, emergenze*, scrivi*, scrivimi*, messaggi*, telefone*, telemovel*,
        fone*, ligar*, liga*, ligue*, ligue-me*, contato*, meu numero*, meu zap*, zap, zap zap, recado*, recados*,
        fixo, telefoon*, telefoonnr*, mobiel*, mobiele*, gsm*, 06-nummer*, bel, bellen*, bel me*, belt*, bereikbaar*,
        bereiken*, app*, appen*, mijn nummer*, vaste lijn*, noodgeval*, contactpersoon*, terugbel*, telefonu*,
        telefoniczn*, kom, kom., komork*, komórk*, stacjonarn*, dzwon*, dzwoń*, zadzwon*, zadzwoń*, oddzwon*,
        oddzwoń*, kontaktow*, moj numer*, mój numer*, numer do*, nr do*, sms na, napisz*, pod numerem*, ring*, ringa*,
        ring mig*, mobilen*, hemtelefon*, nas pa, nås på, nar mig*, sms:a*, smsa*, sms, mitt nummer*, kontakta*,
        anhorig*, journummer*, save my*, save this number*, note my number*, notier*, schreib dir auf*,
        note mon*, notez*, note bien*, apunta*, anota*, guarda mi*, segna*, segnati*, salva il*, ecco, risponde*,
        rispondo*, noteer*, zapisz*, skriv upp*, spara mitt*, kaydet*, 折り返し*, 保存*, 저장*, 적어*, 记一下*,
        存一下*, नोट कर*, लिख लो*, लिख लीजिए*, इमरजेंसी*, मिलाएं*, telefonum*, cep*, cep telefon*, ara*, arayın*,
        arayabilir*, ulasabilir*, ulasın*, numaram*, numarası*, iletisim*, irtibat*, sabit hat*, acil durum*, 電話*,
        電話番号*, 電話は*, 携帯*, 携帯番号*, 連絡先*, 連絡*, ご連絡*, 緊急連絡先*, 実家*, 自宅*, 自宅電話*,
        固定電話*, ファックス*, fax, ライン電話, 問い合わせ*, お問い合わせ*, 代表*, 内線*, 番号は*, 电话*, 电话号码*,
        手机*, 手机号*, 手机号码*, 联系*, 联系电话*, 联系方式*, 联系人*, 打给*, 打我*, 致电*, 拨打*, 座机*, 固话*,
        微信同号*, 微信*, 微信号*, 短信*, 紧急联系人*, 号码*, 手機*, 聯絡*, 聯繫*, 行動電話*, 市話*, 전화*, 전화번호*,
        연락처*, 연락*, 휴대폰*, 휴대전화*, 핸드폰*, 폰번호*, 번호는*, 문자*, 비상연락*, 비상 연락처*, 집 전화*,
        사무실*, 카톡*, 팩스*, 내선*, 대표번호*, फोन*, फ़ोन*, मोबाइल*, मोबाईल*, नंबर*, नम्बर*, संपर्क*, सम्पर्क*,
        व्हाट्सएप*, व्हाट्सऐप*, वॉट्सऐप*, कॉल*, काल*, लैंडलाइन*, टेलीफोन*, दूरभाष*, हेल्पलाइन*, घर का फोन*, ऑफिस*,
        आपातकालीन*, मिस्ड कॉल*, एसएमएस*, मैसेज*, телефон*, тел., моб*, номер*, звони*, позвони*, набери*, связ*,
        ватсап*, вотсап*
        """
    )
)
CUES = (_REACH,)

_LINK = (
    r"no|nr|num|number|numero|nummer|numer|is|are|was|at|on|to|in|my|me|us|him|her|the|a|or|and|please|back|anytime|"
    r"ist|lautet|unter|auf|der|die|das|bei|mich|mir|uns|oder|est|le|la|au|sur|c'est|mon|ma|moi|de|du|ou|es|el|al|"
    r"del|mi|"
    r"en|por|o|il|lo|mio|mia|su|per|e|do|da|ao|no|na|meu|minha|para|pelo|op|naar|mijn|het|van|of|to|na|pod|moj|jest|"
    r"do|lub|ar|pa|till|mitt|min|eller|var|su|bu|benim|veya|"
    r"は|が|も|に|の|まで|へ|番号|号|码|是|为|：|는|은|이|가|로|으로|번호|है|का|की|के|पर|यह|मेरा|मेरी|हैं|нр|мой|"
    r"это|по|на"
)
_LEAD = late(
    rf"[^\W\d_]{{0,14}}(?:[\s:=#.,;\-–(\[\"'<>|/?!*’]{{1,3}}(?:{_LINK})(?![^\W\d_])){{0,5}}[\s:=#.,;\-–(\[\"'<>|"
    rf"/?!*：は是는은]{{0,6}}",
    re.I,
)
_WORDS = late(r"[^\W\d_]{0,14}(?:[\s,:(]{1,2}[^\W\d_][^\s\d:;.!?)]{0,14}){1,4}[\s:=#.,\-–(\"'：]{1,4}")
_NUMBER = late(
    r"[(\[]?(?:\+|00)?[0-9](?:[ \t.\-/()]{0,3}[0-9]){6,14}(?![0-9])(?:\s?(?:x|ext\.?|int\.|poste|wew\.|durchwahl|"
    r"内線|내선)\s?[0-9]{1,5})?",
    re.I,
)
_AFTER = late(
    r"\s?(?:पर|में)?\s?(?:कॉल|फोन|फ़ोन|व्हाट्सएप|व्हाट्सऐप|संपर्क|मिस्ड|मैसेज|sms)|\s?(?:に|へ|まで)(?:お?電話|"
    r"ご?連絡|かけ|sms|ショート)|(?:으)?로\s?(?:전화|연락|문자|카톡|주세요)|\s?(?:numara\w+|nolu|"
    r"'?[dt][ea]n\sara\w*|'?[yea]+\sara\w*)|"
    r"\s(?:is|ist|est|es|e|jest|ar)\s(?:my|his|her|the|mein\w?|meine|mon|son|mi|su|il|mio|o|meu|mijn|moj|mitt|"
    r"min)\s(?:\w+\s)?(?:number|phone|cell|mobile|handy\w*|nummer|telefon\w*|numero|portable|movil|celular|"
    r"cellulare|telemovel|mobiel|numer|mobil\w*)|"
    r"\s\(?(?:mobile|cell|home|work|office|handy|privat|mobil|portable|movil|casa|fisso|celular|trabalho|thuis|werk|"
    r"komorka|dom|hem|jobb|whatsapp)\b|(?:是|为)?(?:我|他|她)的?(?:电话|手机|号码)|打给我|找我",
    re.I,
)
_DIGITS = late("[^0-9]+")
_NETWORK = late(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_THOUSANDS = late(r"[0-9]{1,3}(?:[., ][0-9]{3})+")
_OTHER_WORDS = frozenset(
    words(
        """
        id ids art part item rev size range order ticket case file ref reference amount price total serial sku
        isbn ean imei version build account acct card cards visa iban bic vat tax zip plz cap population epoch
        timestamp bytes isin row rows page pages line lines port pass reg member customer client eur usd gbp pln
        sek brl jpy inr rs nip regon pesel dni nie cpf cnpj siret siren bsn ssn piva iva eft ups model
        """
    )
)
_OTHER_STEMS = tuple(
    words(
        """
        tracking parcel konto rechnung bestell auftrag kunden klant commande facture pedido factura fattura
        ordine zamowieni faktur passport reisepass paspoort licen steuer ust registr registern handelsreg
        dossier akte vorgang expediente protocol processo zaak spraw arende dosya kimlik vergi codice partita
        personnummer patient polic invoice 登録 受付 注文 订单 编号 접수 주문 등록 खाता आधार पैन заказ инн счет
        """
    )
)
_WORD = late(r"[^\W\d_]{2,}")
_FAR = 64  # more than the first digit of a number stands away from its word


def find(view: View) -> Iterator[Hit]:
    """Yield the telephone numbers that a word leads to, or that one follows."""
    if view.digits < 7 or "0000000" not in view.joined or not _REACH.in_text(view):
        return
    text = view.text
    seen: set[int] = set()
    if not any(digits >= 7 for _, _, digits in view.numbers):
        return
    shape = view.shape
    for _, end in _REACH.occurrences(view):
        digit = shape.find("0", end, end + _FAR)  # nothing that leads to a number has digits
        if digit < 0 or not view.has_number(digit, digit + 1, least=7):
            continue
        for lead in (_LEAD, _WORDS):
            place = lead.match(text, end, end + 60)
            if place is None:
                continue
            match = _NUMBER.match(text, place.end(), place.end() + 34)
            if match is None or (place.end() == end and text[end - 1].isalnum() and text[end - 1].isascii()):
                continue
            if match.start() not in seen and _fits(view, match, sure=lead is _LEAD):
                seen.add(match.start())
                yield _hit("phone.to_reach", text, match)
            break
    for match in (
        match for begin, stop in _REACH.windows(view, 40, 0) for match in _ANYWHERE.finditer(text, begin, stop)
    ):
        if match.start() not in seen and _AFTER.match(text, match.end()) is not None and _fits(view, match, sure=True):
            yield _hit("phone.then_called", text, match)


_ANYWHERE = late(r"(?<![\w.,/+\-=#$])(?:\+|00)?[0-9](?:[ .\-/()]{0,2}[0-9]){6,14}(?![0-9])")


def _hit(rule: str, text: str, match: re.Match[str]) -> Hit:
    return Hit(rule, match.start() + (text[match.start()] in "(["), match.end())


def _fits(view: View, match: re.Match[str], sure: bool) -> bool:
    """Say whether a number is given out somewhere, and neither a date, an amount, nor another kind of number."""
    written = match.group().strip("([")
    digits = _DIGITS.sub("", re.split("[a-zA-Z内내]", written)[0])
    if len(set(digits)) < 3 or _NETWORK.fullmatch(written) or _DATE.match(written) or _THOUSANDS.fullmatch(written):
        return False
    if written.startswith("+"):
        return 8 <= len(digits) <= 15
    before = _WORD.findall(view.lower, max(0, match.start() - 40), match.start())[-4:]
    if any(word in _OTHER_WORDS or word.startswith(_OTHER_STEMS) for word in before):
        return False
    if digits.startswith("00"):
        return 10 <= len(digits) <= 16 and international(digits[2:], possible_suffices=True)
    least = 8 if sure else 9
    return least <= len(digits) <= 12 and given_out_somewhere(digits, REGIONS)
