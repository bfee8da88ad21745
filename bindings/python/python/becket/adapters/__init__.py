"""Hooks in agent loops: `plain` for a loop of your own; the others for a framework's, by its own extension points.

Each module imports its framework, and nothing here imports them: take the one that you need.
"""
