"""The one place of the version."""

VERSION = "0.1.0"
SYSTEM_VERSION = f"mace-{VERSION}"  # as logs and snapshots name it
