"""Values for the slots of the templates, from generator libraries that know nothing of MACE's rules.

Faker serves the open half; mimesis serves the held-out half wherever it has a provider, Faker with other seeds the
rest. What neither library makes (wallets, tokens, keys, record numbers) is drawn from a seeded generator here.
"""

import base64
import hashlib
import json
import random
import string
from collections.abc import Callable
from functools import cache

from digits import base58check, bech32, chunks, luhn_digit, verhoeff_digit
from faker import Faker
from mimesis import Address, Code, Internet, Payment, Person
from mimesis.enums import CardType
from mimesis.locales import Locale

ID_LOCALES = {
    "br": "pt_BR",
    "de": "de_DE",
    "pl": "pl_PL",
    "it": "it_IT",
    "fr": "fr_FR",
    "nl": "nl_NL",
    "se": "sv_SE",
    "fi": "fi_FI",
    "no": "no_NO",
    "gb": "en_GB",
    "cn": "zh_CN",
    "kr": "ko_KR",
    "es": "es_ES",
    "cl": "es_CL",
    "ch": "de_CH",
    "ca": "en_CA",
    "ro": "ro_RO",
    "tr": "tr_TR",
    "be": "nl_BE",
    "ee": "et_EE",
    "hr": "hr_HR",
    "lt": "lt_LT",
    "cz": "cs_CZ",
    "bg": "bg_BG",
    "gr": "el_GR",
    "il": "he_IL",
    "th": "th_TH",
}

DISEASES = {
    "open": [
        "type 2 diabetes",
        "breast cancer",
        "asthma",
        "HIV",
        "bipolar disorder",
        "multiple sclerosis",
        "hepatitis C",
        "Parkinson's disease",
        "epilepsy",
        "depression",
    ],
    "held": [
        "lung cancer",
        "schizophrenia",
        "rheumatoid arthritis",
        "Crohn's disease",
        "leukemia",
        "tuberculosis",
        "Alzheimer's disease",
        "lupus",
        "chronic kidney disease",
        "PTSD",
        "endometriosis",
    ],
}
ICD = {
    "open": ["E11.9", "C50.911", "J45.909", "B20", "F31.9", "G35", "B18.2", "G20", "G40.909", "F32.9"],
    "held": ["C34.90", "F20.9", "M06.9", "K50.90", "C95.90", "A15.0", "G30.9", "M32.9", "N18.4", "F43.10"],
}


@cache
def faker(locale: str) -> Faker:
    return Faker(locale)


