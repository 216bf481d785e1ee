"""What the settings say for a request that leaves it open.

Pure. A request given to `memory_read` means what the text says, whatever the settings are: these defaults are for
whoever asks with a query alone, and the request that is made of them names everything itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mace.core.errors import InvalidInput

_SHARE = 4  # without a limit of its own no record takes more than this part of the budget


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextDefaults:
    """Defaults of requests for context."""

    stores: tuple[str, ...] = ()
    budget_tokens: int = 2000
    per_item_tokens: int = 0  # 0: a quarter of the budget
    max_items: int = 50
    scorer: str = "phase7-v1"


def whole_request(
    defaults: ContextDefaults,
    query: str,
    *,
    stores: Sequence[str] | None = None,
    budget_tokens: int | None = None,
    per_item_tokens: int | None = None,
    max_items: int | None = None,
    now: str | None = None,
    trust: str | None = None,
    scorer: str | None = None,
) -> dict[str, Any]:
    """A request that names everything: what was given, the rest from the settings."""
    paths = list(defaults.stores if stores is None else stores)
    if not paths:
        raise InvalidInput("stores must be given, or the setting context_stores must name some")
    budget = defaults.budget_tokens if budget_tokens is None else budget_tokens
    per_item = defaults.per_item_tokens if per_item_tokens is None else per_item_tokens
    return {
        "query": query,
        "store_paths": paths,
        "budget": {
            "max_excerpt_tokens": budget,
            "per_item_max_excerpt_tokens": min(budget, per_item or max(1, budget // _SHARE)),
            "max_items": defaults.max_items if max_items is None else max_items,
        },
        "scoring": {"enable_recency_weight": now is not None},
        "trust_filter": {"trust_snapshot_path": trust},
        "now_utc": now,
        "controller_version": defaults.scorer if scorer is None else scorer,
    }
