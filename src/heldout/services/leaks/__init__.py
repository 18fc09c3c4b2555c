"""EvalLeak's job: contamination reports over manifests and data files."""
