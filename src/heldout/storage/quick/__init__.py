"""JSON Lines read fast, where that is proven to read exactly."""
