"""Biometric data in the larger languages: a word for a part of the body, then what was measured of it.

Pure. `biometrics.py` knows the English words for templates. Here any word for a fingerprint, a face, an eye, a voice or
genes leads to a vector, an encoded template or a sequence in the same sentence. Fingerprints of keys, certificates,
browsers and files belong to no body: a word for one of those near it ends the matter.
"""

from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {"biometric.led_to": Rule("biometric", 1), "biometric.sequence": Rule("biometric", 1)}

_BODY = Cue(
    phrases(
        """
        fingerprint*, thumbprint*, palm print*, palmprint*, face id, faceid, face*, facial*, iris*, retina*,
        voiceprint*, voice print*, voice*, biometr*, minutiae*, gait*, vein*, fingerabdruck*, daumenabdruck*,
        handabdruck*, gesicht*, netzhaut*, stimm*, empreinte*, visage*, retine*, vocal*, voix, huella*,
        dactilar*, rostro*, cara, voz, biometri*, impronta*, impronte*, volto, viso, voce, impressao digital*,
        impressoes digitais, digital do, iride*, reconhecimento facial, oblicz*, dlon*, dłon*, handpalm*,
        handflat*, handvena*, finger*, avuc*, retina, venen*, handvenen*, minuti*, keystroke*, tippverhalten*,
        tastenanschl*, ecg*, ekg*, signature dynamics, index finger*, enrolled*, template_type, 手掌*, 掌静脉,
        手のひら*, 網膜*, 손바닥*, 망막*, अंगूठा, हथेली, voiceprint, 声音*, 声の,
        목소리*, rosto, vingerafdruk*, gezicht*, stem*, netvlies*, odcisk*, linii papilarnych, twarz*, teczow*,
        tęczów*, siatkowk*, siatkówk*, glos*, głos*, fingeravtryck*, ansikt*, rost*, regnbags*, parmak iz*, yuz*,
        goz*, ses*, biyometr*, 指紋*, 顔*, 虹彩*, 声紋*, 静脈*, 生体*, 指纹*, 人脸*, 面部*, 虹膜*, 声纹*, 掌纹*,
        生物特征*, 生物识别*, 지문*, 얼굴*, 홍채*, 성문*, 음성*, 생체*, 정맥*,
        फिंगरप्रिंट, अंगुली, उंगली, अंगूठे, चेहरे, आइरिस, आवाज, आवाज़, बायोमेट्रिक,
        रेटिना
        """
    )
)
_GENES = Cue(
    phrases(
        """
        dna*, dns, adn, genom*, genoma*, genotyp*, genetic*, genetisch*, genetiq*, genetico*, genetica*,
        genetyczn*, genetisk*, genetik*, snp*, gene, gen, brca*, str, 遺伝*, dna型, जीन, dna-*, apoe*,
        str profile*, dnk, 遺伝子*, ゲノム*, 基因*, 유전자*, 게놈*, डीएनए, जीनोम
        """
    )
)
_MORE_BODY = Cue(  # since version 3
    phrases(
        """
        отпечат*, отпечаток пальца, дактил*, лиц*, лица, лицо, радужк*, радужн*, сетчатк*, голос*, биометр*,
        ладон*, вены, походк*, بصمة*, بصمات*, البصمة, بصمتي, بصمته, بصمتها, الوجه,
        وجهي, وجهه, وجه, قزحية*, القزحية, شبكية*, الصوت, صوتي, صوته, صوت, بيومتري*,
        البيومتري*, بايومتري*, القياسات الحيوية, قياسات حيوية, حيوية, الإبهام,
        كف اليد, راحة اليد, finger print*, thumb print*, palm*, hand geometry*,
        ear shape*, heartbeat*, eye scan*, faceprint*, face print*, voice sample*, speaker*, touch id*, touchid,
        retinal*, iris-*, handgeometrie*, iriscan*, irisscan*, augenscan*, scan de l'iris, empreintes*, huellas*,
        iris del, dattiloscop*, impressoes*, retin*, vinger*, iris*, gelaat*, linie papilarn*, daktyloskop*,
        tecz*, handavtryck*, tumavtryck*, yüz*, göz*, parmak*, avuç*, retina taram*, 指静脈*, 手形*, 歩容*,
        面容*, 人臉*, 指靜脈*, 걸음걸이*, 안면*, 지정맥*, फिंगर*, अंगुलि*, चेहरा,
        आँख*, आंख*
        """
    )
)
_MORE_GENES = Cue(
    phrases(
        """
        днк, геном*, генотип*, генетич*, الحمض النووي, حمض نووي, جينوم*, الجينوم,
        وراثي*, الوراثي*, جيني*, الجيني*
        """
    )
)
CUES = (_BODY, _GENES, _MORE_BODY, _MORE_GENES)

