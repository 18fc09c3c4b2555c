"""Pictures: one model of what is drawn, made from values of the domain, and two renderers of it (SVG, Vega-Lite)."""
