"""Subtitles: WebVTT, SubRip, SubViewer, SubStation Alpha and TTML."""
