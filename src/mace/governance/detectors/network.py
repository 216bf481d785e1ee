"""Addresses of machines that lead to people: IP and MAC.

Pure. Private, loopback and link-local addresses name a place in some network, not a person: they are low unless the
text calls them an IP address. Four numbers after a word for a version are a version.
"""

import ipaddress
import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "ip.v4": Rule("ip_address", 1),
    "ip.v6": Rule("ip_address", 1),
    "ip.private": Rule("ip_private", 1),
    "mac.address": Rule("mac_address", 1),
}

_IP_CUE = Cue(
    ["ip", "ips", "ipv4", "ipv6", "ip address*", "ip-adresse*", "adresse ip", "direccion ip"],
    fields=["ip", "ipv4", "ipv6", "ip_?addr(?:ess)?"],
)
_MAC_CUE = Cue(["mac", "hardware address*", "ethernet", "bssid", "wlan"], fields=["mac", "mac_?addr(?:ess)?", "bssid"])

# Each search starts at a literal sign, which is far quicker than at any digit; the match is then widened to the left.
_V4_DOTS = late(r"\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?![\w]|\.[0-9A-Za-z]|-[0-9A-Za-z])")
_V4_FIRST = late(r"(?<![\w.])(?<![A-Za-z0-9_][/\-])[0-9]{1,3}$")
_COLONS = late(r":[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:")
_DASHES = late(r"-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}(?![\w\-])")
_PAIR_BEFORE = late(r"(?<![\w:\-])[0-9A-Fa-f]{2}$")
_HEX_BEFORE = late(r"(?<![\w:.])[0-9A-Fa-f]{1,4}$")
_V4_ODD = late(
    r"(?<![\w.])[0-9]{1,3}(?:\s?(?:[\[({]\s?(?:\.|dot)\s?[\])}]|[.,_|])\s?[0-9]{1,3}){3}(?![\w]|\.[0-9])", re.I
)
_VERSION_BEFORE = late(
    r"(?:\bv|\bver|version|release|build|firmware|revision|rev|==|>=|<=|~=|section|chapter|oid|"
    r"schema)[\s:.=\"']{0,3}$",
    re.I,
)
_V6_FULL = late(r"(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?![\w:])")
_NET_BEFORE = late(
    r"(?:from|host|client|addr|address|server|to|at|by|via|ping|peer|remote|source|src|"
    r"dst|login|visitor|user)\W{0,3}$|://$|[@\[=]$",
    re.I,
)
_NET_AFTER = late(r":[0-9]{2,5}\b|/[0-9]{1,2}\b|\s-\s")
_V6_PART = late(r"[0-9A-Fa-f:]{2,45}(?:\.[0-9.]{3,12})?")
_MAC = late(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}(?![\w:])")
_MAC_CISCO = late(r"(?<![\w.])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])")
_MAC_ODD = late(r"(?<![\w:\-])[0-9A-Fa-f]{2}(?:[\s:.\-_]{0,2}[0-9A-Fa-f]{2}){5}(?![\w:])")


def find(view: View) -> Iterator[Hit]:
    """Yield the IP and MAC addresses in a view."""
    text = view.text
    if view.has_digit and "." in text:
        for match in _V4_DOTS.finditer(text):
            first = _V4_FIRST.search(text[max(0, match.start() - 5) : match.start()])
            if first is not None:
                start = match.start() - len(first.group())
                if (rule := _v4_rule(view, start, match.end())) is not None:
                    yield Hit(rule, start, match.end())
    if ":" in text:
        yield from _colons(view)
        yield from _v6(view)
    for start, end in _IP_CUE.windows(view, behind=0, ahead=24) if view.has_digit else ():
        for match in _V4_ODD.finditer(text, start, min(len(text), end + 32)):
            octets = re.findall("[0-9]+", match.group())
            if all(int(octet) <= 255 for octet in octets) and octets[0] != "0":
                if view.version >= 3 and _is_private(octets) and not _of_somebody(view, match.start()):
                    continue
                yield Hit("ip.v4", *match.span())
    yield from _mac(view)


def _v4_rule(view: View, start: int, end: int) -> str | None:
    octets = [int(octet) for octet in view.text[start:end].split(".")]
    if max(octets) > 255 or (octets[0] == 0 and any(octets)):
        return None
    if _VERSION_BEFORE.search(view.text[max(0, start - 14) : start]):
        return None
    if view.version >= 2 and _is_version(view, octets, start, end):
        return "ip.private"
    plain = _plain_v4(octets)
    if plain or _like_version(view.text, octets, start, end, view.version):
        if view.version >= 3 and plain and not _of_somebody(view, start):
            return "ip.private"
        reach = 64 if view.version >= 2 else 20
        return "ip.v4" if _IP_CUE.near(view, start, end, before=reach, after=reach - 20) else "ip.private"
    return "ip.v4"


def _is_private(octets: list[str]) -> bool:
    return _plain_v4([int(octet) for octet in octets])


def _of_somebody(view: View, start: int) -> bool:
    """Say whether a person is named right before an address: a place in some network is then theirs."""
    return _SOMEBODY.search(view.lower, max(0, start - 40), start) is not None


_SOMEBODY = late(
    r"\b(?:my|mine|his|her|their|user|user's|customer|visitor|patient|employee|mein\w{0,2}|nutzer\w*|benutzer\w*|"
    r"kunde\w*|mon|ma|utilisateur\w*|client|mi|usuari[oa]|cliente|mio|mia|utente|meu|minha|mijn|gebruiker\w*|"
    r"moj\w{0,3}|uzytkownik\w*|min|mitt|anvandare\w*|benim|kullanıcı\w*)\b|私|我|用户|사용자|제 |मेरा|मेरे"
)


