"""GOVERNANCE: what may be stored, said and undone, and by whom. Pure decisions."""