class Values:
    """One half's values; the same seed gives the same values."""

    def __init__(self, half: str, seed: int) -> None:
        self.half = half
        self.rng = random.Random(seed)
        self.held = half == "held"
        self.person = Person(Locale.EN, seed=seed)
        self.internet = Internet(seed=seed)
        self.payment = Payment(seed=seed)
        self.address = Address(Locale.EN, seed=seed)
        self.code = Code(seed=seed)

    def fake(self, locale: str = "en_US") -> Faker:
        instance = faker(locale)
        instance.seed_instance(self.rng.getrandbits(32))
        return instance

    def pick(self, pattern: str) -> str:
        """`#` a digit, `%` a digit but 0, `?` an upper-case letter, `*` either."""
        draw: dict[str, Callable[[], str]] = {
            "#": lambda: self.rng.choice(string.digits),
            "%": lambda: self.rng.choice("123456789"),
            "?": lambda: self.rng.choice(string.ascii_uppercase),
            "*": lambda: self.rng.choice(string.digits + string.ascii_uppercase),
        }
        return "".join(draw[char]() if char in draw else char for char in pattern)

    def __call__(self, slot: str) -> str:
        name, _, variant = slot.partition(".")
        return str(getattr(self, name.lstrip("_"))(variant))

    # identity
    def us_ssn(self, variant: str) -> str:
        ssn = self.fake().ssn()
        return {"plain": ssn.replace("-", ""), "spaced": ssn.replace("-", " ")}.get(variant, ssn)

    def us_itin(self, _: str) -> str:
        return self.fake().itin()

    def national_id(self, variant: str) -> str:
        fake = self.fake(ID_LOCALES.get(variant.split("_")[0], "en_US"))
        special: dict[str, Callable[[], str]] = {
            "br": lambda: fake.cpf(),
            "br_plain": lambda: fake.cpf().replace(".", "").replace("-", ""),
            "in": lambda: self._aadhaar(),
            "in_spaced": lambda: " ".join(chunks(self._aadhaar(), 4)),
            "es": lambda: fake.nif(),
            "mx": lambda: self.fake("es_MX").curp(),
            "za": lambda: self._south_african(),
            "de": lambda: self._german(),
            "cz": lambda: self._czech(),
            "bg": lambda: self._egn(),
            "kr": lambda: self._korean(),
            "cl": lambda: self._rut(),
            "lt": lambda: self._lithuanian(),
        }
        return special[variant]() if variant in special else fake.ssn()

    def _birth(self) -> tuple[int, int, int]:
        return self.rng.randint(1940, 1999), self.rng.randint(1, 12), self.rng.randint(1, 28)

    def _south_african(self) -> str:
        year, month, day = self._birth()
        body = f"{year % 100:02}{month:02}{day:02}{self.rng.randint(0, 9999):04}08"
        return body + str(luhn_digit(body))

    def _aadhaar(self) -> str:
        """Faker's own numbers do not pass the Verhoeff check that real ones have."""
        body = self.pick("%").replace("1", "2") + self.pick("##########")
        return body + str(verhoeff_digit(body))

    def _german(self) -> str:
        while True:  # one digit of the first ten occurs twice, the others once
            digits = self.rng.sample("0123456789", 9)
            digits.insert(self.rng.randint(2, 9), digits[0])
            if digits[0] != "0" and len(set(digits)) == 9:
                break
        product = 10
        for digit in digits:
            total = (int(digit) + product) % 10 or 10
            product = total * 2 % 11
        return "".join(digits) + str((11 - product) % 10)

    def _czech(self) -> str:
        while True:
            year, month, day = self._birth()
            body = f"{year % 100:02}{month + self.rng.choice([0, 50]):02}{day:02}{self.rng.randint(0, 999):03}"
            if year >= 1954 and int(body) % 11 < 10:
                return f"{body[:6]}/{body[6:]}{int(body) % 11}"

    def _egn(self) -> str:
        year, month, day = self._birth()
        body = f"{year % 100:02}{month:02}{day:02}{self.rng.randint(0, 999):03}"
        total = sum(int(d) * w for d, w in zip(body, (2, 4, 8, 5, 10, 9, 7, 3, 6), strict=True))
        return body + str(total % 11 % 10)

    def _korean(self) -> str:
        year, month, day = self._birth()
        place = f"{self.rng.choice('12')}{self.rng.randint(0, 9):02}{self.rng.randint(100, 999)}"
        body = f"{year % 100:02}{month:02}{day:02}{place}"
        total = sum(int(d) * w for d, w in zip(body, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5), strict=True))
        return f"{body[:6]}-{body[6:]}{(11 - total % 11) % 10}"

    def _rut(self) -> str:
        body = self.rng.randint(4_000_000, 24_000_000)
        total = sum(int(d) * w for d, w in zip(reversed(str(body)), (2, 3, 4, 5, 6, 7, 2, 3), strict=False))
        check = "0123456789K"[(11 - total % 11) % 11]
        return f"{body:,}".replace(",", ".") + f"-{check}"

    def _lithuanian(self) -> str:
        year, month, day = self._birth()
        body = f"{self.rng.choice('34')}{year % 100:02}{month:02}{day:02}{self.rng.randint(0, 999):03}"
        for weights in ((1, 2, 3, 4, 5, 6, 7, 8, 9, 1), (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)):
            rest = sum(int(d) * w for d, w in zip(body, weights, strict=True)) % 11
            if rest < 10:
                return body + str(rest)
        return body + "0"

    def passport(self, variant: str) -> str:
        return self.pick("??#######") if variant == "alnum" else self.fake().passport_number()

    def driver_license(self, variant: str) -> str:
        return self.pick("?####-#####-#####") if variant == "alnum" else self.pick("?#######")

    # money
    def payment_card(self, variant: str) -> str:
        if variant == "amex":
            digits = self.fake().credit_card_number("amex")
            return digits if self.rng.random() < 0.5 else f"{digits[:4]} {digits[4:10]} {digits[10:]}"
        if self.held:
            kind = self.rng.choice([CardType.VISA, CardType.MASTER_CARD])
            digits = self.payment.credit_card_number(kind).replace(" ", "")
        else:
            digits = self.fake().credit_card_number(self.rng.choice(["visa16", "mastercard", "discover", "jcb16"]))
        return {"grouped": " ".join(chunks(digits, 4)), "dashed": "-".join(chunks(digits, 4))}.get(variant, digits)

    def iban(self, variant: str) -> str:
        places = ["en_GB", "de_DE", "fr_FR", "it_IT", "nl_NL", "es_ES", "pl_PL", "de_AT", "de_CH", "fi_FI", "sv_SE"]
        number = self.fake(self.rng.choice(places)).iban()
        return " ".join(chunks(number, 4)) if variant == "grouped" else number

    def bank_account(self, variant: str) -> str:
        if variant == "routing":
            return self.fake().aba()
        return self.pick("%#######") if variant == "uk" else self.pick("%#########")

    def bic(self, _: str) -> str:
        return self.fake().swift8()

    def sortcode(self, _: str) -> str:
        return self.pick("##-##-##")

    # reach
    def email(self, _: str) -> str:
        return self.person.email() if self.held else self.fake().email()

    def phone(self, variant: str) -> str:
        us = f"{self._area()}-{self.rng.randint(200, 998)}-{self.rng.randint(0, 9999):04}"
        if variant == "us":
            return us if self.rng.random() < 0.6 else us.replace("-", self.rng.choice([".", " "]))
        if variant == "us_paren":
            return f"({us[:3]}) {us[4:]}"
        if variant == "de":
            return self.rng.choice(["0151 ", "0170-", "0176 ", "030 ", "089/"]) + self.pick("%#######")
        if variant == "fr":
            return self.rng.choice(["06", "07", "01", "04"]) + self.pick(" %# ## ## ##")
        if variant == "gb":
            return self.rng.choice(["07700 900", "07911 123", "020 7946 0", "0161 496 0"]) + self.pick("###")
        if self.held:
            return self.person.phone_number(mask="+1-" + us) if self.rng.random() < 0.4 else self._intl()
        return self._intl()

    def _area(self) -> int:
        return self.rng.choice([212, 415, 310, 312, 617, 206, 303, 404, 512, 702, 713, 718, 805, 917, 949])

    def _intl(self) -> str:
        return self.rng.choice(
            [
                f"+1 {self._area()} 555 0{self.rng.randint(100, 199)}",
                "+44 7700 900" + self.pick("###"),
                "+49 151 " + self.pick("%#######"),
                "+33 6 " + self.pick("%# ## ## ##"),
                "+34 6" + self.pick("## ### ###"),
                "+39 347 " + self.pick("%######"),
                "+55 11 9" + self.pick("%###-####"),
                "+91 98" + self.pick("### #####"),
                "+81 90-" + self.pick("%###-####"),
                "+61 4" + self.pick("%# ### ###"),
                "+48 601 " + self.pick("### ###"),
                "+46 70 " + self.pick("%## ## ##"),
                "+31 6 " + self.pick("%### ####"),
                "+86 138 " + self.pick("%### ####"),
            ]
        )

    def postal_address(self, variant: str) -> str:
        if variant == "us" and self.held:
            state = self.address.state(abbr=True)
            return f"{self.address.address()}, {self.address.city()}, {state} {self.address.zip_code()}"
        if variant == "us":
            while (text := self.fake().address()).startswith(("PSC", "USNS", "USS", "USNV", "Unit", "USCGC")):
                continue
            return text.replace("\n", ", ") if self.rng.random() < 0.5 else text
        locale = {"de": "de_DE", "gb": "en_GB", "fr": "fr_FR"}[variant]
        return self.fake(locale).address().replace("\n", ", ")

    def birth_date(self, variant: str) -> str:
        form = {"iso": "%Y-%m-%d", "long": "%B %d, %Y", "us": "%m/%d/%Y", "de": "%d.%m.%Y"}[variant]
        return self.fake().date_of_birth(minimum_age=18, maximum_age=90).strftime(form)

    def ip_address(self, variant: str) -> str:
        return self.fake().ipv6() if variant == "v6" else self.fake().ipv4_public()

    def mac_address(self, _: str) -> str:
        return (
            self.internet.mac_address()
            if self.held and hasattr(self.internet, "mac_address")
            else self.fake().mac_address()
        )

    def crypto_wallet(self, variant: str) -> str:
        if variant == "eth":
            return "0x" + "".join(self.rng.choice("0123456789abcdef") for _ in range(40))
        payload = self.rng.randbytes(20)
        return base58check(b"\0" + payload) if variant == "btc" else bech32("bc", payload)

    # health and body
    def diagnosis(self, variant: str) -> str:
        return self.rng.choice((ICD if variant == "icd" else DISEASES)[self.half])

    def medical_record(self, variant: str) -> str:
        return (
            self.pick("%#######")
            if variant == "num"
            else self.pick("??######")
            if self.rng.random() < 0.5
            else self.pick("%######")
        )

    def health_insurance(self, _: str) -> str:
        return self.rng.choice([self.pick("???#########"), self.pick("?#########"), self.pick("%#########")])

    def biometric(self, variant: str) -> str:
        if variant == "vector":
            return "[" + ", ".join(f"{self.rng.uniform(-1, 1):.4f}" for _ in range(16)) + "]"
        return base64.b64encode(self.rng.randbytes(72)).decode()

    # secrets
    def password(self, variant: str) -> str:
        if variant == "url":
            return "".join(self.rng.choice(string.ascii_letters + string.digits) for _ in range(12))
        return self.person.password(length=12) if self.held else self.fake().password(length=12)

    def access_token(self, variant: str) -> str:
        word = lambda size: "".join(self.rng.choice(string.ascii_letters + string.digits) for _ in range(size))
        if variant == "aws":
            return "AKIA" + "".join(self.rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(16))
        if variant == "github":
            return "ghp_" + word(36)
        if variant == "jwt":
            parts = [json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps({"sub": word(10), "iat": 1700000000})]
            coded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
            return ".".join([*coded, word(43)])
        return word(32)

    def private_key(self, _: str) -> str:
        body = "\n".join(chunks(base64.b64encode(self.rng.randbytes(384)).decode(), 64))
        return f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"

    # noise
    def full_name(self, _: str) -> str:
        return self.person.full_name() if self.held else self.fake().name()

    def year(self, _: str) -> str:
        return str(self.rng.randint(1950, 2024))

    def date(self, _: str) -> str:
        return self.fake().date_object().strftime(self.rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %B %Y"]))

    def zip(self, _: str) -> str:
        return self.pick("#####")

    def order(self, _: str) -> str:
        return self.pick(self.rng.choice(["%#######", "%#####", "%###########", "%#########"]))

    def tracking(self, _: str) -> str:
        return self.rng.choice([self.pick("1Z******%#########"), self.pick("%###########"), self.pick("??#########??")])

    def version(self, _: str) -> str:
        return ".".join(str(self.rng.randint(0, 40)) for _ in range(self.rng.choice([2, 3, 4])))

    def uuid(self, _: str) -> str:
        return str(self.fake().uuid4())

    def sha(self, _: str) -> str:
        return hashlib.sha256(self.rng.randbytes(8)).hexdigest()

    def isbn(self, _: str) -> str:
        return self.code.isbn() if self.held else self.fake().isbn13()

    def timestamp(self, _: str) -> str:
        return self.fake().date_time().isoformat() + self.rng.choice(["Z", "", ".123456+00:00"])

    def ref(self, _: str) -> str:
        return self.pick(self.rng.choice(["RF-####-####", "INV########", "???-#####"]))
