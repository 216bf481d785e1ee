"""Postal addresses as people tell them: after a word for living or sending, or with the code and the town behind them.

Pure. Beside `addresses.py` and `places.py`, which ask for the word that streets are named with. Here a name in capitals
with a number is enough after such a word, and without one where a postal code and a town follow. Streets of Latin
America, postboxes, Indian and Japanese forms have patterns of their own. A name and a number alone are no address.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.late import late
from mace.governance.detectors.places import _follow
from mace.governance.detectors.view import View

RULES = {
    "address.told": Rule("postal_address", 1),
    "address.with_code": Rule("postal_address", 1),
    "address.by_street": Rule("postal_address", 1),
    "address.indian_road": Rule("postal_address", 1),
    "address.east": Rule("postal_address", 1),
}

_TOLD = Cue(
    phrases(
        """
        address*, my address*, home address*, live at, lives at, lived at, living at, live on, lives on, living on,
        live in*, lives in*, moved to*, moving to*, ship to*, ship it to*, shipping*, deliver to*, delivery*,
        deliver it to*, send to*, send it to*, mail to*, mail it to*, post it to*, pick me up*, come to*, located at*,
        residing at*, resides at*, resident at*, registered at*, stay at*, staying at*, visit me*, my place*,
        our house*, house is*, billing*, invoice to, adresse*, anschrift*, lieferadresse*, rechnungsadresse*, wohne*,
        wohnt*, wohnhaft*, wohnen*, gemeldet in*, umgezogen*, gezogen*, ziehe*, liefern*, lieferung*, senden*, sende*,
        schick*, schicken*, versand*, besuch*, zuhause*, zu hause*, daheim*, meine wohnung*, j'habite*, habite*,
        habitons*, habitant*, domicile*, domicilie*, demeurant*, reside*, residant*, livrer*, livraison*, envoyer*,
        envoyez*, expedier*, je vis*, vit au*, chez moi*, demenage*, direccion*, domicilio*, vivo*, vive*, vivimos*,
        viven*, resido*, residente*, mi casa*, su casa*, envia*, envialo*, envielo*, enviar*, envio*, mandalo*,
        manda*, entrega*, entregar*, mudamos*, mude*, mudado*, indirizzo*, abito*, abita*, abitiamo*, risiedo*,
        risiede*, residenza*, casa mia*, spedire*, spedisci*, spedizione*, consegna*, consegnare*, mandare*,
        trasferit*, endereco*, morada*, moro*, mora*, moramos*, residencia*, envie*, encomenda*, mudei*, minha casa*,
        nossa casa*, adres*, woonadres*, woon*, woont*, wonen*, wonend*, bezorg*, bezorgen*, leveren*, stuur*,
        sturen*, verhuisd*, thuis*, mijn huis*, adresem*, mieszkam*, mieszka*, mieszkamy*, zamieszk*, zameldow*,
        wysyłk*, wyslij*, wyślij*, wyslac*, wysłac*, wysłać*, dostarcz*, dostaw*, doręcz*, przeprowadz*, dom jest*,
        moj dom*, adress*, adressen*, bor, bodde*, bo pa, boende*, bosatt*, skicka*, leverans*, leverera*, flyttat*,
        flytta*, hemma*, hemadress*, besok*, adresim*, adresi*, adresine*, oturuyor*, oturdugum*, yasıyor*, ikamet*,
        gonder*, teslim*, tasın*, evim*, ev adres*
        """
    )
)
_ROAD = Cue(
    phrases(
        """
        c/, calle, avda*, avda., avenida, av., carrera, cra, cra., kr, cl, diagonal, transversal, jr, jr., jiron,
        pasaje, pje, pje., urb, urb., urbanizacion, colonia, col., fracc, calzada, calz., blvd, boulevard, privada,
        cerrada, prolongacion, plaza, pza, pza., paseo, ctra., camino, barrio, manzana, mz, rua, av, al., alameda,
        travessa, trav., tv., praca, pca., estrada, est., rodovia, rod., quadra, qd, qd., sqn, sqs, lote, conjunto,
        condominio, largo, beco, ladeira, via, viale, corso, piazza, vicolo, contrada, localita, loc., strada, rue,
        avenue, chemin, impasse, place, allee, quai, bd, route, residence, lieu-dit, ul, ul., ulica, ulicy, al, aleja,
        aleje, alei, os, os., osiedle, osiedlu, plac, pl., rynek, box, postbox, postfach, boite postale, bp, apartado,
        casella postale, caixa postal, postbus, skrytka pocztowa, pk
        """
    )
)
CUES = (_TOLD, _ROAD)

_CAP = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽА-Я"
_LETTER = r"[^\W\d_]"
_SMALL = (
    r"de|del|de la|de los|de las|la|las|los|el|da|do|das|dos|di|della|dello|dei|degli|delle|du|des|d'|l'|van|van de|"
    r"van der|der|den|het|'t|von|zum|zur|am|im|an|auf|unter|vor|pod|na|przy|nad|i|e|y|och|to|the|of|san|st|en|les|"
    r"le|aux|sur|sous|strand|torg|gata|vag|vagen|"
    r"gatan|backe|alle|grand|plan|kaj|hamn|park|plein|kade|singel|weg|straat"
)
_STREET = (
    rf"[{_CAP}][\w'’.\-]*(?:\s(?:(?:{_SMALL})\s){{0,2}}"
    rf"(?:[{_CAP}][\w'’.\-]*|[0-9]{{1,2}}(?=\s(?:de|di|of|maja|listopada)\s)|(?:{_SMALL})(?=[\s,]))){{0,4}}"
)
_NUMBER = (
    r"(?:,?\s(?:n\.?[ºo°]?\.?|no\.?|nr\.?|num\.?|numero|nº|n°|#|"
    r"№)?\s?#?\s?)[0-9]{1,5}\s?[A-Za-z]?(?![\w])(?:\s?[/\-–]\s?[0-9]{1,4}[A-Za-z]?)?"
    r"(?:\s(?:bis|ter))?"
)
_ADDRESS = late(rf"({_STREET}){_NUMBER}(?![\w]|\s?(?:€|\$|%|:[0-9]|km|Uhr|uur|h\b|am\b|pm\b|\.[0-9]))")
_LEAD = late(
    rf"{_LETTER}{{0,14}}(?:[\s:=,\-–]{{1,3}}(?:is|are|now|at|in|on|to|the|our|my|ist|lautet|in der|im|am|an|der|die|"
    rf"das|nach|est|au|a|le|la|c'est|en|es|el|de|entrega|est[aá]|e|presso|na|no|o|op|aan|naar|in de|van|jest|to|"
    rf"przy|na|pod|w|ar|pa|i|till|hos mig|hos|su|bu|soyle|"
    rf"nova|nueva|nuova|neue|nieuwe|nowy|ny|new|delivery|de entrega|de entregas|di casa|di consegna|"
    rf"do domu)(?![^\W\d_])){{0,4}}[\s:=,\-–\"'(]{{0,4}}",
    re.I,
)
_REST = late(
    r"(?:,?\s(?:lgh|lejl|m\.|m|lok\.|apt\.?|apto\.?|apartamento|piso|depto\.?|dpto\.?|bloco|bl\.|bloque|esc\.?|"
    r"portal|torre|interno|int\.|scala|bat\.?|etage|stiege|top|wohnung|whg\.?|bus|flat|unit|kat|daire|d:|"
    r"[0-9]{1,2}[.]?[ºªo°]\.?)\s?[\w.º]{0,6}"
    r"(?:\s?(?:izq|der|dcha|dto|esq|frt)\.?[º]?)?){1,3}",
    re.I,
)
_CODE_TOWN = late(
    rf"[,\s]{{1,3}}(?:\(|[A-Z]{{1,2}}[\- ])?(?:[0-9]{{5}}-[0-9]{{3}}|[0-9]{{4}}-[0-9]{{3}}|[0-9]{{2}}-[0-9]{{3}}|"
    rf"[0-9]{{3}} [0-9]{{2}}|[0-9]{{4}} ?[A-Z]{{2}}|"
    rf"[0-9]{{4,6}})[,\s]{{1,2}}[{_CAP}][\w'’.\-]+(?:[ \-][{_CAP}][\w'’.\-]+){{0,3}}"
)
_TOWN = late(
    rf"(?:,\s|\s[\-–]\s|\s(?:w|in|i|en|em|a|à|te|"
    rf"de)\s)[{_CAP}][\w'’.\-]+(?:[ \-](?:{_SMALL}\s)?[{_CAP}][\w'’.\-]+){{0,3}}(?:\s?[\-/,]\s?[A-Z]{{2}}(?![\w]))?"
)
_NO_STREET = late(
    r"(?i)(?:section|chapter|figure|table|page|line|version|release|article|artikel|art|kapitel|seite|abschnitt|abb|"
    r"tabelle|chapitre|figure|capitulo|figura|tabla|pagina|capitolo|articolo|rozdział|strona|kapitlet|sida|bild|"
    r"iphone|windows|android|ios|python|java|"
    r"room|gate|flight|train|bus|platform|gleis|zug|linie|line|level|lesson|season|episode|part|teil|band|volume|"
    r"vol|no|nr|formula|covid|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"januar|februar|marz|juni|juli|oktober|dezember|"
    r"janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|enero|febrero|marzo|"
    r"abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|"
    r"luglio|settembre|ottobre|novembre|dicembre|janeiro|"
    r"fevereiro|maio|junho|julho|setembro|outubro|dezembro|maandag|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|mitte|ende|anfang|since|seit|depuis|desde|dal|sinds|od|sedan|order|invoice|ticket|case|"
    r"rechnung|ip|port|psalm|genesis|matthew|room)\b"
)
_INDIAN = late(
    r"(?:(?:मकान|फ्लैट|प्लॉट|हाउस|दुकान|वार्ड|क्वार्टर)\s(?:नं\.?|नंबर|संख्या|"
    r"क्रमांक)?\s?)?(?:[\u0900-\u0963a-zA-Z]{1,3}-)?[0-9]{1,5}(?:[/\-][0-9A-Za-z]{1,4}){0,2},?\s(?:[\u0900-\u0963.]{1,14}\s){0,3}"
    r"(?:रोड|मार्ग|नगर|कॉलोनी|कालोनी|गली|मोहल्ला|चौक|सेक्टर|विहार|बाग|पुरम|एन्क्लेव|अपार्टमेंट|लाइंस|लाइन्स|लेआउट|"
    r"बाज़ार|बाजार|गंज|पेठ|वाड़ी|"
    r"फेज)(?:\s[0-9]{1,3})?(?:,\s?[\u0900-\u0963. ]{2,24}){0,4}(?:[\s,\-–]{1,3}[0-9]{6}(?![0-9]))?"
)
_EAST = late(
    r"(?:〒?\s?[0-9]{3}-[0-9]{4}\s?)?(?:東京都|北海道|(?:京都|大阪)府|"
    r"[\u4e00-\u9fff]{2,3}県)?[\u4e00-\u9fff\u3041-\u30ff]{1,6}[市区町村郡][\u4e00-\u9fff\u3041-\u30ffヶケ々]{0,10}?[0-9一二三四五六七八九十]{1,3}\s?条?[東西南北]?\s?[0-9一二三四五六七八九十]{1,3}\s?丁目"
    r"(?:\s?[0-9]{1,4}\s?(?:番地?|-)?\s?(?:[0-9]{1,4}\s?号?)?)?|"
    r"[\u4e00-\u9fff]{2,4}市[\u4e00-\u9fff]{1,6}區[\u4e00-\u9fff]{1,8}(?:路|街|"
    r"大道)(?:[一二三四五六七八九十]段)?\s?[0-9]{1,5}\s?(?:巷\s?[0-9]{1,4}\s?)?(?:弄\s?[0-9]{1,4}\s?)?號(?:\s?[0-9]{1,3}\s?樓(?:之\s?[0-9]{1,3})?)?"
)
_MARKS = late("रोड|मार्ग|नगर|कॉलोनी|कालोनी|गली|मोहल्ला|चौक|सेक्टर|विहार|लाइंस|अपार्टमेंट|丁目|區")


def may(view: View) -> bool:
    """Say whether a code and a town may follow a number, or a road of another script is named."""
    if not view.ascii and _MARKS.search(view.text) is not None:
        return True
    return ", 0" in view.shape and any(form in view.shape for form in _FORMS)


_FORMS = (", 00000 A", ", 000 00 A", ", 00-000 A", ", 0000 AA A", ", 0000 A", ", 0000-000 A", ", 0000AA A")


def find(view: View) -> Iterator[Hit]:
    """Yield the postal addresses in a view."""
    if not view.has_digit:
        return
    text = view.text
    if not view.ascii and _MARKS.search(text) is not None:
        for match in _INDIAN.finditer(text):
            yield Hit("address.indian_road", match.start(), match.start() + len(match.group().rstrip(" ,-–")))
        for match in _EAST.finditer(text):
            yield Hit("address.east", *match.span())
    for end in _told(view):
        lead = _LEAD.match(text, end, end + 50)
        start = lead.end() if lead is not None else end
        told = _ADDRESS.match(text, start) or _ADDRESS.match(text, end)
        if told is not None and _NO_STREET.match(told.group()) is None:
            yield Hit("address.told", told.start(), _without_stop(text, _end(text, told.end())))
    if ", 0" in view.shape and any(form in view.shape for form in _FORMS):
        for match in _ADDRESS.finditer(text):
            place = _CODE_TOWN.match(text, _rest(text, match.end()))
            if place is not None and _NO_STREET.match(match.group()) is None:
                start = match.start() + _before_name(match.group())
                stop = max(place.end(), _end(text, match.end()))
                yield Hit("address.with_code", start, _without_stop(text, stop))
    if _ROAD.in_text(view):
        yield from _roads(view)


def _told(view: View) -> Iterator[int]:
    if _TOLD.in_text(view):
        for _, end in _TOLD.occurrences(view):
            yield end


def _before_name(written: str) -> int:
    """Return how much of what was matched goes before the street: the word that begins a sentence or ends another."""
    lead = _SENTENCE_WORD.match(written)
    return lead.end() if lead is not None else 0


_SENTENCE_WORD = late(
    r"(?:Ich|Wir|Meine?|Unsere?|My|Our|Home|Adresse?n?|Adress|Adres|Address|Anschrift|Je|Nous|Mi|La|El|Il|Vivo|"
    r"Abito|Moro|Woon|Ik|Mieszkam|Jag|Vi|Bor|Ship|Send|From|To|An|At|Nach|Von|Till|Do|Naar|Aan)\s"
)


def _without_stop(text: str, end: int) -> int:
    """Return the end without the sign that ends a sentence."""
    while text[end - 1] in ".,-'’":
        end -= 1
    return end


def _rest(text: str, end: int) -> int:
    rest = _REST.match(text, end)
    return rest.end() if rest is not None else end


def _end(text: str, end: int) -> int:
    """Return where an address ends that has its street and number up to `end`."""
    after = _rest(text, end)
    place = _CODE_TOWN.match(text, after) or _TOWN.match(text, after)
    if place is not None:
        after = place.end()
        more = _TOWN.match(text, after) if text[after : after + 1] in ", " else None
        code = _CODE_AFTER.match(text, more.end() if more is not None else after)
        after = code.end() if code is not None else more.end() if more is not None else after
    follow, _ = _follow(text, end)
    return max(after, follow)


_CODE_AFTER = late(r"[,\s\-–]{1,3}(?:CEP\s|C\.?P\.?\s)?(?:[0-9]{5}(?:-[0-9]{3,4})?|[0-9]{4}-[0-9]{3})(?![\w])")
_ROAD_NUMBER = late(
    rf"\.?\s(?:(?:(?:{_SMALL})\s){{0,3}}[{_CAP}0-9][\w'’.\-]*(?:\s(?:(?:{_SMALL})\s){{0,2}}[{_CAP}0-9][\w'’.\-]*){{0,4}})?"
    r"(?:,?\s(?:n\.?[ºo°]?\.?|no\.?|nro\.?|num\.?|numero|#|"
    r"№)?\s?#?\s?)[0-9]{1,5}(?:\s?[A-Za-z](?![\w]))?(?:\s?[\-–/]\s?[0-9]{1,4}[A-Za-z]?)?(?![\w])",
)


def _roads(view: View) -> Iterator[Hit]:
    """Yield a road with its number, where a town or a code follows, or a word for living stands before."""
    text = view.text
    for at, end in _ROAD.occurrences(view):
        match = _ROAD_NUMBER.match(text, end - (text[end - 1] == "."), end + 80)
        if match is None or not (text[at].isupper() or any(char.isupper() for char in match.group())):
            continue
        stop = _end(text, match.end())
        placed = _CODE_TOWN.match(text, _rest(text, match.end())) or _TOWN.match(text, _rest(text, match.end()))
        if placed is not None or _TOLD.near(view, at, end, before=48, after=0):
            stop = max(stop, placed.end() if placed is not None else 0)
            yield Hit("address.by_street", at, _without_stop(text, stop))
