"""What another tool gets beside azlock: scripts/bench.sh cas-beside [SECONDS].

Six loops of cas-update change a counter. A seventh writer knows nothing of azlock's turns: it reads and writes with
If-Match every 50 ms, as a script with an SDK does, whether it was refused or not. Prints a table for docs/cas.md.
AZLOCK_BIN names the binary.
"""

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "e2e"))
from cas import CONTAINER, azlock  # noqa: E402
from support.rest import Rest  # noqa: E402

WRITERS = 6
PACE = 0.05  # seconds after each try of the other tool
SLOW = ["--", "sh", "-c", "n=$(cat); sleep 0.3; echo $((n + 1))"]


def other_tool(rest, blob, ended):
    """Returns how often the service answered what, and the seconds of each update."""
    answers, seconds = {}, []
    while not ended.is_set():
        start = time.monotonic()
        while not ended.is_set():
            _, headers, content = rest.request("GET", CONTAINER, blob)
            status, headers, _ = rest.request(
                "PUT", CONTAINER, blob, headers={"x-ms-blob-type": "BlockBlob", "If-Match": headers["ETag"]},
                body=str(int(content) + 1).encode(), expect=(201, 412))
            answer = headers.get("x-ms-error-code", "written")
            answers[answer] = answers.get(answer, 0) + 1
            time.sleep(PACE)
            if status == 201:
                seconds.append(time.monotonic() - start)
                break
    return answers, seconds


def measure(name, blob, length, update):
    azlock("cas-update", f"{CONTAINER}/{blob}", "--create", "--add", "0")
    ended, done = threading.Event(), []

    def writer(_):
        while not ended.is_set():
            azlock("cas-update", f"{CONTAINER}/{blob}", "-w", "2m", *update)
            done.append(1)
    port = int(os.environ["AZURE_STORAGE_CONNECTION_STRING"].split("127.0.0.1:")[1].split("/")[0])
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        other = pool.submit(other_tool, Rest(port), blob, ended)
        writers = [pool.submit(writer, number) for number in range(WRITERS)]
        time.sleep(length)
        ended.set()
        for one in writers:
            one.result()
        answers, seconds = other.result()
    sum_of_all = int(azlock("download", f"{CONTAINER}/{blob}", "-"))
    exact = "exact" if sum_of_all == len(done) + len(seconds) else f"{sum_of_all} of {len(done) + len(seconds)}"
    tries = sum(answers.values())
    seconds.sort()
    print(f"| {name} | {exact} | {len(done)} | {len(seconds)} | {tries} | "
          f"{100 * answers.get('LeaseIdMissing', 0) / tries:.0f} % | {100 * answers.get('ConditionNotMet', 0) / tries:.0f} % | "
          f"{seconds[len(seconds) // 2]:.2f} s | {seconds[-1]:.1f} s |", flush=True)


def main(length=20):
    azlock("container", "create", CONTAINER)
    print("| six azlocks | sum | their updates | its updates | its tries | refused: lease | refused: changed | "
          "median | slowest |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    measure("`--add 1`", "quick", float(length), ["--add", "1"])
    measure("a command of 0.3 s", "slow", float(length), SLOW)


if __name__ == "__main__":
    main(*sys.argv[1:])
