"""`mace log`: the record of decisions and the ledger under it."""

from mace.interfaces.cli.app import group

_HERE = "mace.interfaces.cli.log"


@group(
    "log",
    {
        "show": (f"{_HERE}.show:show", "Show recent logs, one log, or the events of a job."),
        "write": (f"{_HERE}.write:write", "Write a reflective log from JSON."),
        "amend": (f"{_HERE}.write:amend", "Add a correction to a log; the log itself is unchanged."),
        "annotate": (f"{_HERE}.write:annotate", "Append feedback, a label or a tag to a log."),
        "verify": (f"{_HERE}.verify:verify", "Check every byte of the store, or an exported log alone."),
        "checkpoint": (f"{_HERE}.proofs:checkpoint", "Sign the head of the log and keep it outside the store."),
        "export": (f"{_HERE}.export:export", "Write the log to a file that anyone can verify."),
        "prove": (f"{_HERE}.proofs:prove", "Prove that an event is in the log."),
        "consistency": (f"{_HERE}.proofs:consistency", "Prove that the log only grew."),
        "verify-proof": (f"{_HERE}.proofs:verify_proof", "Check a proof with nothing but the public key."),
        "attest": (f"{_HERE}.attest:attest", "Sign off all current findings; the log then continues."),
        "unhalt": (f"{_HERE}.attest:unhalt", "Allow replays again after an incident was attested."),
    },
)
def log() -> None:
    """Show, write, amend, export, prove and verify the log."""
