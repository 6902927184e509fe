"""Many writers on one counter: scripts/bench.sh cas [WRITERS [UPDATES]].

Prints a table for docs/cas.md: azlock with and without turns, azlock through a proxy that loses a tenth of the answers,
and the plain optimistic loop of the JavaScript SDK. AZLOCK_BIN names the binary.
"""

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "e2e"))
from support.azurite import connection_string  # noqa: E402
from support.proxy import Proxy  # noqa: E402
from test_cas_contention import Lossy  # noqa: E402

CONTAINER = "casbench"


def azlock(*arguments, environment=None):
    done = subprocess.run([os.environ["AZLOCK_BIN"], *arguments], capture_output=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments}: {done.returncode} {done.stderr.decode()}")
    return done.stdout


def with_azlock(blob, writers, updates, flags, environment):
    tries, seconds, lock = [], [], threading.Lock()

    def writer(_):
        for _ in range(updates):
            start = time.monotonic()
            report = json.loads(azlock("cas-update", f"{CONTAINER}/{blob}", "--json", "--add", "1", "-w", "2h",
                                       *flags, environment=environment))
            with lock:
                tries.append(report["tries"])
                seconds.append(time.monotonic() - start)
    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(writer, range(writers)))
    return tries, seconds


def with_sdk(blob, writers, updates):
    done = subprocess.run(["node", FOLDER / "cas.js", CONTAINER, blob, str(writers), str(updates)], capture_output=True,
                          check=True)
    result = json.loads(done.stdout)
    return result["tries"], result["seconds"]


def measure(name, blob, writers, updates, run):
    azlock("cas-update", f"{CONTAINER}/{blob}", "--create", "--add", "0")
    start = time.monotonic()
    tries, seconds = run(blob, writers, updates)
    wall = time.monotonic() - start
    value = int(azlock("download", f"{CONTAINER}/{blob}", "-"))
    exact = "exact" if value == writers * updates else f"{value} of {writers * updates}"
    seconds.sort()
    print(f"| {name} | {writers} x {updates} | {exact} | {sum(tries) / len(tries):.2f} | {max(tries)} | {wall:.1f} s | "
          f"{1000 * wall / len(tries):.0f} ms | {seconds[len(seconds) // 2]:.2f} s | {seconds[-1]:.1f} s |", flush=True)


def main(writers=64, updates=20, *only):
    port = int(os.environ["AZURE_STORAGE_CONNECTION_STRING"].split("127.0.0.1:")[1].split("/")[0])
    proxy = Proxy(port)
    lossy = Lossy()
    proxy.on(lambda request: True, lossy, times=None, needed=False)
    through = dict(os.environ, AZURE_STORAGE_CONNECTION_STRING=connection_string(proxy.port))
    azlock("container", "create", CONTAINER)
    print("| | writers x updates | sum | tries per success | most tries | wall time | per update | median | slowest |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    variants = {
        "azlock": lambda *a: with_azlock(*a, [], None),
        "azlock, a tenth of the answers lost": lambda *a: with_azlock(*a, [], through),
        "azlock --no-lease-fallback": lambda *a: with_azlock(*a, ["--no-lease-fallback"], None),
        "JavaScript SDK, plain loop": with_sdk,
    }
    for number, (name, run) in enumerate(variants.items()):
        if not only or str(number) in only:
            measure(name, f"n{number}-{writers}", int(writers), int(updates), run)
    print(f"answers lost: {lossy.lost}")


if __name__ == "__main__":
    main(*sys.argv[1:])
