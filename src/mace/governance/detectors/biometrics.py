"""Biometrics: templates, embeddings and sequences of a body, by declared field or by cue.

Pure. A fingerprint of a key, a certificate or a build is no body: the word must come with `template`, `scan`, a vector
or encoded data, and a value of a hash's length is left alone unless a word says that it is a template.
"""

from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "biometric.cued": Rule("biometric", 2),
    "biometric.declared": Rule("biometric", 2),
    "biometric.genome": Rule("biometric", 1),
}

_BODY = Cue(
    ["fingerprint*", "finger print*", "thumbprint*", "palm print*", "palmprint*", "face*", "facial*", "iris*",
     "retina*", "retinal*", "voiceprint*", "voice print*", "voice template*", "voice embedding*",
     "speaker embedding*", "biometric*", "minutiae*", "gait*", "hand geometry*", "vein*", "ear print*",
     "fingerabdruck*", "huella dactilar*", "empreinte digitale*", "impronta digitale*", "impressao digital*",
     "vingerafdruk*", "指纹*", "指紋*", "人脸*", "虹膜*", "声纹*", "지문*"],
)  # fmt: skip
_LEAD = late(
    r"[^\W\d_]{0,14}(?:[\s_\-:]{1,2}(?:template|templates|minutiae|embedding|embeddings|encoding|vector|vectors|"
    r"scan|scans|data|sample|code|hash|image|print|prints|id|recognition|geometry|signature|print|descriptor|"
    r"record|is|are|was|my|her|his|the|of|for|base64|hex|raw|value|feature|features|profile|unlock|"
    r"bytes)\b){0,6}[\s:=\-(\"'<]{0,5}"
)
_DATA_WORD = late(
    r"template|minutiae|embedding|encoding|vector|scan|biometric|descriptor|voiceprint|geometry|feature|"
    r"recognition|sample|dactilar|iris[\s_\-]?code|模板"
)
# Templates are often stored as 16, 20 or 32 bytes; these words leave no room for the hash of a key or a file.
_TEMPLATE_WORD = late(
    r"template|minutiae|embedding|biometric|voice[\s_\-]?print|iris[\s_\-]?(?:code|scan)|retinal?[\s_\-]?scan|模板"
)
_VECTOR = late(
    r"[\[(]\s{0,2}-?[0-9]{1,3}(?:\.[0-9]{1,12})?(?:e-?[0-9]{1,3})?(?:\s{0,2}[,; ]\s{0,2}-?[0-9]{1,3}(?:\.[0-9]{1,12"
    r"})?(?:e-?[0-9]{1,3})?){3,4096}\s{0,2}(?:\.{3}|…)?\s{0,2}[\])]?"
)
_BLOB = late(r"(?:data:[\w/+.\-]{3,60};base64,)?([A-Za-z0-9+/_\-]{20,200000}={0,2})(?![A-Za-z0-9+/])")
_NAMED_HASH = late(r"(?i)^(?:sha|md5|blake)|^(?:[0-9a-f]{2}:){7,}")
_HASH_LENGTH = late(r"(?i)^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$")
_FIELD = late(
    r"(?:^|_)(?:fingerprints?(?:_?(?:template|data|scan|image|minutiae))?|thumbprint|palm_?print|"
    r"face_?(?:embedding|template|encoding|vector|scan|id|data|print|descriptor)s?|facial_?(?:embedding|template|"
    r"recognition|data|features|scan)s?|iris(?:_?(?:template|code|scan|data))?|retina(?:_?scan)?|retinal_?scan|"
    r"voice_?print|voice_?(?:template|embedding|biometrics?)|biometrics?(?:_?(?:template|data|hash|id|sample))?|"
    r"dna(?:_?(?:sequence|profile|data))?|genome|genotype|gait_?(?:template|data)|minutiae)(?:_\w{1,20})?$"
)
_GENOME_CUE = Cue(
    ["dna*", "genome*", "genotype*", "genetic*", "snp*", "nucleotide*"], fields=["dna", "genome", "genotype"]
)
# Each looks back from its first sign on: a pattern that begins with a sign is searched for far quicker.
_GENOME = late(r"[ACGT](?<![A-Za-z][ACGT])[ACGT]{19,99999}(?![A-Za-z])")
_SNP = late(r"rs(?<![A-Za-z0-9]rs)[0-9]{3,10}\s{0,2}[:=(]?\s{0,2}[ACGT][/|]?[ACGT](?![A-Za-z])")


def find(view: View) -> Iterator[Hit]:
    """Yield the biometric data in a view."""
    text = view.text
    if view.field and _FIELD.search(view.field) and not (view.version > 1 and view.field.startswith("world_")):
        value = text.strip()
        if len(value) >= 8 and not _is_hash(value, view.field) and not value.isalpha():
            start = text.index(value)
            yield Hit("biometric.declared", start, start + len(value))
    if _BODY.in_text(view):
        done = 0
        for at, end in _BODY.occurrences(view):
            lead = _LEAD.match(view.lower, end, end + 120)
            if end < done or lead is None:
                continue
            for hit in _data(view, at, lead.end()):
                done = hit.end
                yield hit
    if _GENOME_CUE.in_text(view) or _GENOME_CUE.names(view.field):
        for pattern in (_GENOME, _SNP):
            for match in pattern.finditer(text):
                if _GENOME_CUE.near(view, *match.span(), before=60, after=20):
                    yield Hit("biometric.genome", *match.span())


def _data(view: View, cue: int, at: int) -> Iterator[Hit]:
    """Yield the vector or encoded template at `at`, if one of the words since `cue` speaks of data."""
    if _DATA_WORD.search(view.lower, cue, at) is None:
        return
    vector = _VECTOR.match(view.text, at)
    if vector is not None:
        yield Hit("biometric.cued", *vector.span())
        return
    blob = _BLOB.match(view.text, at)
    if blob is not None and not blob[1].isalpha() and not _is_hash(blob[1], view.lower[cue:at]):
        yield Hit("biometric.cued", *blob.span())


def _is_hash(value: str, said: str) -> bool:
    """Say whether a value is the hash of something rather than a body, by its form and what was said before it."""
    if _NAMED_HASH.search(value):
        return True
    return _HASH_LENGTH.search(value) is not None and _TEMPLATE_WORD.search(said) is None
