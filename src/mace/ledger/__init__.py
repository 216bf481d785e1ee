"""LEDGER: chains, tree, checkpoints, reflective logs and their verification. Pure: bytes in, decisions out."""
