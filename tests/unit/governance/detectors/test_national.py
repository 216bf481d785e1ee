"""National identity numbers: each kind with a valid row, a row whose check fails, and a row without a cue."""

import inspect
from importlib import import_module

import pytest

from mace.governance.detectors import HIGH, detect
from mace.governance.detectors.checks import compact
from mace.governance.detectors.national_table import TABLE

# rule, cue, a valid number as people write it, the same with a broken check or structure
ROWS = [
    ("ar.cuil", "CUIL", "20-05536168-2", "20-05536168-3"),
    ("ar.dni", "DNI argentino", "20.123.456", "0.00"),
    ("at.vnr", "Sozialversicherungsnummer (Österreich)", "1237 010180", "1238 010180"),
    ("au.tfn", "tax file number", "123 456 782", "123 456 783"),
    ("be.nn", "rijksregisternummer", "85.07.30-033.28", "85.07.30-033.29"),
    ("bg.egn", "ЕГН", "752316 926 3", "752316 926 4"),
    ("br.cpf", "CPF", "390.533.447-05", "390.533.447-06"),
    ("ca.sin", "social insurance number", "123-456-782", "123-456-783"),
    ("ch.ahv", "AHV", "756.9217.0769.85", "756.9217.0769.84"),
    ("cl.rut", "RUT", "12.531.909-2", "12.531.909-3"),
    ("cn.ric", "身份证号码", "11010519491231002X", "110105194912310021"),
    ("co.nit", "NIT", "213.123.432-1", "213.123.432-2"),
    ("cr.cedula", "cédula de Costa Rica", "3-0455-0175", "9-0455-01759-1"),
    ("cu.ni", "carné de identidad", "91021027775", "91132027775"),
    ("cz.rc", "rodné číslo", "710319/2745", "710319/2746"),
    ("sk.rc", "Slovak rodné číslo", "710319/2745", "710319/2746"),
    ("de.idnr", "Steuer-ID", "36 574 261 809", "36 574 261 890"),
    ("de.svnr", "Rentenversicherungsnummer", "65 170839 J 003", "65 170839 J 004"),
    ("dk.cpr", "CPR", "211062-5629", "311362-5629"),
    ("do.cedula", "cédula dominicana", "00113918205", "00113918206"),
    ("ec.ci", "cédula de Ecuador", "171430710-3", "171430710-4"),
    ("ee.ik", "isikukood", "36805280109", "36805280108"),
    ("es.dni", "DNI", "54362315-K", "54362315-A"),
    ("es.nie", "NIE", "X-2482300W", "X-2482300A"),
    ("fi.hetu", "henkilötunnus", "131052-308T", "131052-308U"),
    ("fr.nir", "numéro de sécurité sociale", "2 95 10 99 126 111 93", "2 95 10 99 126 111 94"),
    ("fr.nif", "numéro fiscal", "3023217600053", "3023217600054"),
    ("gb.nino", "National Insurance number", "AB 12 34 56 C", "DO 12 34 56 C"),
    ("gb.utr", "UTR", "1955839661", "2955839661"),
    ("gr.amka", "ΑΜΚΑ", "01013099997", "01013099999"),
    ("gr.afm", "ΑΦΜ", "094259216", "094259217"),
    ("gt.nit", "NIT de Guatemala", "3952550-3", "3952550-4"),
    ("hk.hkid", "HKID", "A123456(3)", "A123456(4)"),
    ("hr.oib", "OIB", "33392005961", "33392005962"),
    ("hu.szemelyi", "személyi szám", "1 800101 1233", "1 800101 1234"),
    ("hu.taj", "TAJ szám", "037 258 416", "037 258 413"),
    ("hu.adoazonosito", "adóazonosító jel", "8071592153", "8071592154"),
    ("id.nik", "NIK", "3171011708450001", "9971011708450001"),
    ("ie.pps", "PPSN", "6433435F", "6433435E"),
    ("il.id", "תעודת זהות", "3933742-3", "3933742-4"),
    ("in.aadhaar", "Aadhaar", "2341 2341 2346", "2341 2341 2347"),
    ("in.pan", "PAN card", "ACUPA7085R", "ACUXA7085R"),
    ("in.epic", "voter id", "WKH1186253", "WKH1186254"),
    ("is.kennitala", "kennitala", "120174-3399", "120174-3389"),
    ("it.codicefiscale", "codice fiscale", "RCCMNL83S18D969H", "RCCMNL83S18D969A"),
    ("jp.mynumber", "マイナンバー", "6214 9832 0257", "6214 9832 0258"),
    ("ke.pin", "KRA PIN", "A004416331M", "B004416331M"),
    ("kr.rrn", "주민등록번호", "971013-9019902", "971013-9019903"),
    ("kz.iin", "ИИН", "860904350504", "860904350505"),
    ("lk.nic", "Sri Lanka", "853400937V", "859990937V"),
    ("lt.asmens", "asmens kodas", "33309240064", "33309240164"),
    ("lu.matricule", "matricule", "1893120105732", "1893120105733"),
    ("lv.pk", "personas kods", "161175-19997", "161175-19998"),
    ("md.idnp", "IDNP", "1008600038413", "1008600038412"),
    ("mx.curp", "CURP", "BOXW310820HNERXN09", "BOXW310820HNERXN08"),
    ("mx.rfc", "RFC", "GODE561231GR8", "GODE561331GR8"),
    ("my.nric", "MyKad", "770305-02-1234", "771305-02-1234"),
    ("mz.nuit", "NUIT", "400339910", "400339911"),
    ("nl.bsn", "BSN", "1112.22.333", "1112.52.333"),
    ("no.fnr", "fødselsnummer", "151086 95088", "151086 95077"),
    ("nz.ird", "IRD number", "49-098-576", "49-098-577"),
    ("pe.cui", "CUI del Perú", "10117410-2", "10117410-3"),
    ("pk.cnic", "CNIC", "34201-0891231-8", "94201-0891231-8"),
    ("pl.pesel", "PESEL", "44051401359", "44051401358"),
    ("pt.cc", "cartão de cidadão", "00000000 0 ZZ4", "00000000 0 ZZ5"),
    ("pt.nif", "contribuinte", "501 964 843", "501 964 844"),
    ("py.ruc", "RUC de Paraguay", "80028061-0", "80028061-1"),
    ("ro.cnp", "CNP", "1630615123457", "1630615123458"),
    ("rs.jmbg", "JMBG", "0101006500006", "0101006500007"),
    ("ru.snils", "СНИЛС", "112-233-445 95", "112-233-445 96"),
    ("ru.inn", "ИНН", "500100732259", "500100732258"),
    ("se.personnummer", "personnummer", "811228-9874", "811228-9875"),
    ("sg.nric", "NRIC", "S1234567D", "S1234567A"),
    ("si.emso", "EMŠO", "0101006500006", "0101006500007"),
    ("sv.nit", "NIT El Salvador", "0614-050707-104-8", "0614-050707-104-9"),
    ("th.pin", "บัตรประชาชน", "1-2345-45678-78-1", "1-2345-45678-78-9"),
    ("tr.tckimlik", "TC Kimlik No", "17291716060", "17291716050"),
    ("tw.id", "身分證字號", "A123456789", "A123456788"),
    ("ua.rntrc", "РНОКПП", "1759013776", "1759013770"),
    ("uy.ci", "cédula uruguaya", "1.234.567-2", "1.234.567-3"),
    ("ve.rif", "RIF", "V-11470283-4", "V-11470283-5"),
    ("vn.cccd", "CCCD", "001093012345", "999993012345"),
    ("za.id", "South African ID", "7503305044089", "7503305044088"),
]  # fmt: skip
CLOCKS = ("today()", "now()", "time.time")


