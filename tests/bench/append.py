"""Appending lines from a pipe: azlock and a loop of the JavaScript SDK's appendBlock, in turn, to one Azurite. See
scripts/bench.sh append.

Prints medians of wall time as lines/s and MiB/s, and of the client's CPU per GiB. The server, on the same machine, sets
the pace of both; only the CPU time differs. Every run's blob is compared with what was piped.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from support.azurite import Azurite  # noqa: E402
from support.rest import Rest  # noqa: E402
from timing import cost  # noqa: E402

MIB = 1024 * 1024
BLOCK = MIB
LINE = b"2026-11-21T08:00:00.000000Z a line of a log, of about the usual length, number %010d\n"


def clients(binary):
    append = [binary, "append", "bench/{}", "--batch-size", str(BLOCK)]
    return {
        "azlock append": append,
        "azlock append --lines": [*append, "--lines"],
        "azlock append --no-lease": [*append, "--no-lease"],
        "SDK appendBlock loop": ["node", str(HERE / "append_sdk.js"), "bench", "{}", str(BLOCK)],
    }


def measure(command, blob, source, environment):
    with cost() as taken, open(source, "rb") as stdin:
        reader = subprocess.Popen(["cat"], stdin=stdin, stdout=subprocess.PIPE)
        subprocess.run([word.replace("{}", blob) for word in command], stdin=reader.stdout, env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
        reader.stdout.close()
        reader.wait()
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    azurite = Azurite()
    try:
        with tempfile.TemporaryDirectory(prefix="azlock-bench-") as folder:
            run(options, azurite, Path(folder) / "lines")
    finally:
        azurite.stop()


def run(options, azurite, source):
    rest = Rest(azurite.port)
    rest.create_container("bench")
    count = options.mib * MIB // len(LINE % 0)
    source.write_bytes(b"".join(LINE % number for number in range(count)))
    content = source.read_bytes()
    environment = dict(os.environ, AZURE_STORAGE_CONNECTION_STRING=azurite.connection_string())
    results = {name: [] for name in clients("")}
    for number in range(options.runs):
        for name, command in clients(os.path.abspath(os.environ["AZLOCK_BIN"])).items():
            blob = f"{number}-{len(results[name])}-{name.replace(' ', '')}"
            results[name].append(measure(command, blob, source, environment))
            if rest.get("bench", blob) != content:
                raise SystemExit(f"{name}: the blob is not what was piped")
            rest.request("DELETE", "bench", blob)
    size = len(content) / MIB
    print(f"{count} lines, {size:.0f} MiB, blocks of {BLOCK // MIB} MiB, medians of {options.runs}\n")
    print("| | lines/s | MiB/s | CPU s per GiB |\n|---|---|---|---|")
    for name, runs in results.items():
        wall = statistics.median(taken.wall for taken in runs)
        cpu = statistics.median(taken.cpu for taken in runs)
        print(f"| {name} | {count / wall:,.0f} | {size / wall:.0f} | {cpu / size * 1024:.2f} |")


if __name__ == "__main__":
    main()
