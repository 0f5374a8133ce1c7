"""One pure file per API: the same seven functions each, and the fold of its event stream."""
