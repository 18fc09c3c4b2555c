"""EvalLeak's report as text, JSON and a picture."""
