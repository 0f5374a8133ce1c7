"""The tests of the features, each in a folder of its feature's name."""
