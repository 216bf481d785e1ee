"""CORE: the nouns everyone shares. Standard library, orjson and rfc8785 only; no clock, no file, no randomness."""
