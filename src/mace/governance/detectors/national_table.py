"""National identity numbers: shape, check, and the words people write before them.

A table and nothing else; `national.py` reads it. A shape is written with `9` for a digit, `A` for a letter, `X` for
either, `[..]` for a choice, `{n}` for repetition. A check is a function of `checks.py` or the name of a python-stdnum
module. Words are lower case without accents; the country's own name counts as well (`PLACES`).
"""

from collections.abc import Callable
from typing import NamedTuple

from mace.governance.detectors import checks


class NationalId(NamedTuple):
    """One kind of number of one country."""

    country: str
    name: str
    shapes: tuple[str, ...]
    check: str | Callable[[str], bool]
    words: tuple[str, ...]


def _id(country: str, name: str, shapes: str, check: str | Callable[[str], bool], words: str) -> NationalId:
    return NationalId(country, name, tuple(shapes.split()), check, tuple(word.strip() for word in words.split(",")))


TABLE: tuple[NationalId, ...] = (
    _id("ar", "cuil", "9{11}", "ar.cuit", "cuil, cuit"),
    _id("ar", "dni", "9{8} 9{7}", "ar.dni", "dni, documento nacional"),
    _id("at", "vnr", "9{10}", "at.vnr", "sozialversicherungsnummer, svnr, sv-nummer, sv-nr, versicherungsnummer"),
    _id("au", "tfn", "9{9} 9{8}", "au.tfn", "tfn, tax file number, tax file no"),
    _id("be", "nn", "9{11}", checks.belgium,
        "rijksregisternummer, rijksregister, registre national, insz, niss, nationaal nummer, numero national, nrn"),
    _id("bg", "egn", "9{10}", "bg.egn", "egn, егн, единен граждански"),
    _id("br", "cpf", "9{11}", "br.cpf", "cpf, cadastro de pessoas"),
    _id("ca", "sin", "9{9}", "ca.sin", "sin, social insurance, numero d assurance sociale"),
    _id("ch", "ahv", "9{13}", "ch.ssn", "ahv, avs, ahv-nummer, ahv-nr, ahvn13, sozialversicherungsnummer, navs13"),
    _id("cl", "rut", "9{8}X 9{7}X", "cl.rut", "rut, rol unico"),
    _id("cn", "ric", "9{17}X", checks.china,
        "身份证*, 公民身份*, 身分證*, resident id*, id card*, identity card*, shenfenzheng, citizen id*"),
    _id("co", "nit", "9{10} 9{9}", "co.nit", "nit, cedula*, rut"),
    _id("cr", "cedula", "9{9} 9{10}", "cr.cpf", "cedula*, cedula de identidad"),
    _id("cu", "ni", "9{11}", "cu.ni", "carnet de identidad, carne de identidad, numero de identidad"),
    _id("cz", "rc", "9{10} 9{9}", "cz.rc", "rodne cislo, rodneho cisla"),
    _id("sk", "rc", "9{10} 9{9}", "sk.rc", "rodne cislo, rodneho cisla"),
    _id("de", "idnr", "9{11}", "de.idnr",
        "steuer-id, steuerid, steueridentifikationsnummer*, steuer-identifikationsnummer*, "
        "steuerliche identifikation*, idnr, id-nr, steuernummer, identifikationsnummer*"),
    _id("de", "svnr", "9{8}A9{3}", checks.germany_pension,
        "rentenversicherungsnummer*, sozialversicherungsnummer*, rvnr, svnr, versicherungsnummer*"),
    _id("dk", "cpr", "9{10}", checks.denmark, "cpr*, personnummer*, cpr-nummer*"),
    _id("do", "cedula", "9{11}", "do.cedula", "cedula*"),
    _id("ec", "ci", "9{10}", "ec.ci", "cedula*"),
    _id("ee", "ik", "9{11}", "ee.ik", "isikukood*"),
    _id("es", "dni", "9{8}A", "es.dni", "dni, nif, documento nacional"),
    _id("es", "nie", "[XYZ]9{7}A", "es.nie", "nie, nif, numero de extranjero, dni"),
    _id("fi", "hetu", "9{6}[A-FU-Y]9{3}X 9{9}X", checks.finland,
        "hetu*, henkilotunnus*, henkilotunnuks*, personbeteckning*"),
    _id("fr", "nir", "9{6}X9{8}", "fr.nir",
        "securite sociale, nir, insee, numero de secu, carte vitale, num secu, nss"),
    _id("fr", "nif", "9{13}", "fr.nif", "numero fiscal, spi, identifiant fiscal"),
    _id("gb", "nino", "AA9{6}A", checks.britain, "nino, national insurance, ni number, ni no, nat ins"),
    _id("gb", "utr", "9{10}", "gb.utr", "utr, unique taxpayer"),
    _id("gr", "amka", "9{11}", "gr.amka", "amka, αμκα"),
    _id("gr", "afm", "9{9}", "gr.vat", "afm, αφμ"),
    _id("gt", "nit", "9{8} 9{7}X 9{7}", "gt.nit", "nit"),
    _id("hk", "hkid", "A9{6}X AA9{6}X", checks.hong_kong, "hkid*, 香港身份*, id card*, identity card*"),
    _id("hr", "oib", "9{11}", "hr.oib", "oib, osobni identifikacijski"),
    _id("hu", "szemelyi", "9{11}", checks.hungary_personal, "szemelyi szam*, szemelyi azonosito*"),
    _id("hu", "taj", "9{9}", checks.hungary_health, "taj, taj szam*, taj-szam*"),
    _id("hu", "adoazonosito", "9{10}", checks.hungary_tax, "adoazonosito*"),
    _id("id", "nik", "9{16}", "id.nik", "nik, ktp, nomor induk kependudukan"),
    _id("ie", "pps", "9{7}AA 9{7}A", "ie.pps", "pps, ppsn, pps number, personal public service"),
    _id("il", "id", "9{9} 9{8}", "il.idnr", "teudat zehut, mispar zehut, תעודת זהות, מספר זהות, ת.ז, ת״ז"),
    _id("in", "aadhaar", "9{12}", "in_.aadhaar", "aadhaar*, aadhar*, uidai, आधार"),
    _id("in", "pan", "A{5}9{4}A", "in_.pan", "pan, permanent account number, pan card"),
    _id("in", "epic", "A{3}9{7}", "in_.epic", "epic, voter id*"),
    _id("is", "kennitala", "9{10}", "is_.kennitala", "kennitala*, kennitolu*"),
    _id("it", "codicefiscale", "A{6}XXAXXAX{3}A", "it.codicefiscale", "codice fiscale, cod fisc, cf"),
    _id("jp", "mynumber", "9{12}", "jp.in_", "my number, mynumber, マイナンバ*, 個人番号*"),
    _id("ke", "pin", "[AP]9{9}A", "ke.pin", "kra, kra pin"),
    _id("kr", "rrn", "9{13}", checks.korea, "rrn, 주민등록번호*, 주민번호*, resident registration"),
    _id("kz", "iin", "9{12}", checks.kazakhstan, "iin, иин, жсн"),
    _id("lk", "nic", "9{9}[VX] 9{12}", checks.sri_lanka, "national identity card, nic number, nic no"),
    _id("lt", "asmens", "9{11}", "lt.asmens", "asmens kod*"),
    _id("lu", "matricule", "9{13}", checks.luxembourg, "matricule*, numero d identification nationale"),
    _id("lv", "pk", "9{11}", checks.latvia, "personas kod*"),
    _id("md", "idnp", "9{13}", "md.idno", "idnp"),
    _id("mx", "curp", "A{4}9{6}A{6}X9", checks.mexico, "curp"),
    _id("mx", "rfc", "A{4}9{6}X{3}", "mx.rfc", "rfc, registro federal"),
    _id("my", "nric", "9{12}", "my.nric", "nric, mykad, kad pengenalan, ic number, ic no"),
    _id("mz", "nuit", "9{9}", "mz.nuit", "nuit"),
    _id("nl", "bsn", "9{9}", "nl.bsn", "bsn*, burgerservicenummer*, sofinummer*, sofi-nummer*"),
    _id("no", "fnr", "9{11}", checks.norway, "fodselsnummer*, fødselsnummer*, personnummer*, fnr"),
    _id("nz", "ird", "9{9} 9{8}", "nz.ird", "ird, ird number"),
    _id("pe", "cui", "9{8}X", "pe.cui", "dni, cui"),
    _id("pk", "cnic", "9{13}", "pk.cnic", "cnic, nicop"),
    _id("pl", "pesel", "9{11}", "pl.pesel", "pesel*"),
    _id("pt", "cc", "9{9}X{2}9", "pt.cc", "cartao de cidadao, cartao do cidadao, cartao cidadao"),
    _id("pt", "nif", "9{9}", "pt.nif", "nif, contribuinte, numero de contribuinte"),
    _id("py", "ruc", "9{7} 9{8} 9{9}", "py.ruc", "ruc"),
    _id("ro", "cnp", "9{13}", "ro.cnp", "cnp, cod numeric personal"),
    _id("rs", "jmbg", "9{13}", "si.emso", "jmbg, јмбг, embg, ембг, maticni broj, матични број, матичен број"),
    _id("ru", "snils", "9{11}", checks.russia_pension, "снилс, snils"),
    _id("ru", "inn", "9{12}", checks.russia_tax, "инн, inn"),
    _id("se", "personnummer", "9{10} 9{12}", checks.sweden, "personnummer*, samordningsnummer*, personnr"),
    _id("sg", "nric", "[STFGM]9{7}A", checks.singapore, "nric*, fin number, fin no, ic number, ic no"),
    _id("si", "emso", "9{13}", "si.emso", "emso"),
    _id("sv", "nit", "9{14}", "sv.nit", "nit"),
    _id("th", "pin", "9{13}", "th.pin", "เลขประจำตัวประชาชน, บัตรประชาชน, thai id*, thai national id"),
    _id("tr", "tckimlik", "9{11}", "tr.tckimlik", "kimlik*, tckn, tc kimlik, tc no, vatandaslik*"),
    _id("tw", "id", "A9{9}", checks.taiwan, "身分證*, 身份證*, 身份证*, id card*, identity card*"),
    _id("ua", "rntrc", "9{10}", "ua.rntrc", "рнокпп, іпн, ipn, rnokpp, інн, ідентифікаційний"),
    _id("uy", "ci", "9{8} 9{7}", checks.uruguay, "cedula*"),
    _id("ve", "rif", "[VE]9{9}", "ve.rif", "rif, cedula*"),
    _id("vn", "cccd", "9{12}", checks.vietnam, "cccd, can cuoc cong dan, cmnd"),
    _id("za", "id", "9{13}", checks.south_africa,
        "south african id*, sa id*, rsa id*, id number, identity number, id no"),
)  # fmt: skip

