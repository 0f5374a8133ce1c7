"""What surrounds a call: the session it belongs to, its end, the stages of a model call."""
