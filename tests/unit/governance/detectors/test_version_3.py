"""Rules of version 3: further words in the larger languages, and numbers of machines, firms and files left alone."""

import pathlib
import re

import pytest

from detected import found
from mace.governance.detectors import LOW, RULES, detect

SENTENCES = pathlib.Path(__file__).parents[4] / "benchmarks" / "pii" / "sentences_more.txt"


# The rule that finds it, the text, the type, the value; a rule none of these names would be untested.
TOLD = [
    ("bank_account.marked", "NatWest a/c 83746512", "bank_account", "83746512"),
    ("bank_account.marked", "my customer number with the bank is 88201947", "bank_account", "88201947"),
    ("bank_account.marked", "농협 302-1234-5678-91 예금주 이영희", "bank_account", "302-1234-5678-91"),
    ("bank_account.branch", "Minha conta: ag 0123 cc 45678-9", "bank_account", "0123 cc 45678-9"),
    ("bank_account.paid", "La transferencia, por favor, a 0049 1500 05 1234567892.", "bank_account", "0049 1500 05 1234567892"),  # noqa: E501
    ("bank_account.paid", "किराया 002010112345678 पर NEFT कर दीजिए", "bank_account", "002010112345678"),
    ("bank_account.upi", "UPI: ramesh.k@okhdfcbank", "bank_account", "ramesh.k@okhdfcbank"),
    ("medical_record.marked", "remissnummer R2023-11872", "medical_record", "R2023-11872"),
    ("medical_record.marked", "Hasta numaram 553218", "medical_record", "553218"),
    ("health_insurance.marked", "Aetna policy W1234 56789", "health_insurance", "W1234 56789"),
    ("health_insurance.marked", "EU-kort 80752000012345678901", "health_insurance", "80752000012345678901"),
    ("national_id.marked", "رقم الهوية 1023456789", "national_id", "1023456789"),
    ("passport.marked", "Mein Pass hat die Nummer CF1G2H3J4", "passport", "CF1G2H3J4"),
    ("driver_license.marked", "permis n° 12AB34567", "driver_license", "12AB34567"),
    ("password.told", "Le mot de passe du wifi est Soleil2023!", "password", "Soleil2023!"),
    ("password.told", "мой пароль от почты: Zima2024#", "password", "Zima2024#"),
    ("password.code", "il codice del cancello è 1974#", "password", "1974#"),
    ("password.code", "验证码593021", "password", "593021"),
    ("password.login", "login admin / S3cr3t!pass", "password", "S3cr3t!pass"),
    ("secret.told_key", "APIキーは3f5a7c9e1b2d4f6081a3", "access_token", "3f5a7c9e1b2d4f6081a3"),
    ("secret.told_phrase", "passphrase: correct horse battery staple", "private_key", "correct horse battery staple"),
    ("diagnosis.had", "Minha avó está com pneumonia.", "diagnosis", "pneumonia"),
    ("diagnosis.had", "Hij heeft last van hooikoorts.", "diagnosis", "hooikoorts"),
    ("diagnosis.had", "認知症の母を介護しています。", "diagnosis", "認知症"),
    ("diagnosis.had", "मेरे बेटे को ऑटिज्म है।", "diagnosis", "ऑटिज्म"),
    ("diagnosis.told", "Sökorsak: urinvägsinfektion", "diagnosis", "urinvägsinfektion"),
    ("diagnosis.short_name", "Hon har MS sedan 2015.", "diagnosis", "MS"),
    ("diagnosis.coded", "CID-10: M54.5", "diagnosis", "M54.5"),
    ("phone.to_reach", "연락처: 01098765432", "phone", "01098765432"),
    ("phone.to_reach", "puoi trovarmi al 3291234567", "phone", "3291234567"),
    ("phone.then_called", "मुझे 9123456780 पर कॉल करना", "phone", "9123456780"),
    ("address.told", "mój adres to Piotrkowska 77, 90-423 Łódź", "postal_address", "Piotrkowska 77, 90-423 Łódź"),
    ("address.with_code", "Kungsholms strand 127, 112 33 Stockholm", "postal_address", "Kungsholms strand 127, 112 33 Stockholm"),  # noqa: E501
    ("address.by_street", "domicilio: Carrera 7 # 45-23, Bogotá", "postal_address", "Carrera 7 # 45-23, Bogotá"),
    ("address.indian_road", "हमारा घर 45 एमजी रोड, इंदौर में है", "postal_address", None),
    ("address.east", "台北市大安區忠孝東路四段100號5樓", "postal_address", "台北市大安區忠孝東路四段100號5樓"),
    ("birth_date.told", "mi hijo cumple años el 9 de mayo de 2012", "birth_date", "9 de mayo de 2012"),
    ("birth_date.told", "मैं 3 मई 1980 को पैदा हुआ था", "birth_date", "3 मई 1980"),
]  # fmt: skip
NEW = {
    name
    for name in RULES
    if name.endswith(
        (
            ".marked",
            ".branch",
            ".paid",
            ".upi",
            ".told",
            ".code",
            ".login",
            "_key",
            "_phrase",
            ".had",
            ".short_name",
            ".coded",
            ".to_reach",
            ".then_called",
            ".with_code",
            ".by_street",
            ".indian_road",
            ".east",
        )
    )
} - {"secret.private_key", "secret.seed_phrase", "secret.other_phrase"}


