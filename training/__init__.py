"""Train the page reader's model: features by the reader itself, trees by LightGBM, code out."""
