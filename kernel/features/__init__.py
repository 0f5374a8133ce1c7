"""The decisions of the features, without effects."""
