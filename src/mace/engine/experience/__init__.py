"""The verbs of experience and what stands behind them.

`service` has the verbs, and nothing else that is public; `writes` is how a Megram gets onto the ledger and is taken
back. `feed` brings the ledger's events into the store of experience, `projection` says what each of them does there;
`dreams` carries out what the Dreamer decides; `transfer` moves everything elsewhere; `work` is what runs when no caller
waits. They share `parts`.
"""
