"""What doors need and no open store is needed for: checking exports and proofs, finding personal data, envelopes."""
