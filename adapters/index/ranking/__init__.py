"""What ranks: which passages are worth a look, how well each answers, and which lines show it."""
