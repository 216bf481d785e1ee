"""Tax numbers of people in the larger countries: the word that names one, then what has the look of one.

Pure. Beside `national.py`, which checks digits, and `labelled.py`, which asks for numbers of digits. Here letters may
stand among them (a PAN, an RFC, a codice fiscale) and other words may stand between. They are told as national ids: a
tax number names one person for life as such a number does. Numbers under which firms charge tax (VAT) are left alone.
"""

from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.labelled import _AMOUNT, _DATE
from mace.governance.detectors.late import late
from mace.governance.detectors.marked import _COUNT_AFTER
from mace.governance.detectors.view import View

RULES = {"national_id.tax": Rule("national_id", 1)}

_CUE = Cue(
    phrases(
        """
        tax id*, tax identi*, tax number*, tax no, tax no., tax #, tax ref*, tax reference*, tax file*,
        tax code*, taxpayer*, tax payer*, tin, tfn, utr, utr number*, unique taxpayer*, itin, ein:,
        ein #, ein number*, employer identification*, irs number*, ird number*, ird no*, fiscal code*,
        fiscal number*, fiscal id*, tax registration*, paye ref*, steuer-id*, steuer id*, steuerid*,
        steuernummer*, steuer-nr*, steuernr*, steuer-nummer*, st-nr*, stnr*, steueridentifikation*,
        steuerliche identifikation*, steueridnr*, steuer-idnr*, idnr*, tin-nummer*,
        identifikationsnummer*, abgabenkontonummer*, ahv*, numero fiscal*, n° fiscal*,
        identifiant fiscal*, reference fiscale*, numero d'identification fiscal*, numero spi, numero de contribuable*,
        nif*, cif, numero de identificacion fiscal*, identificacion fiscal*,
        identificacion tributaria*, rfc, registro federal*, rut, ruc, cuit, cuil, nit,
        cedula fiscal*, clave fiscal*, contribuyente*, codice fiscale*, cod. fisc*, cod fiscale, cod.fisc*,
        codice contribuente*, numero di identificazione fiscale, cpf, cpf n, cpf/mf, cadastro de pessoa*,
        numero de contribuinte*, contribuinte*, numero de identificacao fiscal, identificacao fiscal*, bsn*,
        fiscaal nummer*, fiscaal num*, fiscale nummer*, belastingnummer*, fiscaalnummer*, sofi*, sofinummer*,
        rsin*, rijksregisternummer*, nip, nip-u, numer nip, nr nip, numer podatnika*, numer podatkowy*,
        identyfikator podatkowy*, identyfikacji podatkowej, nip:, pesel*, skatteregistr*, skattenummer*,
        skatte-id*, skatteid*, personnummer*, samordningsnummer*, vergi no*, vergi numara*,
        vergi kimlik*, vergi nosu*, vkn, vergi mukellef*, mukellef*, инн, налоговый номер*, налогов* номер*,
        налогового номера*, идентификационный номер налог*, номер налогоплат*, рнокпп, иин, унп,
        الرقم الضريبي, رقم ضريبي, الرقم الضريبى, رقمي الضريبي, رقمه الضريبي,
        رقمها الضريبي, التعريف الضريبي, المعرف الضريبي, التسجيل الضريبي,
        الملف الضريبي, البطاقة الضريبية, بطاقة ضريبية, رقم الضريبة, المعرف الجبائي,
        التعريف الجبائي, المعرف الموحد, الرقم الجبائي, 納税者番号*, 納税番号*,
        個人番号*, マイナンバー*, 税務番号*, 納税者識別*, 纳税人识别*, 纳税人*, 納稅*, 税号*, 税務編號*,
        税务登记*, 税务号*, 個人稅*, 납세자*, 납세번호*, 사업자등록*, 사업자 등록*, 사업자번호*, 사업자 번호*,
        세금 번호*, 세무*, 납세 번호*, पैन*, पैन कार्ड*, पैन नंबर*, पैन नं*, pan,
        pan card*, pan number*, pan no*, टैक्स आईडी*, कर पहचान*, करदाता*, आयकर*,
        जीएसटी*, टैन नंबर*, स्थायी खाता*, स्थाई खाता*
        """
    ),
    fields=["tax_?(?:id|no|num|number|code|ref)", "tin", "utr", "rfc", "nif", "cpf", "pan", "codice_?fiscale",
            "steuer_?(?:id|nummer|nr)", "cuit", "cuil", "ruc", "nip", "vkn", "inn"],
)  # fmt: skip
CUES = (_CUE,)

_WORD_REST = late(r"[^\W\d_]{0,24}(?:['’]s)?(?:-(?:nr|nummer|id|no)\b\.?)?")
_BETWEEN = late(
    r"(?:[\s_:#=.,;\-–(\[\"'<>|/°º*：№]{1,4}(?:(?![A-Z]*[0-9])[^\W\d_A-Z][^\s\d:;!?]{0,18}|[A-Z][^\W\d_A-Z][^\s\d:;!?]{0,16}|"
    r"[A-Z]{2,4}(?=\s(?![0-9])|[:)]))){0,6}?[\s_:#=.,;\-–(\[\"'<>|/°º*：№は是为為는은है]{0,5}(?=[A-Z0-9])"
)
_VALUE = late(
    r"(?:[A-Z]{1,6}[ \-]?){0,2}[A-Z0-9]{0,16}[0-9][A-Z0-9]{0,16}(?:[ \-./][A-Z]{0,4}[0-9][A-Z0-9]{0,12}){0,5}"
    r"(?:[ \-./][A-Z0-9](?![\w]))?(?![\w])"
)
_WIDE = late(r"[A-Z0-9a-z]")
_OF_FIRMS = late(
    r"(?:ust|umsatzsteuer|mwst|vat|wirtschafts|btw|tva|iva|moms|gst|firmen?|company|unternehmens)[\s\-]{0,2}\Z"
)
_OTHER = late(r"(?:19|20)[0-9]{2}|[0-9]{1,3}(?:[.,][0-9]{3})+")


def find(view: View) -> Iterator[Hit]:
    """Yield the tax numbers in a view."""
    if view.digits < 4:
        return
    text = view.text
    if _CUE.names(view.field) and (alone := _VALUE.match(text)) is not None and _fits(view, 0, alone.group()):
        yield Hit("national_id.tax", *alone.span())
    seen = -1
    for at, end in _CUE.occurrences(view) if _CUE.in_text(view) else ():
        if _OF_FIRMS.search(view.lower, max(0, at - 16), at) is not None:
            continue
        rest = _WORD_REST.match(text, end)
        after = rest.end() if rest is not None and text[end - 1] < "\u0900" else end
        lead = _BETWEEN.match(text, after, after + 80)
        if lead is None or (lead.end() == after and text[after - 1].isascii() and text[after - 1].isalnum()):
            continue
        match = _VALUE.match(text, lead.end(), lead.end() + 40)
        if match is not None and match.start() > seen and _fits(view, match.start(), match.group()):
            seen = match.start()
            yield Hit("national_id.tax", *match.span())


def _fits(view: View, start: int, written: str) -> bool:
    """Say whether what was written has the look of a tax number, and is no date, year or amount."""
    signs = len(_WIDE.findall(written))
    digits = sum(map(str.isdigit, written))
    if not 8 <= signs <= 20 or digits < 4 or digits * 3 < signs or len(set(written)) < 4:
        return False
    if _DATE.fullmatch(written) is not None or _OTHER.fullmatch(written) is not None:
        return False
    stop = start + len(written)
    return _AMOUNT.match(view.text, stop) is None and _COUNT_AFTER.match(view.lower, stop) is None
