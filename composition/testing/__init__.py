"""The test kit: fakes, a faulty server, strategies and a contract suite."""
