"""Subtitles: WebVTT and SubRip."""
