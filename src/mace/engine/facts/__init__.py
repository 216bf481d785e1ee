"""Verbs of exact facts: put, get, names, imports, queued writes."""
