"""Hooks in agent loops: `plain` for your own loop; the others for that of a framework, through its extension points.

Each module imports its framework, and nothing here imports them: import the one that you need.
"""
