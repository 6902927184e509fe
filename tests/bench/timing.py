"""Wall time and processor time of what a benchmark runs."""

import resource
import time
from contextlib import contextmanager


class Cost:
    wall = 0.0  # seconds
    cpu = 0.0  # seconds, user and system, of the children that ended meanwhile


@contextmanager
def cost():
    """Its value is filled when the block ends."""
    taken = Cost()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    yield taken
    taken.wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    taken.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
