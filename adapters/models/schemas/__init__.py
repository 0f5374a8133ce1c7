"""JSON schemas cut down to what each API takes."""
