"""Compares azlock lock with flock and etcdctl lock: what it costs, and what happens when things go wrong. See
scripts/bench.sh lock."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import lock_cost  # noqa: E402
import lock_scenes  # noqa: E402
from lock_tools import available  # noqa: E402


def main():
    parser = argparse.ArgumentParser(prog="bench.sh lock")
    parser.add_argument("--built", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("part", nargs="?", choices=["cost", "scenes"])
    options = parser.parse_args()
    if not os.access(options.built / "azlock", os.X_OK):
        sys.exit(f"bench: {options.built / 'azlock'} is not there: leave --built out to have it built")
    with tempfile.TemporaryDirectory(prefix="azlock-bench-") as name:
        tools = available(options.built, Path(name))
        try:
            if options.part != "scenes":
                lock_cost.measure(tools, options.runs)
            if options.part != "cost":
                lock_scenes.play(tools, Path(name))
        finally:
            for tool in tools:
                tool.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
