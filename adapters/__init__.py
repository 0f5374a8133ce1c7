"""Effects, without decisions. Here the small ones: files, caches, threads, timers."""
