"""Memory of a person: turns are kept, and what matters of them, of facts and of rules is given back for a prompt."""
