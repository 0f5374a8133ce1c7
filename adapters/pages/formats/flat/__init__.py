"""Documents of many parts that are one XML file, packed as their readers know them."""
