"""Downloading one blob into a file: azlock, the JavaScript SDK and curl, in turn, from one Azurite. See
scripts/bench.sh download."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from support.azurite import ACCOUNT, Azurite  # noqa: E402
from support.rest import Rest  # noqa: E402
from timing import cost  # noqa: E402

MIB = 1024 * 1024
AT_ONCE = "4"


def clients(port, file):
    out = {
        "azlock download": [os.environ["AZLOCK_BIN"], "download", "bench/b", file, "--concurrency", AT_ONCE, "-q"],
        "SDK downloadToBuffer": ["node", HERE / "sdk_download.js", "bench", "b", file, AT_ONCE],
        "curl": ["curl", "-sSf", "-o", file, f"http://127.0.0.1:{port}/{ACCOUNT}/bench/b"],
    }
    return {name: command for name, command in out.items() if shutil.which(command[0])}


def main():
    parser = argparse.ArgumentParser(prog="bench.sh download")
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    azurite = Azurite()
    try:
        with tempfile.TemporaryDirectory(prefix="azlock-bench-") as folder:
            run(options, azurite, Path(folder) / "copy")
    finally:
        azurite.stop()


def run(options, azurite, file):
    rest = Rest(azurite.port)
    # curl does not sign requests.
    rest.request("PUT", "bench", query={"restype": "container"}, headers={"x-ms-blob-public-access": "container"})
    content = os.urandom(options.mib * MIB)
    rest.put("bench", "b", content)
    environment = dict(os.environ, AZURE_STORAGE_CONNECTION_STRING=azurite.connection_string())
    results = {name: [] for name in clients(azurite.port, file)}
    for _ in range(options.runs):
        for name, command in clients(azurite.port, file).items():
            file.unlink(missing_ok=True)
            with cost() as taken:
                subprocess.run(command, env=environment, check=True)
            if file.read_bytes() != content:
                raise SystemExit(f"{name}: the file is not the blob")
            results[name].append(taken)
    print(f"{options.mib} MiB, {AT_ONCE} ranges at once (curl: one request), medians of {options.runs}\n")
    print("| | MiB/s | CPU s per GiB |\n|---|---|---|")
    for name, runs in results.items():
        wall, cpu = statistics.median(r.wall for r in runs), statistics.median(r.cpu for r in runs)
        print(f"| {name} | {options.mib / wall:.0f} | {cpu / options.mib * 1024:.2f} |")


if __name__ == "__main__":
    main()
