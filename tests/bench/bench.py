"""Runs the clients in turn against a fresh sink each time, and prints medians and ratios. See scripts/bench.sh."""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import clients  # noqa: E402

MIB = 1024 * 1024
SMALL_SIZE = 4096
RUN_SECONDS = 600


class Sink:
    """A server for one run, so that it counts only that run."""

    def __init__(self, build, tls, latency, scratch):
        self.certificate = scratch / "certificate.pem" if tls else None
        command = [build / "bench/bench_sink", "--latency", str(latency)]
        if tls:
            command += ["--tls", self.certificate]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        report = self.process.stdout.read()
        self.process.wait()
        return json.loads(report)


def finish(command, environment, folder):
    """Returns exit code and output. Nothing that was started is left if this is interrupted."""
    process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        out, _ = process.communicate(timeout=RUN_SECONDS)
        return process.returncode, out
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def run(build, client, kind, source, tls, latency, scratch):
    """One run: what the client used and what the sink saw. Ends the program if the upload was not right."""
    sink = Sink(build, tls, latency, scratch)
    try:
        place = clients.Place(sink.port, sink.certificate, scratch)
        command = [os.fspath(part) if isinstance(part, Path) else str(part) for part in getattr(client, kind)(place, source)]
        result = scratch / "result.json"
        code, out = finish([build / "bench/bench_meter", result, "--", *command], place.environment(), scratch)
    finally:
        seen = sink.stop()
    if code != 0:
        sys.exit(f"bench: {client.name}: {out}")
    used = json.loads(result.read_text())
    sources = [source] if source.is_file() else list(source.iterdir())
    expected = {"committed_blobs": len(sources), "committed_bytes": sum(path.stat().st_size for path in sources)}
    found = {name: seen[name] for name in expected}
    if used["exit_code"] != 0 or found != expected:
        sys.exit(f"bench: {client.name}: exit code {used['exit_code']}, {found} instead of {expected}\n"
                 f"{' '.join(command)}\n{out}")
    return {**used, **seen}


def measure(options, kind, source, tls, scratch):
    """Alternates between the clients; {name: [run, ...]}."""
    able = [client for client in options.clients if getattr(client, kind)]
    runs = {client.name: [] for client in able}
    for _ in range(options.runs):
        for client in able:
            runs[client.name].append(run(options.built, client, kind, source, tls, options.latency, scratch))
    return {client: runs[client.name] for client in able}


def median(runs, key):
    return statistics.median(one[key] for one in runs)


def print_files(options, measured, tls, size):
    floors = {client.name: runs for client, runs in measured.items()}
    print(f"\n{'https' if tls else 'http'}: one file of {size // MIB} MiB in blocks of {clients.BLOCK_MIB} MiB, "
          f"{clients.AT_ONCE} at once, {options.latency} ms added to each answer, medians of {options.runs}")
    print(f"{'client':16} {'CPU s/GiB':>9} {'x floor':>8} {'wall s':>8} {'x floor':>8} {'peak MiB':>9} {'requests':>9}")
    for client, runs in measured.items():
        base = floors.get(client.floor, runs)
        cpu, wall = median(runs, "cpu_seconds"), median(runs, "wall_seconds")
        print(f"{client.name:16} {cpu * 1024 * MIB / size:9.2f} {ratio(cpu, median(base, 'cpu_seconds')):>8} {wall:8.2f} "
              f"{ratio(wall, median(base, 'wall_seconds')):>8} {median(runs, 'max_rss_bytes') / MIB:9.1f} "
              f"{median(runs, 'requests'):9.0f}")


def print_small(options, measured, tls):
    print(f"\n{'https' if tls else 'http'}: {options.small} files of {SMALL_SIZE} bytes, {clients.AT_ONCE} at once, "
          f"{options.latency} ms added to each answer, medians of {options.runs}")
    print(f"{'client':16} {'files/s':>9} {'x floor':>8} {'CPU us/file':>12} {'peak MiB':>9} {'requests':>9}")
    best = None
    for client, runs in measured.items():
        rate = options.small / median(runs, "wall_seconds")
        best = best or rate
        print(f"{client.name:16} {rate:9.0f} {ratio(rate, best):>8} "
              f"{median(runs, 'cpu_seconds') * 1e6 / options.small:12.0f} "
              f"{median(runs, 'max_rss_bytes') / MIB:9.1f} {median(runs, 'requests'):9.0f}")


def ratio(value, base):
    return f"{value / base:.2f}" if base > 0 else "-"


def check_requests(measured, blocks):
    """The floor needs one request for each block and the commit; azlock may also look and list."""
    for client, runs in measured.items():
        allowed = {"floor": 1, "azlock": 3}.get(client.name.split()[0])
        for one in runs:
            if one["operations"].get("Put Block") != blocks or (allowed and one["requests"] > blocks + allowed):
                sys.exit(f"bench: {client.name}: {blocks} blocks took {one['operations']}")


def check_small(measured, files):
    for client, runs in measured.items():
        for one in runs:
            if one["operations"] != {"Put Blob": files}:
                sys.exit(f"bench: {client.name}: {files} small files took {one['operations']}")


def make_sources(scratch, size, small):
    file, folder = scratch / "file", scratch / "folder"
    with open(file, "wb") as out:
        for at in range(0, size, MIB):
            out.write(os.urandom(min(MIB, size - at)))
    folder.mkdir()
    for number in range(small):
        (folder / f"{number:06}").write_bytes(os.urandom(SMALL_SIZE))
    return file, folder


def parse():
    parser = argparse.ArgumentParser(prog="bench.sh")
    parser.add_argument("--built", type=Path, required=True)
    parser.add_argument("--size", type=int, default=1024, help="MiB")
    parser.add_argument("--small", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--latency", type=int, default=0)
    parser.add_argument("--scheme", choices=["http", "https", "both"], default="both")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.size, options.small, options.runs, options.only = 20, 20, 1, ["floor", "azlock"]
    if min(options.size, options.small, options.runs) < 1 or options.latency < 0:
        parser.error("a number is out of range")
    for program in ("azlock", "bench/bench_sink", "bench/bench_floor", "bench/bench_meter"):
        if not os.access(options.built / program, os.X_OK):
            sys.exit(f"bench: {options.built / program} is not there: leave --built out to have it built")
    options.clients = [clients.floor(options.built, "sha256"), clients.floor(options.built, "xxh3"),
                       *clients.azlock(options.built), *clients.peers()]
    if options.only:
        options.clients = [one for one in options.clients if any(one.name.startswith(name) for name in options.only)]
    if not options.clients:
        parser.error("no such client is here")
    return options


def main():
    options = parse()
    size = options.size * MIB - 1  # so that the last block is a short one
    blocks = -(-size // (clients.BLOCK_MIB * MIB))
    with tempfile.TemporaryDirectory(prefix="azlock-bench-") as name:
        scratch = Path(name)
        file, folder = make_sources(scratch, size, options.small)
        for tls in {"http": [False], "https": [True], "both": [False, True]}[options.scheme]:
            measured = measure(options, "file", file, tls, scratch)
            print_files(options, measured, tls, size)
            if options.quick:
                check_requests(measured, blocks)
            small = measure(options, "folder", folder, tls, scratch)
            if small:
                print_small(options, small, tls)
            if options.quick:
                check_small(small, options.small)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
