"""The words of all passages, in a folder beside the index file that can be made anew from it."""