_REACH = 130
_VECTOR = late(
    r"[\[(<]?\s{0,2}-?[01]?[.,][0-9]{2,12}(?:\s{0,2}[,;\s]\s{0,2}-?[01]?[.,][0-9]{2,12}){2"
    r",4096}\s{0,2}(?:\.{3}|…)?\s{0,2}[\])>]?"
)
_POINTS = late(
    r"(?:\(\s?-?[0-9]{1,4}(?:\.[0-9]+)?(?:\s?[,;]\s?-?[0-9]{1,4}(?:\.[0-9]+)?){1,3}\s?\)[\s,;]{0,2}){2,500}"
    r"|(?:x\s?=\s?[0-9]{1,4}[\s,;]{1,2}y\s?=\s?[0-9]{1,4}(?:[\s,;]{1,2}[^\W\d_]{1,5}\s?=\s?[0-9]{1,4})?[\s,;]{0,2}){1,500}"
)
_NUMBERS = late(
    r"[\[(<]\s{0,2}-?[0-9]{1,4}(?:[.,][0-9]{1,12})?(?:\s{0,2}[,; ]\s{0,2}-?[0-9]{1,4}(?:\."
    r"[0-9]{1,12})?){2,4096}\s{0,2}(?:\.{3}|…)?\s{0,2}[\])>]"
)
_BLOB = late(
    r"(?<![A-Za-z0-9+/_\-])(?:data:[\w/+.\-]{3,60};base64,|(?:[A-Za-z]{2,6}[0-9\-]{0,9}:){1,2}|"
    r"0x)?(?:[A-Za-z0-9+/_\-]{8,200000}={0,2}|[0-9A-Fa-f]{2}(?:[ :\-][0-9A-Fa-f]{2}){5,20"
    r"0})(?![A-Za-z0-9+/=])"
)
_BITS = late(r"(?<![0-9])[01](?:[ ]?[01]){15,4096}(?![0-9])")
_SEQUENCE = late(r"(?<![A-Za-z])[ACGT](?:[ \-]?[ACGT]){9,99999}(?![A-Za-z])")
_MARKER = late(
    r"(?<![A-Za-z0-9])(?:rs[0-9]{3,10}(?:\s{0,2}[:=(]?\s{0,2}\(?[ACGT][/|;,]?[ACGT]\)?)?|"
    r"(?:D[0-9]{1,2}S[0-9]{2,4}|vWA|TPOX|FGA|TH01|CSF1PO|AMEL)"
    r"[\s:=]{1,3}[0-9]{1,2}(?:\.[0-9])?[,/\-]\s?[0-9]{1,2}(?:\.[0-9])?(?:[,;\s]{1,3}(?:D[0"
    r"-9]{1,2}S[0-9]{2,4}|vWA|TPOX|FGA|TH01|CSF1PO|AMEL)"
    r"[\s:=]{1,3}[0-9]{1,2}(?:\.[0-9])?[,/\-]\s?[0-9]{1,2}(?:\.[0-9])?){0,30})(?![A-Za-z0-9])"
)
_OTHER = late(
    r"\b(?:ssh|gpg|pgp|rsa|ed25519|key|keys|cert\w*|tls|ssl|md5|sha-?[0-9]*|browser|"
    r"device|commit|checksum|file|build|cache|ja3|hash of|"
    r"interface|surface|facebook|typeface|request|sesame|session\w*|face value)\b|sha256:|schlussel|cle publique"
)
_TEMPLATE = late(
    r"templat|embedding|vector|vekt|vett|vete|vecteur|minuti|biometr|biyometr|vorlage|plantilla|gabarit|modello|modelo|sjablo|"
    r"wzorzec|wzorc|szablon|mall|sablon|şablon|merkmal|enrol|scan|テンプレート|特徴|模板|特征|向量|템플릿|벡터|특징|टेम्पलेट|वेक्टर|स्कैन"
)
_MORE_TEMPLATE = late(r"шаблон|вектор|биометр|эмбеддинг|скан|хеш лица|отпечат|قالب|نموذج|متجه|بصمة|مسح|بيومتر|حيوي")
_SENTENCE = late(r"[.!?。]\s|\n\n")


