"""The page reader beside trafilatura."""
