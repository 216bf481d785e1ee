"""`mace sweep`: what time alone causes, done now. Programs that stay open do it by themselves; commands do not."""

from typing import TYPE_CHECKING, Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import SweepReport


@command("sweep")
@click.pass_obj
def sweep(session: Session) -> None:
    """Do what time alone causes; run it every hour by cron or a timer.

    Requests the deletion of what expired consents let in, closes approvals that nobody decided and questions whose
    process died, interrupts programs and blocks whose process died (they can be resumed), alerts admins of subject
    requests that wait, erases jobs without a person after anonymous_retention_days, and wipes what erasures left in the
    files of the store. For operators and admins.

    \b
    17 * * * *  mace -C /srv/mace sweep --quiet
    """
    with session.open("sweep") as mace:
        done = mace.sweep()
    output.show(session, done, _text(done))


def _text(done: "SweepReport") -> list[str]:
    wiped = "nothing is left to wipe" if done["erasures_cleared"] else "not done: somebody is reading; run it again"
    pairs: list[tuple[str, Any]] = [
        ("expired consents", done["expired_consents"]),
        ("expired approvals", done["expired_approvals"]),
        ("jobs that lost their process", done["abandoned_jobs"]),
        ("erased jobs", done["erased_jobs"]),
        ("alerts", done["alerts"]),
        ("erasures", wiped),
    ]
    return output.fields(pairs, "")
