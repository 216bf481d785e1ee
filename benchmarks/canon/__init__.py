"""Canonical JSON beside orjson."""
