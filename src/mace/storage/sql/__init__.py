"""What SQL engines share: the statements, the tables over them, the group commit. An engine adds its connection."""
