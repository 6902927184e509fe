#!/usr/bin/env python3
"""Prints what a run of ctest found: failures, the slowest tests, what was skipped and why, and the totals.

Usage: scripts/test_summary.py JUNIT_FILE
"""

import sys
import xml.etree.ElementTree as ElementTree

SLOWEST = 10


def reason(case):
    """The line in which a skipped test says why."""
    lines = [line.strip() for line in case.findtext("system-out", "").splitlines() if line.strip()]
    said = [line.split(": ", 1)[1] for line in lines if line.lower().startswith("skipped: ")]
    return "; ".join(said) if said else lines[-1] if lines else "no reason given"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = {"run": [], "fail": [], "notrun": []}
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        status = case.get("status")
        skipped = case.find("skipped")
        # A test whose program is missing does not run either, but that is a failure.
        if status == "notrun" and (skipped is None or not skipped.get("message", "").startswith("SKIP_")):
            status = "fail"
        cases.setdefault(status, []).append(case)
    print("\nSlowest tests:")
    for case in sorted(cases["run"] + cases["fail"], key=lambda c: -float(c.get("time", 0)))[:SLOWEST]:
        print(f"  {float(case.get('time', 0)):7.1f} s  {case.get('name')}")
    for case in cases["notrun"]:
        print(f"Skipped: {case.get('name')}: {reason(case)}")
    for case in cases["fail"]:
        print(f"FAILED: {case.get('name')}")
    print(f"\ntests: {len(cases['run'])} passed, {len(cases['fail'])} failed, {len(cases['notrun'])} skipped")
    return 1 if cases["fail"] or not cases["run"] else 0


if __name__ == "__main__":
    sys.exit(main())
