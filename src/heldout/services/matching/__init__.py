"""Reading and matching in bounded memory: rows become links between inputs."""
