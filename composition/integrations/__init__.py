"""The tools in the shapes of agent frameworks: one file each, loaded when it is asked for."""