@pytest.mark.parametrize(("rule", "text", "kind", "value"), TOLD, ids=[f"{row[0]} {row[1]}" for row in TOLD])
def test_found_whole(rule: str, text: str, kind: str, value: str | None):
    found = [item for item in detect(text) if item.type == kind]
    assert found, detect(text)
    assert value is None or value in {text[item.start : item.end] for item in found}
    assert rule in RULES


def test_every_new_rule_has_an_example_that_it_finds():
    for rule in sorted(NEW):
        assert any(rule == row[0] for row in TOLD), rule
    said = {item.rule for _, text, _, _ in TOLD for item in detect(text)}
    assert len(NEW & said) >= len(NEW) - 4  # an earlier rule may find the same span, and stays then


@pytest.mark.parametrize(
    "text",
    [
        "L'adresse IP du serveur est 192.168.1.20",
        "gateway ip 172.16.0.1",
        "IP of the router: 10.0.0.1",
        "USt-IdNr. DE123456789",
        "Registration number 1234567890",
        "The registration number is 1234567890.",
        "Le numéro de dossier est 0142685300",
        "Aktenzeichen 0301234567",
        "I have a ticket for tonight",
        "Diagnosis of the ticket printer took long.",
        "the journal 20231187 of the society",
        "Police said 120000 people came.",
        "policy 2023 was adopted",
        "customer number 88201947 ordered twice",
        "The transfer of 1 234 567 890 euros was approved.",
        "Rechnung 123456789012 wurde überwiesen",
        "The password is wrong.",
        "Das Passwort ist abgelaufen.",
        "La contraseña es obligatoria.",
        "password manager for teams",
        "error code 4812",
        "pin code 110001",
        "token expired after 3600 seconds",
        "People with diabetes should see a doctor.",
        "What is asthma?",
        "Was ist Rheuma?",
        "O que é a hanseníase?",
        "Libraries add what they find.",
        "Der Preis ist höher als gestern.",
        "The number of users grew to 1234567.",
        "Section 12, see page 40",
        "Windows 11 and Office 365",
        "meeting on 12/03/2024 in room 4",
        "the anniversary concert on 5 May 2021 was sold out",
    ],
)
def test_left_alone(text: str):
    assert found(text) == set()


def test_an_address_in_a_network_that_is_somebodys_is_told():
    assert ("ip_address", "192.168.1.20") in found("my ip is 192.168.1.20")
    assert [item.type for item in detect("gateway ip 172.16.0.1")] == ["ip_private"]


def test_the_sentences_of_the_rules_arefound():
    """The sentences that the rules were written with: what of each is marked is seen, all but a few."""
    seen = told = 0
    for line in SENTENCES.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        text, spans, at = "", [], 0
        for match in re.finditer(r"\{[a-z_]+\|([^}]*)\}", line):
            text += line[at : match.start()]
            spans.append((len(text), len(text) + len(match[1])))
            text, at = text + match[1], match.end()
        text += line[at:]
        found = [(item.start, item.end) for item in detect(text) if item.sensitivity != LOW]
        for start, end in spans:
            told += 1
            covered = sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in found)
            seen += covered * 2 > end - start
    assert told > 1_300
    assert seen / told > 0.93
