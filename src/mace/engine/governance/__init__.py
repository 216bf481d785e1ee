"""Verbs of governance: who may, who agreed, who decides, what is erased."""
