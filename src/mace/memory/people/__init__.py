"""Memory of a person: what was said in conversations, and what of it goes into a prompt. Pure."""
