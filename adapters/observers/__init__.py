"""What plugins that come with us keep: lines, counts, recordings, spans."""
