"""The kernel of a job: its tape, its record, its keys, and what to do when a store fails."""
