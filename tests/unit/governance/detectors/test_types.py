"""Each type of personal data: rows that are found whole, and rows beside them that are not."""

import pytest

from mace.governance.detectors import HIGH, LOW, MEDIUM, RULES, SENSITIVITY, detect

IBAN = "GB82 WEST 1234 5698 7654 32"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nq0Zf\n-----END RSA PRIVATE KEY-----"
GHP = "ghp_" + "a1B2c3D4e5" * 4
MRZ = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"
VECTOR = "[0.12, -0.33, 0.98, 0.07, -0.51]"
TEMPLATE = "Rk1SACAyMAAAAAFiAAABPAFiAMUAxQEAAAAoNUBd"

SAMPLE = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

FOUND = [
    # what the law protects by name, and what is told to few
    ("Catholic", "religion", "religion", "Catholic"),
    ("Labour", "political_party", "political_view", "Labour"),
    ("UNISON", "union", "union_membership", "UNISON"),
    ("Sami", "ethnic_origin", "ethnic_origin", "Sami"),
    ("I'm gay", None, "sexual_orientation", "gay"),
    ("theft in 2012", "criminal_record", "criminal_record", "theft in 2012"),
    ("AB-", "blood_type", "blood_type", "AB-"),
    ("54,000", "salary", "salary", "54,000"),
    ("Her maiden name is Kowalski.", None, "maiden_name", "Kowalski"),
    ("see https://example.org/a", None, "url", "https://example.org/a"),
    # US numbers
    ("123-45-6789", None, "us_ssn", "123-45-6789"),
    ("123 - 45 - 6789", None, "us_ssn", "123 - 45 - 6789"),
    ("calculate 123-45-6789", None, "us_ssn", "123-45-6789"),
    ("SSN 123456789 ok", None, "us_ssn", "123456789"),
    ("S.S.N. 123456789", None, "us_ssn", "123456789"),
    ("SSN-123-45-6789", None, "us_ssn", "123-45-6789"),
    ("123 45 6789", None, "us_ssn", "123 45 6789"),
    ("123456789", "ssn", "us_ssn", "123456789"),
    ("123456789", "employeeSocialSecurityNumber", "us_ssn", "123456789"),
    ("my social security number is 123.45.6789", None, "us_ssn", "123.45.6789"),
    ("912-71-1234", None, "us_itin", "912-71-1234"),
    ("ITIN 912711234", None, "us_itin", "912711234"),
    # cards
    ("4111111111111111", None, "payment_card", "4111111111111111"),
    ("pay with 4111 1111 1111 1111 12/27 123", None, "payment_card", "4111 1111 1111 1111"),
    ("4111-1111-1111-1111", None, "payment_card", "4111-1111-1111-1111"),
    ("378282246310005", None, "payment_card", "378282246310005"),
    ("3782 822463 10005", None, "payment_card", "3782 822463 10005"),
    ("5555555555554444.", None, "payment_card", "5555555555554444"),
    ("2223003122003222", None, "payment_card", "2223003122003222"),
    ("6011 1111 1111 1117", None, "payment_card", "6011 1111 1111 1117"),
    ("id=4111111111111111 of the card", None, "payment_card", "4111111111111111"),
    ("4111111111111111", "order_id", "payment_card", "4111111111111111"),
    ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", None, "payment_card", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
    ("card 41111 11111 11111 1", None, "payment_card", "41111 11111 11111 1"),
    ("card 4222222222222", None, "payment_card", "4222222222222"),
    # bank
    (IBAN, None, "iban", IBAN),
    ("send it to gb82west12345698765432 today", None, "iban", "gb82west12345698765432"),
    ("NO93 8601 1117 947", None, "iban", "NO93 8601 1117 947"),
    ("account number: 12345678", None, "bank_account", "12345678"),
    ("routing number 021000021", None, "bank_account", "021000021"),
    ("my bank: account 123456789", None, "bank_account", "123456789"),
    ("wire it to a/c 000123456789", None, "bank_account", "000123456789"),
    ("12345678", "bank_account_number", "bank_account", "12345678"),
    ("CLABE 032180000118359719", None, "bank_account", "032180000118359719"),
    # documents
    ("passport number X1234567", None, "passport", "X1234567"),
    ("my passport is 531234567.", None, "passport", "531234567"),
    ("C01X00T47", "passport_no", "passport", "C01X00T47"),
    (MRZ, None, "passport", MRZ),
    ("driver's license D1234567", None, "driver_license", "D1234567"),
    ("DL: A123-4567-8901", None, "driver_license", "A123-4567-8901"),
    # health
    ("MRN 00123456", None, "medical_record", "00123456"),
    ("NHS number 943 476 5919", None, "medical_record", "943 476 5919"),
    ("health insurance number ABC123456789", None, "health_insurance", "ABC123456789"),
    ("Medicare 1EG4-TE5-MK73", None, "health_insurance", "1EG4-TE5-MK73"),
    ("ABC12345", "insurance_id", "health_insurance", "ABC12345"),
    ("MR-00123", "medical_record_number", "medical_record", "MR-00123"),
    ("insurance policy ABC-12345-XY", None, "health_insurance", "ABC-12345-XY"),
    ("type 2 diabetes", "diagnosis", "diagnosis", "type 2 diabetes"),
    ("ICD-10: E11.9", None, "diagnosis", "E11.9"),
    # body
    (f"fingerprint template: {TEMPLATE}", None, "biometric", TEMPLATE),
    (f"face embedding {VECTOR}", None, "biometric", VECTOR),
    (TEMPLATE, "iris_template", "biometric", TEMPLATE),
    (f"fingerprint template: {'3f' * 32}", None, "biometric", "3f" * 32),
    (f"voiceprint: {'3f' * 16}", None, "biometric", "3f" * 16),
    (f"iris code {'3f' * 20}", None, "biometric", "3f" * 20),
    ("3f" * 32, "fingerprint_template", "biometric", "3f" * 32),
    ("DNA: ACGTACGTACGTACGTACGTACGT", None, "biometric", "ACGTACGTACGTACGTACGTACGT"),
    # reach
    ("mail jane.doe+x@example.co.uk now", None, "email", "jane.doe+x@example.co.uk"),
    ("jane [at] example [dot] org", None, "email", "jane [at] example [dot] org"),
    ("jane @ example.org", None, "email", "jane @ example.org"),
    ("https://x.org/?email=jane%40example.org", None, "email", "jane%40example.org"),
    ("jane.doe at example dot com", None, "email", "jane.doe at example dot com"),
    ("пример@почта.рф", None, "email", "пример@почта.рф"),
    ("+44 20 7946 0958", None, "phone", "+44 20 7946 0958"),
    ("(415) 555-2671", None, "phone", "(415) 555-2671"),
    ("415.555.2671", None, "phone", "415.555.2671"),
    ("020 7946 0958", None, "phone", "020 7946 0958"),
    ("call me at 4155552671", None, "phone", "4155552671"),
    ("4155552671", "mobile", "phone", "4155552671"),
    ("555 0123 is wrong, 415 555 0123 is my cell", None, "phone", "415 555 0123"),
    (
        "742 Evergreen Terrace, Springfield, IL 62704",
        None,
        "postal_address",
        "742 Evergreen Terrace, Springfield, IL 62704",
    ),
    ("10 Main St NW, Atlanta, GA 30303", None, "postal_address", "10 Main St NW, Atlanta, GA 30303"),
    ("1 Ohio Drive SW, Washington, DC 20024", None, "postal_address", "1 Ohio Drive SW, Washington, DC 20024"),
    ("10 Downing Street, London SW1A 2AA", None, "postal_address", "10 Downing Street, London SW1A 2AA"),
    ("Lange Straße 5, 10115 Berlin", None, "postal_address", "Lange Straße 5, 10115 Berlin"),
    ("12 bis rue de la Paix, 75002 Paris", None, "postal_address", "12 bis rue de la Paix, 75002 Paris"),
    ("Via Roma 10, 00184 Roma", None, "postal_address", "Via Roma 10, 00184 Roma"),
    ("i live at 12 main street", None, "postal_address", "12 main street"),
    ("12 Main Street", "home_address", "postal_address", "12 Main Street"),
    # birth, machines, wallets
    ("born on March 14, 1979", None, "birth_date", "March 14, 1979"),
    ("DOB: 1979-03-14", None, "birth_date", "1979-03-14"),
    ("14.03.1979", "geburtsdatum", "birth_date", "14.03.1979"),
    ("client 203.0.113.7 gone", None, "ip_address", "203.0.113.7"),
    ("my ip is 192.168.1.10", None, "ip_address", "192.168.1.10"),
    ("2001:db8:85a3::8a2e:370:7334", None, "ip_address", "2001:db8:85a3::8a2e:370:7334"),
    ("00:1A:2B:3C:4D:5E", None, "mac_address", "00:1A:2B:3C:4D:5E"),
    ("00-1A-2B-3C-4D-5E", None, "mac_address", "00-1A-2B-3C-4D-5E"),
    ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", None, "crypto_wallet", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
    ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", None, "crypto_wallet", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
    ("0x52908400098527886E0F7030069857D2E4169EE7", None, "crypto_wallet", "0x52908400098527886E0F7030069857D2E4169EE7"),
    # secrets
    (PEM, None, "private_key", PEM),
    (f"Authorization: Bearer {JWT}", None, "access_token", JWT),
    ("AKIAIOSFODNN7EXAMPLE", None, "access_token", "AKIAIOSFODNN7EXAMPLE"),
    (f"token {GHP}", None, "access_token", GHP),
    ('api_key = "f3a9c27be11d40d8a6b2"', None, "access_token", "f3a9c27be11d40d8a6b2"),
    ("f3a9c27be11d40d8a6b2", "client_secret", "access_token", "f3a9c27be11d40d8a6b2"),
    (f"aws_secret_access_key = {SAMPLE}", None, "access_token", SAMPLE),
    ("my password is hunter2", None, "password", "hunter2"),
    ("my password is correcthorse", None, "password", "correcthorse"),
    ('"password": "Tr0ub4dor&3"', None, "password", "Tr0ub4dor&3"),
    ("pwd: 4IQ{T2>ro'x, thanks", None, "password", "4IQ{T2>ro'x"),
    ("<b>password: s3cr3t!</b>", None, "password", "s3cr3t!"),
    ("swordfish", "password", "password", "swordfish"),
    ("postgres://app:s3cr3t@db/app", None, "password", "s3cr3t"),
    ("my pin is 4921", None, "password", "4921"),
    # low
    ("git@github.com:org/repo.git", None, "email_role", "git@github.com"),
    ("listening on 127.0.0.1", None, "ip_private", "127.0.0.1"),
    ("my birthday is March 14", None, "birth_day", "March 14"),
    ("my name is Ann", None, "first_name", "Ann"),
    ("chess", "hobby", "interest", "chess"),
]

