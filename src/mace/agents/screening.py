"""The public form of the router: the privacy detector looks first."""

from collections.abc import Mapping
from typing import cast

from mace.agents.router import screened_route_query
from mace.core.answers import JsonInput, RouteAnswer
from mace.governance.detectors import HIGH, detect


def route_query(
    query_text: str, user_id: str | None = None, context_tags: Mapping[str, JsonInput] | None = None
) -> RouteAnswer:
    """Return `{agent_id, route_reason, depth}`, or `{error_code, user_message}` for what is not routed."""
    return cast(RouteAnswer, screened_route_query(query_text, user_id, context_tags, pii=_has_high))


def _has_high(text: str) -> bool:
    return any(finding.sensitivity == HIGH for finding in detect(text))
