"""Rules of version 3 in Russian, Arabic and the other larger languages: each finds its example whole, and no more."""

import pytest

from detected import found
from mace.governance.detectors import RULES, detect

TOLD = [
    # MAC addresses in forms without six pairs
    ("mac.dotted", "Switch-Port 12 lernte 3c5a.b411.2f9e", "mac_address", "3c5a.b411.2f9e"),
    ("mac.dotted", "learned on Gi0/1: 001a.2b3c.4d5e.", "mac_address", "001a.2b3c.4d5e"),
    ("mac.beside", "switchport 1 0011.2233.4455.", "mac_address", "0011.2233.4455"),
    ("mac.beside", "Das Bluetooth-Gerät F018-983C-7A21 meldet sich", "mac_address", "F018-983C-7A21"),
    ("mac.beside", "Gerät 3C5AB4112F9E im WLAN registriert", "mac_address", "3C5AB4112F9E"),
    ("mac.beside", "mac:3c:5a:b4:11:2f:9e", "mac_address", "3c:5a:b4:11:2f:9e"),
    ("mac.beside", "Client 3c:5a:b4:11:2f:9e: associated", "mac_address", "3c:5a:b4:11:2f:9e"),
    ("mac.beside", "физический адрес 3C5AB4-112F9E", "mac_address", "3C5AB4-112F9E"),
    # tax numbers
    ("national_id.tax", "UTR 12345 67890", "national_id", "12345 67890"),
    ("national_id.tax", "PAN ABCDE1234F", "national_id", "ABCDE1234F"),
    ("national_id.tax", "vergi numaram 1234567890", "national_id", "1234567890"),
    ("national_id.tax", "CUIT 20-12345678-3", "national_id", "20-12345678-3"),
    ("national_id.tax", "الرقم الضريبي 310123456700003", "national_id", "310123456700003"),
    ("national_id.tax", "税号 91110108MA01ABCD3X", "national_id", "91110108MA01ABCD3X"),
    # documents and records
    ("passport.marked", "паспорт серия 4508 номер 123456", "passport", "4508 номер 123456"),
    ("passport.cued", "паспорт 4508 123456", "passport", "4508 123456"),
    ("driver_license.marked", "رخصة القيادة رقم 1234567890", "driver_license", "1234567890"),
    ("driver_license.marked", "В/у 9912345678", "driver_license", "9912345678"),
    ("medical_record.marked", "رقم الملف الطبي: MR-20931", "medical_record", "MR-20931"),
    ("national_id.marked", "رقم الهوية ١٠٢٣٤٥٦٧٨٩", "national_id", "١٠٢٣٤٥٦٧٨٩"),
    ("national_id.marked", "رقمي القومي 29001011234567", "national_id", "29001011234567"),
    # homes
    ("address.russian", "г. Москва, ул. Ленина, д. 15, кв. 42", "postal_address", "г. Москва, ул. Ленина, д. 15, кв. 42"),  # noqa: E501
    ("address.russian", "пер. Садовый, д.3", "postal_address", "пер. Садовый, д.3"),
    ("address.arabic", "أسكن في شارع التحرير رقم 15، القاهرة", "postal_address", "شارع التحرير رقم 15، القاهرة"),
    ("address.arabic", "عنواني: 12 شارع الجامعة، الجيزة", "postal_address", "12 شارع الجامعة، الجيزة"),
    ("address.arabic_box", "ص.ب. 12345، دبي", "postal_address", None),
    # birthdays
    ("birth_date.told", "Пациентка Иванова, 12.03.1985 г.р., обратилась", "birth_date", "12.03.1985"),
    ("birth_date.told", "من مواليد 12/3/1985", "birth_date", "12/3/1985"),
    ("birth_date.told", "ولدت في 12 آذار 1985", "birth_date", "12 آذار 1985"),
    ("birth_date.told", "född 850312", "birth_date", "850312"),
    ("birth_date.told", "data nasc.: 12/03/1985", "birth_date", "12/03/1985"),
    ("birth_date.told", "ur. 12 III 1985", "birth_date", "12 III 1985"),
    ("birth_date.starred", "Anna Müller, *12.03.1985", "birth_date", "12.03.1985"),
    # what opens something
    ("password.opens", "Der Code für die Haustür ist 2580", "password", "2580"),
    ("password.opens", "код от домофона 45К1234", "password", "45К1234"),
    ("password.opens", "код сейфа 19-84-33", "password", "19-84-33"),
    ("password.opens", "كود الباب ١٩٨٤", "password", "١٩٨٤"),
    ("password.code", "رمز التحقق 593021", "password", "593021"),
    ("password.told", "كلمة السر هي noor1985", "password", "noor1985"),
    ("password.one_word", "contraseña: perro", "password", "perro"),
    ("password.one_word", "la password è topolino", "password", "topolino"),
    ("password.one_word", "пароль: солнышко", "password", "солнышко"),
    ("password.one_word", "The password for the portal is bluebird", "password", "bluebird"),
    ("password.backup", "2FA backup codes: 1234-5678, 8765-4321", "password", "1234-5678, 8765-4321"),
    ("password.command", "curl -u admin:letmein99 https://x.y", "password", "letmein99"),
    ("secret.other_phrase", "фраза восстановления: яблоко река камень облако музыка стол", "private_key", "яблоко река камень облако музыка стол"),  # noqa: E501
    # bodies
    ("biometric.led_to", "Шаблон отпечатка пальца: Rk1SACAyMAAAAAEIAAABPAFi", "biometric", "Rk1SACAyMAAAAAEIAAABPAFi"),
    ("biometric.led_to", "قالب بصمة الإصبع: Rk1SACAyMAAAAAEIAAABPAFi", "biometric", "Rk1SACAyMAAAAAEIAAABPAFi"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "kind", "value"), TOLD, ids=[f"{row[0]} {row[1]}" for row in TOLD])
def test_found_whole(rule: str, text: str, kind: str, value: str | None):
    found = [item for item in detect(text) if item.type == kind]
    assert rule in RULES
    assert rule in {item.rule for item in found}, detect(text)
    assert value is None or value in {text[item.start : item.end] for item in found}


@pytest.mark.parametrize(
    "text",
    [
        "commit 3c5ab4112f9e in device driver",
        "UUID 3c5ab411-2f9e-4a11-9c00-0123456789ab of the device",
        "USt-IdNr. DE123456789",
        "VAT number DE123456789",
        "tax of 12345678 euros",
        "tax code 2023-01-15",
        "ein 12345678 langer Text",
        "улица Ленина очень длинная, 15 минут пешком",
        "На улице 15 градусов",
        "شارع طويل في القاهرة",
        "Родился в 1985 году",
        "error code 4812 at the door",
        "exit code 137 in the entry point",
        "the code for the gate class is in module 42",
        "Пароль неверный",
        "Пароль: обязателен",
        "كلمة المرور: مطلوبة",
        "The password for this account is required",
        "The password for this account is incorrect.",
        "password: string",
        "La contraseña es incorrecta",
        "Das Passwort ist falsch",
        "one-time codes (RFC 6238)",
        "Отпечаток браузера не хранится",
    ],
)
def test_left_alone(text: str):
    assert found(text) == set()


@pytest.mark.parametrize("text", [row[1] for row in TOLD if row[0].startswith(("biometric", "mac", "address"))])
def test_earlier_versions_do_not_have_them(text: str):
    """What was decided by earlier rules is replayed by them: no new rule reaches back."""
    rules = {item.rule for item in detect(text, version=2)}
    assert not rules & {"biometric.led_to", "mac.dotted", "mac.beside", "address.russian", "address.arabic"}
