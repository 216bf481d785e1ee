"""`ask` on a known fact."""
