"""Several processes at one port: who does what, what is passed between them, who watches them."""
