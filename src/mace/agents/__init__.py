"""AGENTS of a question: router, agents, council, health. Pure: they ask for effects and never perform them."""
