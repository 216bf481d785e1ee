"""The ledger: appending and verifying, beside raw SQLite."""
