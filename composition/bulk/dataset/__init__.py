"""What a run leaves in its folder, and what is read out of it again."""