def _is_version(view: View, octets: list[int], start: int, end: int) -> bool:
    """Say whether four numbers are a release: a word for one stands before them, and none for an address.

    Words that speak of addresses as well (`updated`, `installed from`) count only for low first numbers.
    """
    before = view.lower[max(0, start - 48) : start].rpartition("\n")[2]
    if _IP_CUE.near(view, start, end, before=48, after=16) or _NET_WORD.search(before) is not None:
        return False
    return _RELEASE.search(before) is not None or (octets[0] < 64 and _CHANGE.search(before) is not None)


_RELEASE = late(
    r"\b(?:version|versions|ver|versione|versao|versión|wersj\w+|release[sd]?|build|"
    r"builds|firmware|driver|drivers|bios|uefi|sdk|changelog|"
    r"assembly|dll|semver|tag|tags|oid|schema|kernel|chrome|chromium|edge|office|exchange|treiber)\b"
)
_CHANGE = late(
    r"\b(?:upgrade[sd]?|upgrading|update[sd]?|updating|downgrade[sd]?|patch(?:ed)?|"
    r"bump(?:ed|s)?|package|packages|runtime|plugin|library|"
    r"install(?:ed|s)?|requires?|depends?|dependency|aktualisiert|module|release)\b"
)
_NET_WORD = late(
    r"\b(?:ip|host|client|addr|address|server|ping|peer|remote|login|logged|visitor|user|"
    r"proxy|dns|gateway|connect\w*|request\w*)\b"
)


def _like_version(text: str, octets: list[int], start: int, end: int, version: int = 1) -> bool:
    """Say whether four small numbers stand where no address is spoken of: releases and sections look like that."""
    if max(octets) >= 50 or (version >= 2 and octets[0] > 12):
        return False
    return _NET_BEFORE.search(text[max(0, start - 16) : start]) is None and _NET_AFTER.match(text, end) is None


def _plain_v4(octets: list[int]) -> bool:
    """Say whether an address names nobody: loopback, private, link-local, multicast, none at all, a mask."""
    first, second = octets[0], octets[1]
    return (
        first in (10, 127)
        or first >= 224
        or (first == 172 and 16 <= second < 32)
        or (first, second) in ((192, 168), (169, 254))
        or (first == 100 and 64 <= second < 128)
        or not any(octets)
    )


def _plain_v6(address: ipaddress.IPv6Address) -> bool:
    """The same of the longer ones."""
    if address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified:
        return True
    return address in _PRIVATE


_PRIVATE = ipaddress.ip_network("fc00::/7")


def _colons(view: View) -> Iterator[Hit]:
    """Yield what is written in groups joined by single colons: six pairs are a MAC address, eight groups an IPv6."""
    text = view.text
    for match in _COLONS.finditer(text):
        first = _HEX_BEFORE.search(text[max(0, match.start() - 5) : match.start()])
        if first is None:
            continue
        start = match.start() - len(first.group())
        if (mac := _MAC.match(text, start)) is not None and _is_mac(mac.group()):
            yield Hit("mac.address", *mac.span())
        elif (full := _V6_FULL.match(text, start)) is not None:
            yield from _v6_hit(view, *full.span(), least_groups=8)


def _v6(view: View) -> Iterator[Hit]:
    text = view.text
    at = text.find("::")
    while at >= 0:
        start = at
        while start > 0 and at - start < 40 and text[start - 1] in "0123456789abcdefABCDEF:":
            start -= 1
        match = _V6_PART.match(text, start)
        end = match.end() if match else at + 2
        outside = (text[start - 1 : start], text[end : end + 1])
        if match is not None and not any(char.isalnum() or char in "_:" for char in outside if char):
            yield from _v6_hit(view, start, end, least_groups=3)
        at = text.find("::", max(end, at + 2))


def _v6_hit(view: View, start: int, end: int, least_groups: int) -> Iterator[Hit]:
    written = view.text[start:end].rstrip(".")
    groups = [group for group in written.split(":") if group]
    cued = _IP_CUE.near(view, start, end, before=24, after=0)
    if view.version >= 3 and cued and not _of_somebody(view, start):
        owned = False
    else:
        owned = cued
    if (len(groups) < least_groups or not any(char.isdigit() for char in written)) and not (cued and groups):
        return
    try:
        address = ipaddress.IPv6Address(written)
    except ValueError:
        return
    rule = "ip.private" if _plain_v6(address) and not owned else "ip.v6"
    yield Hit(rule, start, start + len(written))


def _mac(view: View) -> Iterator[Hit]:
    text = view.text
    for match in _DASHES.finditer(text):
        first = _PAIR_BEFORE.search(text[max(0, match.start() - 3) : match.start()])
        if first is not None and _is_mac(text[match.start() - 2 : match.end()]):
            yield Hit("mac.address", match.start() - 2, match.end())
    for start, end in _MAC_CUE.windows(view, behind=0, ahead=32) if view.has_digit else ():
        for pattern in (_MAC_CISCO, _MAC_ODD):
            for match in pattern.finditer(text, start, min(len(text), end + 24)):
                if _is_mac(match.group()):
                    yield Hit("mac.address", *match.span())


def _is_mac(written: str) -> bool:
    digits = re.sub("[^0-9a-f]", "", written.lower())
    return digits not in ("000000000000", "ffffffffffff") and len(set(digits)) > 2
