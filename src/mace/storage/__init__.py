"""STORAGE: the ports of what is kept, and their adapters. Statements shared by SQL engines lie in `sql`."""
