"""The verbs of experience and what stands behind them.

`verbs` is what callers hold; `feed` brings the ledger's events into the store of experience, `projection` says what
each of them does there; `dreams` carries out what the Dreamer decides; `transfer` moves everything elsewhere.
"""
