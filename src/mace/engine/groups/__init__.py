"""Groups of verbs: `m.accounts`, `m.approvals` and the others, each for the caller of the MACE it belongs to."""
