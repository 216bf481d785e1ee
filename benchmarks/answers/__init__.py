"""What `ask` understands, and what it must never say: rates over texts that were written before the code was."""
