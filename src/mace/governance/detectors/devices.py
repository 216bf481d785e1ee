"""MAC addresses as switches, labels and people write them: dotted in threes, dashed in halves, without any sign.

Pure. Beside `network.py`, which reads six pairs with a sign between them. Three groups of four with dots between count
by themselves where letters and digits are mixed; what could be another number (twelve digits, a hash) counts only
beside a word for a device or its address. Addresses of all zeros or all ones name no machine.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.late import late
from mace.governance.detectors.network import _is_mac
from mace.governance.detectors.view import View

RULES = {"mac.dotted": Rule("mac_address", 1), "mac.beside": Rule("mac_address", 1)}

_DEVICE = Cue(
    phrases(
        """
        mac, macs, mac-*, mac address*, macaddr*, mac_addr*, hwaddr*, hw addr*, lladdr*, hardware address*,
        hardware id*, physical address*, ethernet address*, ethernet*, ether, bssid*, wifi address*,
        wi-fi address*, wlan*, bluetooth*, bt address*, ble, network card*, network adapter*,
        nic, nics, router*, switchport*, chaddr*,
        dhcp*, arp, mac-adress*, hardwareadress*, hardware-adress*, physische adress*,
        physikalische adress*, netzwerkkarte*, netzwerkadapter*, geraeteadress*, gerateadress*, drucker*,
        adresse mac, adresse physique, adresse materielle, carte reseau, adaptateur*, imprimante*, direccion mac,
        direccion fisica, tarjeta de red, adaptador*, impresora*, indirizzo mac, indirizzo fisico,
        scheda di rete, stampante*, endereco mac, endereco fisico, placa de rede, impressora*, mac-adres*,
        hardwareadres*, netwerkkaart*, netwerkadapter*, fysiek adres, adres mac, adres fizyczny, adres sprzetowy,
        karta sieciowa, karty sieciowej, drukark*, natverkskort*, fysisk adress, skrivar*, mac adres*,
        fiziksel adres*, ag kart*, yazıcı*, mac-адрес*, мак-адрес*, мак адрес*, физический адрес*,
        физического адреса*, аппаратн* адрес*, сетев* карт*, сетев* адаптер*, сетевой карт*, сетевого адаптера*,
        роутер*, маршрутизатор*, принтер*, عنوان mac, عنوان ماك, ماك,
        العنوان الفيزيائي, العنوان المادي, بطاقة الشبكة, كرت الشبكة, راوتر*,
        الراوتر, طابعة*, الطابعة, 物理アドレス*, ハードウェアアドレス*,
        macアドレス*, ネットワークカード*, ルーター*, プリンタ*, 物理地址*, 硬件地址*, mac地址*, 网卡*, 網卡*,
        路由器*, 打印机*, 물리적 주소*, 물리 주소*, 맥 주소*, 맥주소*, 네트워크 카드*, 랜카드*, 공유기*, 프린터*,
        मैक*, मैक एड्रेस*, मैक पता*, भौतिक पता*, हार्डवेयर एड्रेस*, राउटर*, प्रिंटर*
        """
    ),
    fields=["mac", "mac_?addr(?:ess)?", "hw_?addr(?:ess)?", "bssid", "chaddr", "device_?mac", "wifi_?mac"],
)
CUES = (_DEVICE,)

_PAIR = "[0-9A-Fa-f]{2}"
# The search starts at a literal sign, and the match is then widened to the left.
_DOTS = late(r"\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w]|\.[\w]|-[\w])")
_FOUR = late(r"(?<![\w.\-])[0-9A-Fa-f]{4}\Z")
_INNER = late(rf":{_PAIR}:{_PAIR}:{_PAIR}:{_PAIR}:{_PAIR}(?![\w]|:[\w])")
_FIRST = late(rf"(?:(?<![\w:.])|(?<!\b{_PAIR}:)(?<=:)){_PAIR}\Z")
_BESIDE = late(
    rf"(?<![\w.\-/])(?<!\b[0-9A-Fa-f]{{2}}:)(?:[0-9A-Fa-f]{{12}}|[0-9A-Fa-f]{{4}}([.\-: ])[0-9A-Fa-f]{{4}}\1[0-9A-Fa-f]{{4}}"  # noqa: E501
    rf"|[0-9A-Fa-f]{{6}}[\-:.][0-9A-Fa-f]{{6}}|[0-9A-Fa-f]{{3}}(?:[.\-: ][0-9A-Fa-f]{{3}}){{3}}|{_PAIR}([ _.\-])(?:{_PAIR}\2){{4}}{_PAIR}"  # noqa: E501
    r"|[0-9A-Fa-f]{1,2}([:\-])(?:[0-9A-Fa-f]{1,2}\3){4}[0-9A-Fa-f]{1,2})(?![\w]|[.:\-][0-9A-Fa-f])"
)
_BEHIND, _AHEAD = 48, 64
ALONE = 6  # digits of a text below which an address counts only beside a word


def may(view: View) -> bool:
    """Say whether three groups of four with dots between them may stand in a text, or six pairs beside a colon."""
    text = view.text
    if "." in text and _DOTS.search(text) is not None:
        return True
    return view.signs.count(b":") >= 6 and _INNER.search(text) is not None


def find(view: View) -> Iterator[Hit]:
    """Yield the MAC addresses in a view that have another form than six pairs."""
    text = view.text
    alone = view.digits >= ALONE
    for match in _DOTS.finditer(text) if alone and "." in text else ():
        first = _FOUR.search(text[max(0, match.start() - 5) : match.start()])
        written = text[match.start() - 4 : match.end()]
        if first is not None and _is_mixed(written) and _is_mac(written):
            yield Hit("mac.dotted", match.start() - 4, match.end())
    for match in _INNER.finditer(text) if alone and text.count(":") >= 6 else ():
        first = _FIRST.search(text, max(0, match.start() - 6), match.start())
        if first is not None and _is_mac(text[first.start() : match.end()]):
            yield Hit("mac.beside", first.start(), match.end())
    if not (_DEVICE.in_text(view) or _DEVICE.names(view.field)):
        return
    for begin, stop in _DEVICE.windows(view, _BEHIND, _AHEAD):
        for match in _BESIDE.finditer(text, begin, min(len(text), stop + 24)):
            written = match.group()
            if match.start() <= stop and _is_mac(written) and _is_likely(view, match):
                yield Hit("mac.beside", *match.span())


def _is_mixed(written: str) -> bool:
    """Say whether a number has digits and letters: a hash cut short and a word have not both, or not so few signs."""
    return any(map(str.isdigit, written)) and any(map(str.isalpha, written))


def _is_likely(view: View, match: re.Match[str]) -> bool:
    """Say whether a number is an address: by its form, or, where it has no sign between, by the word before it."""
    written = match.group()
    if len(written) == _BARE or match[1] == " " or match[2] in (" ", "_"):
        other = _NO_ADDRESS.search(view.lower, max(0, match.start() - 24), match.start()) is not None
        return _named(view, match.start()) or (_is_mixed(written) and not other)
    return _is_mixed(written) or match[1] == "." or match[3] is not None or _named(view, match.start())


_BARE = 12
_NO_ADDRESS = late(
    r"\b(?:commit\w*|hash\w*|sha\w*|md5|rev\w*|checksum|digest|key|keys|token|trace\w*|span\w*|request\w*|session\w*|"
    r"build|container|image|pod|order|ticket|serial\w*|seriennummer|uuid|guid|etag|branch|merge\w*|blob|tree|object|id)"
    r"(?:[\s_\-](?:id|no|nr|is|of))?[\s:=#\"'(\-]{0,3}\Z"
)


def _named(view: View, start: int) -> bool:
    """Say whether the word right before a number of digits alone is one for this kind of address."""
    return _OWN_NAME.search(view.lower, max(0, start - 28), start) is not None


_OWN_NAME = late(
    r"(?:\bmacs?|\bhwaddr|\bbssid|\bhardware[ \-]?addres\w*|\bether|мак-?адрес|ماك|मैक|맥)(?:[\s_\-][^\W\d]{1,12}){0,2}"
    r"[\s:=\-(\"'：]{0,4}\Z"
)
