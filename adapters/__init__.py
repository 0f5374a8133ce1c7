"""Effects, without decisions. Here the small ones: files, dates, threads, callbacks, schemas."""
