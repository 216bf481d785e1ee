"""The tools side by side: each turns a text into (type, start, end), in MACE's names of types.

Presidio runs with patterns only: a blank spaCy pipeline, all its predefined recognisers, no model, no network.
"""

import importlib.metadata
import os
from collections.abc import Callable

Found = tuple[str, int, int]
Tool = Callable[[str], list[Found]]

PRESIDIO = {
    "CREDIT_CARD": "payment_card",
    "US_SSN": "us_ssn",
    "US_ITIN": "us_itin",
    "IBAN_CODE": "iban",
    "US_BANK_NUMBER": "bank_account",
    "ABA_ROUTING_NUMBER": "bank_account",
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "IP_ADDRESS": "ip_address",
    "MAC_ADDRESS": "mac_address",
    "CRYPTO": "crypto_wallet",
    "US_PASSPORT": "passport",
    "UK_PASSPORT": "passport",
    "IN_PASSPORT": "passport",
    "IT_PASSPORT": "passport",
    "US_DRIVER_LICENSE": "driver_license",
    "IT_DRIVER_LICENSE": "driver_license",
    "UK_NHS": "medical_record",
    "MEDICAL_LICENSE": "medical_record",
    "US_MBI": "health_insurance",
    "AU_MEDICARE": "health_insurance",
}
PRESIDIO_IGNORED = {"URL", "DATE_TIME", "NRP", "PERSON", "LOCATION", "ORGANIZATION"}
SCRUBADUB = {
    "email": "email",
    "phone": "phone",
    "credit_card": "payment_card",
    "social_security_number": "us_ssn",
    "credential": "password",
    "national_insurance_number": "national_id",
    "tax_reference_number": "national_id",
    "drivers_licence": "driver_license",
    "date_of_birth": "birth_date",
    "address": "postal_address",
}
DATAFOG = {
    "EMAIL": "email",
    "PHONE": "phone",
    "SSN": "us_ssn",
    "CREDIT_CARD": "payment_card",
    "IP_ADDRESS": "ip_address",
    "DOB": "birth_date",
    "DATE": "birth_date",
}


def mace() -> Tool:
    from mace.governance.detectors import LOW, detect

    return lambda text: [(f.type, f.start, f.end) for f in detect(text) if f.sensitivity != LOW]


def presidio(threshold: float, every_country: bool) -> Tool:
    """Return Presidio with patterns only; of hits that overlap the one with the best score counts."""
    os.environ["TLDEXTRACT_CACHE"] = "/nonexistent"
    import spacy
    import tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    tldextract.extract = tldextract.tldextract.TLD_EXTRACTOR

    class Blank(NlpEngine):
        """Tokens only: what the context words of the recognisers need, and no model."""

        def __init__(self) -> None:
            self.nlp = spacy.blank("en")
            self.nlp.max_length = 10_000_000

        def load(self) -> None: ...

        def is_loaded(self) -> bool:
            return True

        def process_text(self, text, language):
            doc = self.nlp(text)
            return NlpArtifacts([], doc, [t.idx for t in doc], [t.text.lower() for t in doc], self, language, scores=[])

        def process_batch(self, texts, language, **_):
            return ((text, self.process_text(text, language)) for text in texts)

        def is_stopword(self, word, language):
            return self.nlp.vocab[word].is_stop

        def is_punct(self, word, language):
            return self.nlp.vocab[word].is_punct

        def get_supported_entities(self):
            return []

        def get_supported_languages(self):
            return ["en"]

    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=Blank())
    if every_country:
        _add_disabled(registry)
    registry.remove_recognizer("SpacyRecognizer")
    engine = AnalyzerEngine(registry=registry, nlp_engine=Blank(), supported_languages=["en"])

    def run(text: str) -> list[Found]:
        found = engine.analyze(text, language="en", score_threshold=threshold)
        kept: list = []
        for item in sorted(found, key=lambda item: (-item.score, item.start - item.end)):
            if item.entity_type in PRESIDIO_IGNORED or any(
                o.start < item.end and item.start < o.end for o in kept[-200:]
            ):
                continue
            kept.append(item)
        return [(PRESIDIO.get(item.entity_type, "national_id"), item.start, item.end) for item in kept]

    return run


def _add_disabled(registry) -> None:
    """Add the national recognisers Presidio ships but does not load for English by default."""
    import presidio_analyzer.predefined_recognizers as shipped
    from presidio_analyzer import PatternRecognizer

    loaded = {type(item).__name__ for item in registry.recognizers}
    for name in dir(shipped):
        item = getattr(shipped, name)
        if (
            isinstance(item, type)
            and issubclass(item, PatternRecognizer)
            and name not in loaded | {"PatternRecognizer"}
        ):
            try:
                registry.add_recognizer(item(supported_language="en"))
            except Exception:  # recognisers that need a service or other arguments
                continue


def scrubadub() -> Tool:
    import scrubadub as library

    scrubber = library.Scrubber(locale="en_US")
    british = library.Scrubber(locale="en_GB")

    def run(text: str) -> list[Found]:
        return sorted(
            {
                (SCRUBADUB[filth.type], filth.beg, filth.end)
                for tool in (scrubber, british)
                for filth in tool.iter_filth(text)
                if filth.type in SCRUBADUB
            }
        )

    return run


def datafog() -> Tool:
    from datafog.processing.text_processing.regex_annotator import RegexAnnotator

    annotator = RegexAnnotator()

    def run(text: str) -> list[Found]:
        _, result = annotator.annotate_with_spans(text)
        return [(DATAFOG[span.label], span.start, span.end) for span in result.spans if span.label in DATAFOG]

    return run


def version(package: str) -> str:
    return importlib.metadata.version(package)
