"""Files of many pages: WARC, Parquet, lists of them; packages of ``webseam[bulk]`` are here."""
