"""One folder per API: the same seven pure functions each, and the fold of its event stream."""
