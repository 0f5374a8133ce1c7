"""What ``webseam setup`` asks, and of whom."""
