"""OUTSIDE: ports to the world and the adapters that reach it."""
