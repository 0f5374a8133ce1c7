"""Files of many pages: WARC, Parquet, lists. The packages of ``webseam[bulk]`` are used here."""
