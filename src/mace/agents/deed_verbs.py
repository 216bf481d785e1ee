"""The verbs of deeds, by kind: what nobody does by saying words. Data only; `orders` and `deeds` read them.

Each entry is the plain form and the participle, with `+` for a space.
"""

from collections.abc import Mapping
from types import MappingProxyType

_KINDS = {
    "store": "save/saved store/stored remember/remembered note/noted record/recorded log/logged keep/kept "
    "memorize/memorized memorise/memorised commit/committed file/filed archive/archived register/registered "
    "jot+down/jotted+down write+down/written+down back+up/backed+up pin/pinned bookmark/bookmarked",
    "send": "send/sent email/emailed e-mail/e-mailed mail/mailed message/messaged text/texted forward/forwarded "
    "post/posted publish/published deliver/delivered submit/submitted upload/uploaded download/downloaded "
    "share/shared ship/shipped dispatch/dispatched return/returned pass+on/passed+on hand+over/handed+over "
    "tweet/tweeted fax/faxed issue/issued",
    "delete": "delete/deleted remove/removed erase/erased clear/cleared wipe/wiped purge/purged shred/shredded "
    "forget/forgotten cancel/cancelled cancel/canceled revoke/revoked terminate/terminated unsubscribe/unsubscribed "
    "empty/emptied trash/trashed",
    "book": "schedule/scheduled reschedule/rescheduled book/booked reserve/reserved arrange/arranged move/moved "
    "postpone/postponed confirm/confirmed invite/invited assign/assigned enroll/enrolled enrol/enrolled "
    "sign+up/signed+up subscribe/subscribed check+in/checked+in",
    "change": "change/changed update/updated upgrade/upgraded set/set set+up/set+up reset/reset modify/modified "
    "edit/edited rename/renamed configure/configured enable/enabled disable/disabled activate/activated "
    "deactivate/deactivated install/installed uninstall/uninstalled add/added create/created copy/copied "
    "apply/applied renew/renewed extend/extended adjust/adjusted block/blocked unblock/unblocked "
    "mute/muted unmute/unmuted lock/locked unlock/unlocked grant/granted approve/approved merge/merged sync/synced",
    "contact": "notify/notified inform/informed alert/alerted contact/contacted call/called phone/phoned ring/rung "
    "remind/reminded tell/told reply/replied escalate/escalated report/reported page/paged",
    "pay": "pay/paid pay+out/paid+out transfer/transferred refund/refunded charge/charged credit/credited "
    "debit/debited wire/wired donate/donated tip/tipped reimburse/reimbursed",
    "buy": "order/ordered place/placed buy/bought purchase/purchased sell/sold rent/rented",
    "run": "turn+on/turned+on turn+off/turned+off turn+up/turned+up turn+down/turned+down switch+on/switched+on "
    "switch+off/switched+off shut+down/shut+down open/opened close/closed start/started stop/stopped "
    "restart/restarted reboot/rebooted launch/launched deploy/deployed run/run execute/executed "
    "complete/completed perform/performed process/processed handle/handled resolve/resolved sign/signed "
    "print/printed scan/scanned clean/cleaned fix/fixed repair/repaired play/played log+out/logged+out "
    "dim/dimmed take+care+of/taken+care+of do/done sort+out/sorted+out",
}


def _forms(words: str) -> tuple[tuple[str, str], ...]:
    pairs = [pair.replace("+", " ").partition("/") for pair in words.split()]
    return tuple((plain, participle) for plain, _, participle in pairs)


KINDS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {kind: _forms(words) for kind, words in _KINDS.items()}
)
PLAIN = frozenset(plain.split()[0] for pairs in KINDS.values() for plain, _ in pairs)
PARTICIPLES = frozenset(participle for pairs in KINDS.values() for _, participle in pairs)
CONTACTED = frozenset(participle for _, participle in KINDS["contact"])
