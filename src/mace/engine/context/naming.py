"""How the ledger names a store."""

from mace.engine.kernel.cleaning import is_personal
from mace.providers.ports import Keys


def path_on_ledger(keys: Keys, path: str) -> str:
    """A store as the ledger names it: by its keyed hash where its path is personal."""
    return f"x-{keys.tag('store_path', path.encode())[:16]}" if is_personal(path) else path
