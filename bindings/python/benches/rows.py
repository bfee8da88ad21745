"""Rows of measurements, as `cargo xtask bench` collects them: a line to read, and a line of JSON.

A sample is a number of nanoseconds. Ours and its floor are sampled in turns, so that both meet the same machine.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

Sample = Callable[[], float]


@dataclass(frozen=True)
class Must:
    """The target of a row: a ratio to its floor, or nanoseconds."""

    ratio: float | None = None
    nanos: float | None = None


class Bench:
    """The rows of one crate."""

    def __init__(self, crate: str) -> None:
        self.crate = crate
        self.is_quick = "--quick" in sys.argv[1:]

    def alone(self, row: str, must: Must, ours: Sample, note: str = "") -> None:
        """Measures without a floor, against a number or nothing."""
        taken = [(ours(), None) for _ in self._turns()]
        self._tell(row, must, statistics.median(ours for ours, _ in taken), None, None, note)

    def versus(self, row: str, must: Must, ours: Sample, floor: Sample, note: str) -> None:
        """Measures with a floor. The ratio is the median of the ratios of neighbouring samples."""
        pairs: list[tuple[float, float]] = []
        for turn in self._turns():
            # The second one runs with warm caches, so they take turns.
            if turn % 2 == 0:
                first = ours()
                pairs.append((first, floor()))
            else:
                first = floor()
                pairs.append((ours(), first))
        ratio = statistics.median(ours / floor for ours, floor in pairs)
        medians = [statistics.median(values) for values in zip(*pairs, strict=True)]
        self._tell(row, must, medians[0], medians[1], ratio, note)

    def _turns(self):
        until = time.perf_counter() + (0.4 if self.is_quick else 2.0)
        turn = 0
        while turn < 5 or time.perf_counter() < until:
            yield turn
            turn += 1

    def _tell(
        self, row: str, must: Must, ours: float, floor: float | None, ratio: float | None, note: str
    ) -> None:
        target, is_ok = None, None
        if must.ratio is not None and ratio is not None:
            target, is_ok = f"ratio <= {must.ratio}", ratio <= must.ratio
        elif must.nanos is not None:
            target, is_ok = f"<= {human(must.nanos)}", ours <= must.nanos
        told = {
            "crate": self.crate,
            "row": row,
            "unit": "nanos",
            "ours": ours,
            "floor": floor,
            "ratio": ratio,
            "must": target,
            "ok": is_ok,
            "note": note,
        }
        beside = "" if floor is None else f", floor {human(floor)}, ratio {ratio:.3f}"
        verdict = "" if target is None else f" (must: {target}) {'ok' if is_ok else 'MISSED'}"
        sys.stdout.write(f"{self.crate}: {row}: {human(ours)}{beside}{verdict}\n{json.dumps(told)}\n")
        sys.stdout.flush()


def human(nanos: float) -> str:
    """Formats nanoseconds in a suitable unit."""
    for limit, factor, unit in ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if nanos < limit:
            return f"{nanos / factor:.2f} {unit}"
    return f"{nanos / 1e9:.2f} s"
