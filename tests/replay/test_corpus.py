"""The corpus: stored logs of earlier commits must still replay, each file as it was written."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mace import wiring
from mace.settings import Settings
from replay.make_corpus import programs_of

CORPUS = Path(__file__).resolve().parent / "corpus"
FILES = sorted(CORPUS.glob("*.zip"))


def unpacked(file: Path, folder: Path) -> tuple[dict[str, Any], Settings]:
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    (folder / "keys.json").chmod(0o600)
    settings = Settings(location=str(folder), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0)
    return json.loads((folder / "manifest.json").read_text()), settings


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_stored_question_matches(file: Path, tmp_path: Path):
    manifest, settings = unpacked(file, tmp_path)
    assert len(manifest["commit"]) == 40
    with wiring.open_mace(settings=settings, programs=programs_of(file.stem)) as mace:
        assert mace.verify()["ok"]
        logs = {job["job_id"]: job["log_id"] for job in mace.jobs.list(limit=1000)["items"]}
        for question in manifest["questions"]:
            outcome = mace.replay(question["job_id"])
            assert outcome["result"] == "MATCH", outcome
            log = mace.read_reflective_log(logs[question["job_id"]])
            first = question["error_codes"][0] if question["error_codes"] else None
            assert (log["final_answer"]["answer"], log["final_answer"]["error_code"]) == (question["answer"], first)


def test_the_corpus_stays_small():
    assert sum(file.stat().st_size for file in FILES) <= 400_000
