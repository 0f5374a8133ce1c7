"""The local index beside other engines."""
