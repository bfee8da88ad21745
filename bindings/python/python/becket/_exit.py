"""The end of the program: engines are closed, so that their hooks end, and none of our threads enters the interpreter again."""

from __future__ import annotations

import atexit
import os
import weakref

from becket import _becket

_sessions: weakref.WeakSet[_becket.Session] = weakref.WeakSet()


def remember(session: _becket.Session) -> None:
    """Ensures that it is closed at the end of the program."""
    _sessions.add(session)


def _close() -> None:
    for session in list(_sessions):
        session.close()
    _becket.close_interpreter()


def _forked() -> None:
    # They belong to the parent, and end with it.
    _sessions.clear()


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
