"""What goes out with a wheel: whether its packages are safe to use, and the list of them."""
