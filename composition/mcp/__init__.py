"""The web tools over the Model Context Protocol: stdio, HTTP and client setup.

The code that answers the first message imports only msgspec, because a client waits for it.
"""
