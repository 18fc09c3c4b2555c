"""Holdouts in the tools that evaluate with them: one module for each, each of them only a change of shape.

Every loader asks the gate first and raises where it is called, because that is where a harness stops: an error in a
task's dataset ends the run, while an error in a harness's hook is often only logged. No module here imports its
harness before it is used.
"""