LEVELS = {
    HIGH: {
        "us_ssn",
        "us_itin",
        "national_id",
        "passport",
        "driver_license",
        "payment_card",
        "iban",
        "bank_account",
        "medical_record",
        "health_insurance",
        "diagnosis",
        "biometric",
        "private_key",
        "access_token",
        "password",
    },
    MEDIUM: {
        "phone",
        "postal_address",
        "email",
        "birth_date",
        "ip_address",
        "mac_address",
        "crypto_wallet",
        "religion",
        "political_view",
        "union_membership",
        "ethnic_origin",
        "sexual_orientation",
        "criminal_record",
        "blood_type",
        "salary",
        "maiden_name",
    },
    LOW: {"url", "email_role", "ip_private", "birth_day", "first_name", "interest"},
}


@pytest.mark.parametrize(("text", "field", "kind", "value"), FOUND)
def test_it_is_found_whole_with_its_level_rule_and_version(text: str, field: str | None, kind: str, value: str):
    found = [finding for finding in detect(text, field) if finding.type == kind]
    assert [text[finding.start : finding.end] for finding in found] == [value]
    for finding in found:
        assert finding.sensitivity == SENSITIVITY[kind]
        assert (RULES[finding.rule].type, RULES[finding.rule].version) == (kind, finding.version)


