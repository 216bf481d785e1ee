"""EXPERIENCE: what an agent has lived through, in a form that decays, is consolidated and can be trusted.

Pure rules: the matrix and the tags (`megrams`), potentials (`potentials`), what is kept of a pair (`pairs`), what the
Dreamer decides (`dreaming`) and writes (`distilling`). Rows, events and time come from elsewhere.
"""
