"""Why these and not others: what made each selected item's score, and how many were dropped for which reason.

Pure. Costs nothing beyond the selection: the hash and the `dropped` list are not needed for it.
"""

from typing import Any

from mace.memory.context.package import ContextPackage


def explain(package: ContextPackage) -> dict[str, Any]:
    """Return `{controller_version, terms, budget, selected: [...], dropped: {reason: count}}`."""
    return {
        "controller_version": package.controller_version,
        "terms": list(package.terms),
        "budget": package.budget,
        "selected": [
            {
                "memory_id": item["memory_id"],
                "store_path": item["store_path"],
                "score": score.score,
                "terms": list(score.terms),
                "tags": list(score.tags),
                "recency_bonus": score.recency_bonus,
                "excerpt_tokens": item["excerpt_tokens"],
                **score.details,
            }
            for item, score in zip(package.selected, package.scores, strict=True)
        ],
        "dropped": package.dropped_summary(),
    }
