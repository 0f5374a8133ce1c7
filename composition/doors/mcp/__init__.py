"""The web tools over the Model Context Protocol: the server, stdio, and the setup of clients.

The code that answers the first message imports only msgspec, because a client waits for it.
"""
