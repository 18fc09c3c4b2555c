"""Leaks between splits as EvalLeak reports them."""
