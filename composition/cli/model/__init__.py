"""What ``webseam model`` does besides asking."""
