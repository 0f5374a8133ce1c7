"""Lists of things in XML: outlines, places on a map, translations."""
