"""What every dialect of the gateway is made of: calls, asks, replies, and how it says no."""
