"""Checks that what many clients saw is a history of one object that does one thing at a time (linearizable).

For objects whose n-th update makes version n: counters that are incremented, logs that are appended to. Then the
result of each operation gives the order, which only has to agree with the order in time.
"""

import threading
import time
from itertools import groupby


class Operation:
    """An update that made `version`, or a read that saw it."""

    def __init__(self, kind, start, end, version):
        self.kind, self.start, self.end, self.version = kind, start, end, version

    def __repr__(self):
        return f"{self.kind} {self.version} [{self.start:.3f} {self.end:.3f}]"


class History:
    """Thread-safe."""

    def __init__(self):
        self.operations = []
        self._lock = threading.Lock()

    def record(self, kind, action):
        """Runs the action, whose result is the version. If it raises an exception, no operation is recorded."""
        start = time.monotonic()
        version = action()
        with self._lock:
            self.operations.append(Operation(kind, start, time.monotonic(), version))
        return version


def violation(operations):
    """None if the history is linearizable, else what contradicts that."""
    updates = sorted(op.version for op in operations if op.kind == "update")
    for one, next_one in zip(updates, updates[1:]):
        if one == next_one:
            return f"two updates made version {one}"

    def place(op):  # a read of a version comes between the update that made it and the next update
        return op.version, op.kind == "read"
    earliest_end = float("inf")  # of all operations with a later place
    for _, same in groupby(sorted(operations, key=place, reverse=True), key=place):
        same = list(same)
        for op in same:
            if op.start > earliest_end:
                return f"{op} began when something that comes after it had ended already, at {earliest_end:.3f}"
        earliest_end = min([earliest_end, *(op.end for op in same)])
    return None
