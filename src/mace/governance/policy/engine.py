"""The policy engine: Cedar decides, this says which policy it was.

Pure: the library computes and touches nothing. It is imported when the first decision is needed. Silence is a no, an
error in a policy is a no, and a policy that cannot be parsed is refused when it is loaded, not when it is asked.
"""

from hashlib import sha256
from typing import Any

import orjson

from mace.core.errors import InvalidInput, PreconditionFailed
from mace.governance.access import Decision, Principal, Resource

DEFAULT_DENY = "default-deny"


class CedarPolicy:
    def __init__(self, text: str) -> None:
        self.text = text
        self.hash = sha256(text.encode()).hexdigest()
        try:
            self._parsed = _library().PolicySet.from_str(text)
            parts = orjson.loads(_library().policies_to_json_str(text))  # nests deeper than what MACE writes
        except ValueError:
            raise InvalidInput("the policy text does not parse") from None
        said = [policy.get("annotations", {}).get("id") for policy in parts["staticPolicies"].values()]
        if not said or not all(said) or len(said) != len(set(said)) or parts["templates"]:
            raise InvalidInput("every policy must have a unique @id, and templates are not supported")

    def decide(self, principal: Principal, action: str, resource: Resource) -> Decision:
        """Ask the policy; names are quoted by the library's own JSON, never pasted into Cedar."""
        request = {
            "principal": {"type": "Account", "id": principal.name},
            "action": {"type": "Action", "id": action},
            "resource": {"type": "Thing", "id": f"{resource.kind}/{resource.owner}"},
            "context": {
                "second_factor": principal.second_factor,
                "is_owner": principal.is_owner,
                "limited": bool(principal.scopes),
                "in_scope": action in principal.scopes,
            },
        }
        entities = [
            {
                "uid": request["principal"],
                "attrs": {"roles": sorted(principal.roles), "person": principal.person},
                "parents": [],
            },
            {"uid": request["resource"], "attrs": {"kind": resource.kind, "owner": resource.owner}, "parents": []},
        ]
        said = _library().is_authorized(request, self._parsed, entities)
        names = said.diagnostics.id_annotations_by_reason
        reasons = sorted(names.get(reason, reason) for reason in said.diagnostics.reasons)
        if said.diagnostics.errors:  # a policy that could not be evaluated may have been a forbid
            return Decision(False, "policy-error", self.hash)
        return Decision(bool(said.allowed), reasons[0] if reasons else DEFAULT_DENY, self.hash)


def _library() -> Any:
    try:
        import cedarpy
    except ImportError:
        raise PreconditionFailed("authorisation needs the package cedarpy: pip install cedarpy") from None
    return cedarpy
