"""What a person looking at the page would not see: hidden by style, colour, or a closed panel."""
