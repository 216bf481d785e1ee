"""Memory of a person beside mem0 and LangGraph's store: speed, and which of the turns that matter come back."""
