"""ROLES of a goal. Pure: they hear messages and say messages."""
