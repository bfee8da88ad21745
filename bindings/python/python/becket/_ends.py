"""Delivery of results to the loop that awaits them."""

from __future__ import annotations

import asyncio
import os
import weakref

from becket import _becket

# Loops keep references to what they watch until they are closed.
_watched: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, weakref.ref[_becket.Ends] | None]
_watched = weakref.WeakKeyDictionary()


def ends_of(loop: asyncio.AbstractEventLoop) -> _becket.Ends | None:
    """Returns the results of this thread's loop; None if it can't watch descriptors, and is called by a thread."""
    try:
        known = _watched[loop]
    except KeyError:
        return _watch(loop)
    return None if known is None else known()


def _watch(loop: asyncio.AbstractEventLoop) -> _becket.Ends | None:
    try:
        ends = _becket.Ends()
        loop.add_reader(ends.fileno(), ends.take)
    except Exception:  # Each kind of loop raises its own exception here.
        _watched[loop] = None
        return None
    _watched[loop] = weakref.ref(ends)
    return ends


if hasattr(os, "register_at_fork"):
    # A child must not notify a loop of its parent.
    os.register_at_fork(after_in_child=_watched.clear)
