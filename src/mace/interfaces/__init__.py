"""DOORS: parse, call one verb, show."""
