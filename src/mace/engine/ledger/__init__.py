"""Verbs of the record: logs, proofs, verification, attestation, incidents."""