def find(view: View) -> Iterator[Hit]:
    """Yield what was measured of somebody's body in a view."""
    text = view.text
    newer = view.version >= 3
    for cue in (_BODY, _MORE_BODY) if newer else (_BODY,):
        if cue.in_text(view):
            yield from _bodies(view, cue)
    for cue in (_GENES, _MORE_GENES) if newer else (_GENES,):
        if not cue.in_text(view):
            continue
        told = {_SEQUENCE: 0, _MARKER: 0}  # up to where; a list is gone through once
        for at, end in cue.occurrences(view):
            for pattern in (_SEQUENCE, _MARKER):
                match = pattern.search(text, end, min(len(text), end + _REACH))
                if match is None and pattern is _MARKER:
                    match = pattern.search(text, max(0, at - 40), at)
                while match is not None and match.start() >= told[pattern]:  # markers come in lists
                    whole = pattern.match(text, match.start()) or match
                    told[pattern] = whole.end()
                    yield Hit("biometric.sequence", *whole.span())
                    match = pattern.search(text, whole.end(), min(len(text), whole.end() + 12))


def _bodies(view: View, cue: Cue) -> Iterator[Hit]:
    text = view.text
    done = 0
    for at, end in cue.occurrences(view):
        if at < done:
            continue
        stop = _stop(text, end)
        if _OTHER.search(view.lower, max(0, at - 40), stop) and not _is_template(view, at, stop):
            continue
        found = _measured(text, end, stop)
        if found is not None:
            done = found[1]
            yield Hit("biometric.led_to", *found)


def _is_template(view: View, at: int, stop: int) -> bool:
    if _TEMPLATE.search(view.lower, at, stop) is not None:
        return True
    return view.version >= 3 and _MORE_TEMPLATE.search(view.lower, at, stop) is not None


def _stop(text: str, end: int) -> int:
    cut = _SENTENCE.search(text, end, min(len(text), end + _REACH))
    return cut.start() if cut is not None else min(len(text), end + _REACH)


def _measured(text: str, start: int, stop: int) -> tuple[int, int] | None:
    """Return where a vector, a row of bits or an encoded template begins in the sentence, and where it ends."""
    for pattern in (_POINTS, _VECTOR, _NUMBERS, _BITS):
        match = pattern.search(text, start, min(len(text), stop + 200))
        if match is not None and match.start() <= stop:
            whole = pattern.match(text, match.start())
            return (whole or match).span()
    for match in _BLOB.finditer(text, start, min(len(text), stop + 400)):
        if match.start() > stop:
            return None
        whole = _BLOB.match(text, match.start()) or match
        written = whole.group()
        if (
            sum(map(str.isdigit, written)) >= (1 if len(written) >= 16 else 2)
            and len(set(written)) >= 5
            and sum(map(str.isalpha, written)) >= 2
        ):
            return whole.span()
    return None
