"""Write the dataset of a run, and read it again."""
