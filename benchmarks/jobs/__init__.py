"""Jobs: a recorded call beside LangGraph's node and DBOS's step; branches, replay and resume."""
