"""A question: `ask`, from opening a job to its reflective log, and its replay."""
