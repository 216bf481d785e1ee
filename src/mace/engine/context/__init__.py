"""Verbs of context packages."""