@pytest.mark.parametrize(
    ("text", "field", "kind"),
    [
        ("000-45-6789", None, "us_ssn"),
        ("666-45-6789", None, "us_ssn"),
        ("123-00-6789", None, "us_ssn"),
        ("123-45-0000", None, "us_ssn"),
        ("123-45-67890", None, "us_ssn"),
        ("1123-45-6789", None, "us_ssn"),
        ("123456789", None, "us_ssn"),
        ("123.45.6789 units", None, "us_ssn"),
        ("912-69-1234", None, "us_itin"),
        ("4111111111111112", None, "payment_card"),
        ("1111111111111111", None, "payment_card"),
        ("trace_id=4111111111111111", None, "payment_card"),
        ("4111 1111 1111 1111 1111 1111 1111 1111", None, "payment_card"),
        ("GB82 WEST 1234 5698 7654 33", None, "iban"),
        ("XX82 WEST 1234 5698 7654 32", None, "iban"),
        ("account number is required", None, "bank_account"),
        ("user account 12345678 was created", None, "bank_account"),
        ("routing number 021000022", None, "bank_account"),
        ("my passport expires soon", None, "passport"),
        ("X1234567", None, "passport"),
        ("merge dl/t0000-cleanup", None, "driver_license"),
        ("NHS number 943 476 5918", None, "medical_record.nhs"),
        ("E11.9", None, "diagnosis"),
        ("none", "diagnosis", "diagnosis"),
        ("fingerprint SHA256:" + "ab" * 32, None, "biometric"),
        ("ab" * 32, "fingerprint", "biometric"),
        ("user@localhost", None, "email"),
        ("lodash@4.17.21", None, "email"),
        ("getty@tty1.service", None, "email"),
        ("415 555 2671 9999 1234", None, "phone"),
        ("4155552671", None, "phone"),
        ("2024-05-01 12:33", None, "phone"),
        ("05/11/2023 14:22", None, "phone"),
        ("+1234567", None, "phone"),
        ("12 Error Handlers, see Chapter 5", None, "postal_address"),
        ("SW1A 2AA", None, "postal_address"),
        ("a@b.co", "email_address", "postal_address"),
        ("0x7ffd0001", "memory_address", "postal_address"),
        ("March 14, 1979", None, "birth_date"),
        ("Newton was born on 4 January 1643", None, "birth_date"),
        ("version 1.2.3.4", None, "ip_address"),
        ("fixed in 1.5.4.1", None, "ip_address"),
        ("999.1.1.1", None, "ip_address"),
        ("std::vector", None, "ip_address"),
        ("12:33:44", None, "ip_address"),
        ("00:00:00:00:00:00", None, "mac_address"),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", None, "crypto_wallet"),
        ("0x" + "0" * 40, None, "crypto_wallet"),
        ("-----BEGIN PUBLIC KEY-----", None, "private_key"),
        ("the token is invalid", None, "access_token"),
        ("api_key = os.environ['KEY']", None, "access_token"),
        ("token: YOUR_API_KEY_HERE_1234", None, "access_token"),
        ("token: example-token-1234-example-token-5678", None, "access_token"),
        ("the password is required", None, "password"),
        ("password = get_secret()", None, "password"),
        ("the password is wrong", None, "password"),
        ("http://user:password@host/", None, "password"),
        ("max_tokens", "max_tokens", "access_token"),
        ("12", "password_length", "password"),
    ],
)
def test_its_neighbour_is_not(text: str, field: str | None, kind: str):
    assert kind not in {finding.type for finding in detect(text, field)} | {
        finding.rule for finding in detect(text, field)
    }


def test_the_levels_are_those_of_the_policy():
    assert {level: {kind for kind, of in SENSITIVITY.items() if of == level} for level in LEVELS} == LEVELS
    assert {rule.type for rule in RULES.values()} == set(SENSITIVITY)


def test_every_type_has_a_row():
    assert {kind for _, _, kind, _ in FOUND} | {"national_id"} == set(SENSITIVITY)
