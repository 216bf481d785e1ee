"""Addresses of crypto wallets: base58 and bech32 by their checksums, Ethereum by its form.

Pure. Base58 addresses are proved by a double SHA-256, bech32 by its own polynomial, so chains need no cue. Solana
addresses carry no checksum and need one.
"""

import hashlib
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View, run_of

RULES = {
    "wallet.base58": Rule("crypto_wallet", 1),
    "wallet.bech32": Rule("crypto_wallet", 1),
    "wallet.ethereum": Rule("crypto_wallet", 1),
    "wallet.monero": Rule("crypto_wallet", 1),
    "wallet.cued": Rule("crypto_wallet", 1),
}

_CUE = Cue(
    ["wallet*", "solana*", "sol", "crypto*", "phantom"],
    fields=["wallet(?:_?address)?", "solana(?:_?address)?", "crypto_?address"],
)
WORDS = run_of("A-Za-z0-9")
SHORTEST, _LONGEST = 26, 110
_BASE58 = late(r"[13LMDTXr2mn][1-9A-HJ-NP-Za-km-z]{25,34}")
_BECH32 = late(r"(bc|tb|ltc|addr|cosmos|osmo)1([023456789acdefghjklmnpqrstuvwxyz]{20,100})")
_ETHEREUM = late(r"0x[0-9a-fA-F]{40}")
_MONERO = late(r"[48][0-9AB][1-9A-HJ-NP-Za-km-z]{93}")
_SOLANA = late(r"[1-9A-HJ-NP-Za-km-z]{32,44}")

_BITCOIN58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RIPPLE58 = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
_VALUE = {alphabet: {char: value for value, char in enumerate(alphabet)} for alphabet in (_BITCOIN58, _RIPPLE58)}
_BECH32_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def base58check(text: str, alphabet: str = _BITCOIN58) -> bool:
    """Say whether a base58 text is 21 bytes and their checksum."""
    values = _VALUE[alphabet]
    number = 0
    for char in text:
        number = number * 58 + values[char]
    if number.bit_length() > 200:
        return False
    data = number.to_bytes(25)
    return hashlib.sha256(hashlib.sha256(data[:21]).digest()).digest()[:4] == data[21:]


def bech32_checks(prefix: str, data: str) -> bool:
    """Say whether the last six characters are the bech32 or bech32m checksum."""
    expanded = [ord(char) >> 5 for char in prefix] + [0] + [ord(char) & 31 for char in prefix]
    check = 1
    for value in expanded + [_BECH32_ALPHABET.index(char) for char in data]:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            if top >> bit & 1:
                check ^= generator
    return check in (1, 0x2BC830A3)


def find(view: View) -> Iterator[Hit]:
    """Yield the wallet addresses in a view."""
    if not view.has_digit:
        return
    cued = _CUE.names(view.field) or _CUE.in_text(view)
    for start, end in view.runs(WORDS, SHORTEST):
        if end - start > _LONGEST:
            continue
        word = view.text[start:end]
        kind = _kind(word)
        if kind is None and cued and _SOLANA.fullmatch(word) and _drawn(word):
            kind = "cued" if _CUE.near(view, start, end, before=40, after=0) else None
        if kind is not None:
            yield Hit(f"wallet.{kind}", start, end)


def _kind(word: str) -> str | None:
    """Return the name of the rule a word satisfies by itself."""
    if word[0] == "0":
        # 0x000...dead and the like belong to nobody
        return "ethereum" if _ETHEREUM.fullmatch(word) and len(set(word.lower())) > 6 else None
    if _BASE58.fullmatch(word) and (base58check(word) or (word[0] == "r" and base58check(word, _RIPPLE58))):
        return "base58"
    if len(word) == 95 and _MONERO.fullmatch(word):
        return "monero"
    coded = _BECH32.fullmatch(word.lower()) if word[0] in "btlacoBTLACO" else None
    return "bech32" if coded is not None and bech32_checks(coded[1], coded[2]) else None


def _drawn(word: str) -> bool:
    return word != word.lower() and word != word.upper() and any(char.isdigit() for char in word)
