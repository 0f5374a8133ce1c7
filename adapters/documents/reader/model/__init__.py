"""The trained model, as generated code; ``FORMAT`` in each module is the shape of its inputs."""
