"""Check digits and encodings that the generator libraries lack, written apart from MACE's own."""

import hashlib

ALPHABET58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def chunks(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def luhn_digit(body: str) -> int:
    total = sum(sum(divmod(int(d) * (2 if i % 2 == 0 else 1), 10)) for i, d in enumerate(reversed(body)))
    return -total % 10


def _times(a: int, b: int) -> int:
    """Multiply in the dihedral group of order ten."""
    if b < 5:
        return (a + b) % 5 if a < 5 else (a - b) % 5 + 5
    return (a + b) % 5 + 5 if a < 5 else (a - b) % 5


def verhoeff_digit(body: str) -> int:
    """Walk the dihedral group of order ten."""
    permuted = [list(range(10)), [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]]
    for _ in range(6):
        permuted.append([permuted[1][value] for value in permuted[-1]])
    check = 0
    for place, digit in enumerate(reversed(body), start=1):
        check = _times(check, permuted[place % 8][int(digit)])
    return next(digit for digit in range(10) if _times(check, digit) == 0)


def base58check(payload: bytes) -> str:
    data = payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, out = int.from_bytes(data), ""
    while number:
        number, rest = divmod(number, 58)
        out = ALPHABET58[rest] + out
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + out


def bech32(prefix: str, program: bytes) -> str:
    bits = "".join(f"{byte:08b}" for byte in program)
    data = [0] + [int(bits[at : at + 5].ljust(5, "0"), 2) for at in range(0, len(bits), 5)]
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    polymod = _polymod([*expanded, *data, 0, 0, 0, 0, 0, 0]) ^ 1
    return prefix + "1" + "".join(BECH32[d] for d in data + [(polymod >> 5 * (5 - i)) & 31 for i in range(6)])


def _polymod(values: list[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for i, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= generator if (top >> i) & 1 else 0
    return check