def found(text: str, field: str | None = None) -> list[tuple[str, str]]:
    return [
        (finding.rule, text[finding.start : finding.end])
        for finding in detect(text, field)
        if finding.type == "national_id"
    ]


def test_every_kind_has_its_rows_and_more_than_forty_countries_are_covered():
    assert {row[0] for row in ROWS} == {f"{kind.country}.{kind.name}" for kind in TABLE}
    assert len({kind.country for kind in TABLE}) >= 40


@pytest.mark.parametrize(("rule", "cue", "valid", "bad"), ROWS, ids=[row[0] for row in ROWS])
def test_a_valid_number_near_its_cue_is_found_whole(rule: str, cue: str, valid: str, bad: str):
    text = f"{cue}: {valid}, thanks"
    assert [value for _, value in found(text)] == [valid]
    assert all(finding.sensitivity == HIGH for finding in detect(text) if finding.type == "national_id")
    kind = next(kind for kind in TABLE if f"{kind.country}.{kind.name}" == rule)
    names = {f"national_id.{rule}"} | {
        f"national_id.{other.country}.{other.name}" for other in TABLE if other.shapes == kind.shapes
    }
    assert {name for name, _ in found(text)} <= names  # two countries may share a check and a cue


@pytest.mark.parametrize(("rule", "cue", "valid", "bad"), ROWS, ids=[row[0] for row in ROWS])
def test_a_number_whose_check_fails_is_not_that_id(rule: str, cue: str, valid: str, bad: str):
    assert f"national_id.{rule}" not in {name for name, _ in found(f"{cue}: {bad}, thanks")}


