"""How sentences are read: pure functions from a text to what it says or asks."""
