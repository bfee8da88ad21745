"""Threads for handlers that are plain functions, so that no loop waits for one.

They are daemons: one that never returns delays neither a verdict nor the end of the program.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

# The number of idle threads that are kept.
_SPARE = 8

Job = Callable[[], None]


class Workers:
    """As many threads as there are jobs."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def submit(self, job: Job) -> None:
        """Runs it on a separate thread. It must not raise."""
        with self._lock:
            needs_thread = self._idle == 0
            if not needs_thread:
                self._idle -= 1
        if needs_thread:
            threading.Thread(target=self._work, name="becket-hook", daemon=True).start()
        # A thread keeps its arguments until it ends, and a job keeps its engine: it passes through the queue.
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            job()
            del job
            with self._lock:
                if self._idle >= _SPARE:
                    return
                self._idle += 1


workers = Workers()


def _forked() -> None:
    global workers
    workers = Workers()


def submit(job: Job) -> None:
    """Runs it on one of the process's threads."""
    workers.submit(job)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
