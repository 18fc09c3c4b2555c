"""Sampling for estimates: the population, its frame, a design, the draw, labels, and what they say together."""
