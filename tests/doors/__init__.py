"""The tests of the doors, each in a folder of its door's name."""
