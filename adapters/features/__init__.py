"""The effects of the features: what each of them speaks to, a folder each."""
