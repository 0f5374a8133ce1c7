"""Each part of the house made from settings, and the root that joins them."""
