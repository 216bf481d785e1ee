"""A diagnosis needs a person: questions about diseases pass, statements about somebody do not."""

import pytest

from mace.governance.detectors import detect


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("I have diabetes", ["diabetes"]),
        ("I was diagnosed with type 2 diabetes last spring", ["type 2 diabetes"]),
        ("I'm diabetic", ["diabetic"]),
        ("i’ve got asthma", ["asthma"]),
        ("he is HIV positive", ["HIV positive"]),
        ("my diabetes is under control", ["diabetes"]),
        ("My mother was diagnosed with lupus.", ["lupus"]),
        ("John Smith suffers from severe depression and anxiety", ["severe depression", "anxiety"]),
        ("Patient Dr. Jane Roe Jr. has a history of stroke", ["stroke"]),
        ("I was diagnosed with Foo-Bar syndrome last year", ["Foo-Bar syndrome"]),
        ("I tested positive for covid-19", ["covid-19"]),
        ("Diagnosis: breast cancer", ["breast cancer"]),
        ("diagnosis code F20.9 was billed", ["F20.9"]),
        ("Me diagnosticaron cáncer de mama", ["cáncer de mama"]),
        ("What is diabetes?", []),
        ("How is diabetes diagnosed?", []),
        ("What are the symptoms of lung cancer?", []),
        ("People diagnosed with diabetes often need insulin.", []),
        ("Can you have asthma without wheezing?", []),
        ("If a patient has cancer, what is the next step?", []),
        ("Does metformin help with type 2 diabetes?", []),
        ("Aspirin is used for heart disease", []),
        ("London has cancer research centres", []),
        ("The Great Depression began in 1929", []),
        ("What does ICD-10 code E11.9 mean?", []),
        ("Explain hepatitis B and hepatitis C", []),
        ("vitamin B12 and E11 are labels", []),
        ("Write a poem about a stroke of luck", []),
    ],
)
def test_a_condition_counts_when_somebody_has_it(text: str, conditions: list[str]):
    assert [text[f.start : f.end] for f in detect(text) if f.type == "diagnosis"] == conditions


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("diagnosis", "something rare", True),
        ("patient.diagnoses", "E11.9", True),
        ("medicalConditions", "asthma", True),
        ("hiv_status", "positive", True),
        ("diagnosis", "none", False),
        ("diagnosis", "", False),
        ("world/fact/mosquito/diseases", "malaria", False),
        ("diagnosis_date", "soon", False),
        ("disease_name_count", "12", False),
    ],
)
def test_a_declared_field_needs_no_sentence(field: str, value: str, found: bool):
    assert any(f.type == "diagnosis" for f in detect(value, field)) is found
