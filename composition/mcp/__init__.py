"""The tools over the Model Context Protocol: standard input and output, HTTP, and setting it up.

What answers the first message loads msgspec and nothing else: a client waits for it.
"""
