"""BRIDGES: other libraries' interfaces on the record. `mace.bridges` gives them their public names."""