# A country named near a number, or in the name of its field, is a cue of its own.
PLACES: dict[str, tuple[str, ...]] = {
    "ar": ("argentin*",), "at": ("austria*", "osterreich*"), "au": ("australia*",), "be": ("belgi*",),
    "bg": ("bulgaria*",), "br": ("brazil*", "brasil*"), "ca": ("canad*",), "ch": ("swiss", "switzerland", "schweiz*"),
    "cl": ("chile*",), "cn": ("china", "chinese"), "co": ("colombia*",), "cr": ("costa rica*",), "cu": ("cuba*",),
    "cz": ("czech*", "cesk*"), "de": ("german*", "deutsch*"), "dk": ("denmark", "danish", "dansk*"),
    "do": ("dominican*",), "ec": ("ecuador*",), "ee": ("estonia*",), "es": ("spain", "spanish", "espan*"),
    "fi": ("finland", "finnish"), "fr": ("france", "french", "francais*"), "gb": ("british", "united kingdom"),
    "gr": ("greece", "greek"), "gt": ("guatemala*",), "hk": ("hong kong",), "hr": ("croatia*", "hrvatsk*"),
    "hu": ("hungar*", "magyar*"), "id": ("indonesia*",), "ie": ("ireland", "irish"), "il": ("israel*",),
    "in": ("india", "indian"), "is": ("iceland*",), "it": ("italy", "italian*"), "jp": ("japan*",),
    "ke": ("kenya*",), "kr": ("korea*",), "kz": ("kazakh*",), "lk": ("sri lanka*",), "lt": ("lithuania*",),
    "lu": ("luxembourg*",), "lv": ("latvia*",), "md": ("moldova*",), "mx": ("mexic*",),
    "my": ("malaysia*",), "mz": ("mozambi*",), "nl": ("netherlands", "dutch", "nederland*"),
    "no": ("norw*", "norsk*"),
    "nz": ("new zealand*",), "pe": ("peru*",), "pk": ("pakistan*",), "pl": ("poland", "polish", "polsk*"),
    "pt": ("portug*",), "py": ("paraguay*",), "ro": ("romania*",), "rs": ("serbia*", "bosnia*", "montenegr*"),
    "ru": ("russia*",), "se": ("sweden", "swedish", "svensk*"), "sg": ("singapor*",), "si": ("slovenia*",),
    "sk": ("slovak*",), "sv": ("salvador*",), "th": ("thai*",), "tr": ("turk*",), "tw": ("taiwan*",),
    "ua": ("ukrain*",), "uy": ("uruguay*",), "ve": ("venezuel*",), "vn": ("vietnam*",), "za": ("south africa*",),
}  # fmt: skip