@pytest.mark.parametrize(("rule", "cue", "valid", "bad"), ROWS, ids=[row[0] for row in ROWS])
def test_without_a_cue_a_valid_number_is_no_id(rule: str, cue: str, valid: str, bad: str):
    """Only shapes with letters, signs or a date inside show themselves; a run of digits never does."""
    names = {name for name, _ in found(f"we counted {valid} of them")}
    assert names <= ({"national_id.by_shape"} if not valid.isdigit() or rule in ("cn.ric", "fr.nir") else set())


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("39053344705", "cpf", ["39053344705"]),
        ("39053344705", "customer_cpf", ["39053344705"]),
        ("39053344705", "national_id", ["39053344705"]),
        ("39053344705", "nationalId", ["39053344705"]),
        ("39053344705", "Brazil tax number", ["39053344705"]),
        ("39053344705", "order_total", []),
        ("AB-1234567", "national_id", ["AB-1234567"]),  # declared: no country's form is required
        ("unknown", "national_id", []),
        ("The Brazilian one is 390.533.447-05.", None, ["390.533.447-05"]),  # a country is a cue
        ("390.533.447-05 is my CPF", None, ["390.533.447-05"]),  # the cue may follow
        ("national id 390.533.447-05", None, ["390.533.447-05"]),
        ("CPF\n390.533.447-05", None, ["390.533.447-05"]),
        ("cpf 11111111111", None, []),
        ('{"national_id": "6510068733080"}', None, ["6510068733080"]),  # South Africa by a general word
        ("CPF: 390.533.447-05 e 529.982.247-25", None, ["390.533.447-05", "529.982.247-25"]),
    ],
)
def test_a_field_name_a_country_or_a_general_word_is_a_cue(text: str, field: str | None, values: list[str]):
    assert [value for _, value in found(text, field)] == values


@pytest.mark.parametrize("kind", [kind for kind in TABLE if isinstance(kind.check, str)], ids=lambda kind: kind.check)
def test_no_library_check_looks_at_the_clock(kind):
    source = inspect.getsource(import_module(f"stdnum.{kind.check}"))
    assert not any(clock in source for clock in CLOCKS)


@pytest.mark.parametrize("kind", TABLE, ids=lambda kind: f"{kind.country}.{kind.name}")
def test_checks_answer_for_every_text_of_their_shape(kind):
    """Hostile values of the right shape give a plain no, never an exception."""
    for number in ("0" * 20, "9" * 20, "A" * 20, "ZZ99999999", "00X00000000000000000", "99999999999A"):
        for finding in detect(f"{kind.words[0].rstrip('*')} {number[:11]} {number[:13]} {number[:9]}"):
            assert finding.end > finding.start


def test_compact_keeps_letters_and_digits_in_upper_case():
    assert compact("x-2482.300 w") == "X2482300W"
