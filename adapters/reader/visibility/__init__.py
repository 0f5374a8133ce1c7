"""Find the parts that a page hides by style, by colour or in a closed panel."""
