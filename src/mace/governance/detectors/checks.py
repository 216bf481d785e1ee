"""Check digits of national numbers that python-stdnum lacks, or decides by today's date.

Pure, and free of any clock: a number is judged alike on every day, so a replay years later agrees. Each function takes
the compact upper-case form and says whether structure and check digits are right.
"""

import re
from collections.abc import Sequence

from mace.governance.detectors.cards import luhn
from mace.governance.detectors.validators import stdnum_valid

_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_date(year: int, month: int, day: int) -> bool:
    """Say whether a date exists; February has 29 days in years that end in an unknown century."""
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month] and not (month == 2 and day == 29 and year % 4)


def _sum(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _yymmdd(text: str) -> bool:
    return is_date(int(text[:2]), int(text[2:4]), int(text[4:6]))


def belgium(number: str) -> bool:
    """Rijksregisternummer: 97 minus the remainder of the first nine digits, with a 2 before them from 2000 on."""
    body, check = number[:9], int(number[9:])
    month = int(number[2:4]) % 20  # 20 or 40 is added for numbers of people without a known record
    if month > 12 or int(number[4:6]) > 31:
        return False
    return 97 - int(body) % 97 == check or 97 - int("2" + body) % 97 == check


def sweden(number: str) -> bool:
    """Personnummer or samordningsnummer, ten or twelve digits: date (day + 60 for the latter) and Luhn."""
    ten = number[-10:]
    day = int(ten[4:6]) - (60 if int(ten[4:6]) > 60 else 0)
    century = number[:-10]
    return century in ("", "18", "19", "20") and is_date(int(ten[:2]), int(ten[2:4]), day) and luhn(ten)


def norway(number: str) -> bool:
    """Fødselsnummer and D-number: two check digits modulo 11."""
    day, month = int(number[:2]) % 40, int(number[2:4]) % 40
    if not is_date(int(number[4:6]), month % 80, day):
        return False
    first = -_sum(number, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
    second = -_sum(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return number[9:] == f"{first}{second}"


def finland(number: str) -> bool:
    """Henkilötunnus with or without its century sign: date and check character modulo 31."""
    digits = number[:6] + number[-4:-1]
    if not is_date(int(digits[4:6]), int(digits[2:4]), int(digits[:2])):
        return False
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(digits) % 31] == number[-1]


def denmark(number: str) -> bool:
    """CPR number: a date; the old check digit is not required, it ran out in 2007."""
    return is_date(int(number[4:6]), int(number[2:4]), int(number[:2])) and number[6:] != "0000"


def korea(number: str) -> bool:
    """Resident registration number: date, century digit, and the check digit used before October 2020."""
    if not _yymmdd(number) or number[6] not in "0123456789":
        return False
    return (11 - _sum(number, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10 == int(number[12])


def south_africa(number: str) -> bool:
    """Identity number: date, citizenship digit, Luhn."""
    return _yymmdd(number) and number[10] in "012" and luhn(number)


def china(number: str) -> bool:
    """Resident identity card: province, full date, ISO 7064 mod 11-2."""
    if not 11 <= int(number[:2]) <= 91 or not 18 <= int(number[6:8]) <= 20:
        return False
    if not is_date(int(number[6:10]), int(number[10:12]), int(number[12:14])):
        return False
    weights = [2**power % 11 for power in range(17, 0, -1)]
    return "10X98765432"[_sum(number, weights) % 11] == number[17]


def mexico(number: str) -> bool:
    """CURP: date, sex, check digit over weights 18 to 2; state codes are not asked, they have changed."""
    if not _yymmdd(number[4:]) or number[10] not in "HMX":
        return False
    values = ("0123456789ABCDEFGHIJKLMN.OPQRSTUVWXYZ".index(char) for char in number[:17])
    return -sum(value * weight for value, weight in zip(values, range(18, 1, -1), strict=True)) % 10 == int(number[17])


def latvia(number: str) -> bool:
    """Personas kods: date and check digit, or the dateless form that starts with 32."""
    if number[:2] == "32":
        return True
    if not is_date(int(number[4:6]), int(number[2:4]), int(number[:2])):
        return False
    return (1101 - _sum(number, (1, 6, 3, 7, 9, 10, 5, 8, 4, 2))) % 11 % 10 == int(number[10])


def hungary_personal(number: str) -> bool:
    """Személyi szám: sex and century, date, check digit modulo 11 (weights rise, or fall before 1997)."""
    if number[0] not in "12345678" or not _yymmdd(number[1:]):
        return False
    rising = _sum(number, range(1, 11)) % 11
    falling = _sum(number, range(10, 0, -1)) % 11
    return int(number[10]) in (rising, falling)


def hungary_health(number: str) -> bool:
    """TAJ number: weights 3 and 7."""
    return _sum(number, (3, 7) * 4) % 10 == int(number[8])


def hungary_tax(number: str) -> bool:
    """Adóazonosító jel: starts with 8, check digit modulo 11."""
    return number[0] == "8" and _sum(number, range(1, 10)) % 11 == int(number[9])


def russia_pension(number: str) -> bool:
    """SNILS: weights 9 to 1, modulo 101."""
    return _sum(number, range(9, 0, -1)) % 101 % 100 == int(number[9:]) and len(set(number)) > 1


def russia_tax(number: str) -> bool:
    """INN of a person, twelve digits with two check digits."""
    first = _sum(number, (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    second = _sum(number, (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    return number[10:] == f"{first}{second}"


def singapore(number: str) -> bool:
    """NRIC and FIN: weights, offset by the first letter, letter table by series."""
    total = _sum(number[1:8], (2, 7, 6, 5, 4, 3, 2)) + {"T": 4, "G": 4, "M": 3}.get(number[0], 0)
    if number[0] in "ST":
        return "JZIHGFEDCBA"[total % 11] == number[8]
    if number[0] in "FG":
        return "XWUTRQPNMLK"[total % 11] == number[8]
    return "KLJNPQRTUWX"[10 - total % 11] == number[8]


def hong_kong(number: str) -> bool:
    """HKID: one or two letters, six digits, check character in the compact form without parentheses."""
    body = number[:-1].rjust(8)
    values = [36 if char == " " else int(char, 36) for char in body]
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    return "0123456789A"[-total % 11] == number[-1]


def taiwan(number: str) -> bool:
    """National identification number: a letter worth two digits, then weights 8 to 1."""
    value = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(number[0]) + 10
    total = value // 10 + value % 10 * 9 + _sum(number[1:9], range(8, 0, -1)) + int(number[9])
    return number[1] in "1289" and total % 10 == 0


def uruguay(number: str) -> bool:
    """Cédula de identidad: weights 2987634."""
    padded = number.rjust(8, "0")
    return -_sum(padded, (2, 9, 8, 7, 6, 3, 4)) % 10 == int(padded[7])


def kazakhstan(number: str) -> bool:
    """IIN: date, century digit, check digit in two rounds modulo 11."""
    if not _yymmdd(number) or number[6] not in "123456":
        return False
    rest = _sum(number, range(1, 12)) % 11
    if rest == 10:
        rest = _sum(number, (3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2)) % 11
    return rest < 10 and rest == int(number[11])


def luxembourg(number: str) -> bool:
    """Matricule: full date, then a Luhn digit and a Verhoeff digit over the first eleven."""
    if not is_date(int(number[:4]), int(number[4:6]), int(number[6:8])) or not 18 <= int(number[:2]) <= 20:
        return False
    return luhn(number[:12]) and stdnum_valid("verhoeff", number[:11] + number[12])


def sri_lanka(number: str) -> bool:
    """NIC, old (nine digits and V or X) or new (twelve digits): year and day of the year."""
    year, day = (int(number[:4]), int(number[4:7])) if len(number) == 12 else (1900, int(number[2:5]))
    return 1880 <= year <= 2099 and 1 <= (day - 500 if day > 500 else day) <= 366


def britain(number: str) -> bool:
    """National Insurance number: no check digit; D F I Q U V (and O in second place) never begin one."""
    return number[0] not in "DFIQUV" and number[1] not in "DFIQUVO"


def vietnam(number: str) -> bool:
    """Citizen number: province, century and sex, year; no check digit."""
    return 1 <= int(number[:3]) <= 96 and number[3] in "0123"


def germany_pension(number: str) -> bool:
    """Rentenversicherungsnummer: area, birth date, letter, serial, check digit."""
    if not is_date(int(number[6:8]), int(number[4:6]), int(number[2:4]) % 50 or 1):
        return False
    letter = f"{ord(number[8]) - 64:02}"
    products = (
        int(d) * w
        for d, w in zip(number[:8] + letter + number[9:11], (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True)
    )
    return sum(sum(divmod(product, 10)) for product in products) % 10 == int(number[11])


_PLAIN = re.compile("[^A-Za-z0-9]")


def compact(text: str) -> str:
    """Return the letters and digits of a written number, in upper case."""
    return _PLAIN.sub("", text).upper()
