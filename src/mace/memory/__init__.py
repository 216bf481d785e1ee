"""MEMORY: facts, context and experience. Pure rules; the stores are elsewhere."""
