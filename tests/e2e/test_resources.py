"""Memory does not grow with the file, and a command that does nothing costs nothing."""

import os
import re
import resource
import subprocess
import unittest

from support.azurite import KEY
from support.case import MIB, Case, binary
from support.sink import Sink

GIB = 1024 * MIB
MEMORY_LIMIT = 56 * MIB  # 32 of it for the buffers of standard input
SIZE = (10 if os.environ.get("AZLOCK_SOAK") else 1) * GIB
OVERHEAD = 32  # MiB that a transfer takes beside the memory of its flag
CPU_GOAL = 0.020
CPU_LIMIT = 0.200


class Memory(Case):
    def peak(self):
        """The highest resident memory of azlock so far, from the kernel's counter for the process."""
        with open(f"/proc/{self.running.pid}/status", encoding="ascii") as file:
            self.high_water = int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) * 1024

    def upload(self, account, *flags):
        source = self.work / "sparse"
        with open(source, "wb") as file:
            file.truncate(SIZE)
        self.to_sink(SIZE, source, *flags, account=account)

    def to_sink(self, size, source, *flags, account="account", stdin=subprocess.DEVNULL):
        sink = Sink(self.peak)
        self.addCleanup(sink.stop)
        env = {"AZURE_STORAGE_CONNECTION_STRING":
               f"AccountName={account};AccountKey={KEY};BlobEndpoint=http://127.0.0.1:{sink.port}/{account}"}
        # `self.running` must be set before the process sends its commit.
        self.running = self.start("upload", source, "container/b", "--json", *flags, env=env, stdin=stdin)
        run = self.running.finish(170)
        self.assertEqual(0, run.code, f"\n{run}")
        self.assertEqual(size, sum(sink.blocks))
        self.assertEqual("Put Block List", sink.operations[-1])
        print(f"\n{size // MIB} MiB, {source}, {' '.join(flags)}: peak {self.high_water / MIB:.1f} MiB, {run.seconds:.1f} s",
              end=" ", flush=True)
        self.assertLess(self.high_water, MEMORY_LIMIT)

    def test_a_gibibyte_goes_up_in_a_fixed_amount_of_memory(self):
        self.upload("account")

    def test_neither_larger_blocks_nor_more_at_once_change_that(self):
        self.upload("account", "--block-size", "64MiB", "--concurrency", "16")

    def test_content_defined_cuts_do_not_change_that_either(self):
        self.upload("account", "--chunking", "content")

    def test_standard_input_of_any_length_takes_a_fixed_amount_of_memory(self):
        source = self.work / "sparse"
        with open(source, "wb") as file:
            file.truncate(SIZE // 2)
        with open(source, "rb") as stdin:
            self.to_sink(SIZE // 2, "-", stdin=stdin)

    def download(self, *flags):
        """Returns the peak while 96 MiB come through a pipe."""
        size = 96 * MIB
        self.azlock("upload", self.file("large", size), self.blob("b"), "--block-size", "16MiB")
        reader, writer = os.pipe()
        self.running = self.start("download", self.blob("b"), "-", *flags, stdout=writer)
        os.close(writer)
        total = 0
        with open(reader, "rb", buffering=0) as stream:
            while data := stream.read(MIB):
                total += len(data)
                if total <= size - 4 * MIB:
                    self.peak()
        self.assertEqual(0, self.running.process.wait(30))
        self.assertEqual(size, total)
        print(f"\n{size // MIB} MiB down, {' '.join(flags)}: peak {self.high_water / MIB:.1f} MiB", end=" ", flush=True)
        return self.high_water

    def test_a_large_download_takes_a_fixed_amount_of_memory(self):
        self.assertLess(self.download(), MEMORY_LIMIT)

    def test_many_ranges_at_once_take_no_more_memory_than_allowed(self):
        self.assertLess(self.download("--concurrency", "256"), (32 + OVERHEAD) * MIB)
        self.assertLess(self.download("--concurrency", "256", "--memory", "8MiB"), (8 + OVERHEAD) * MIB)

    def append_a_line(self, size, *flags):
        """Returns the peak while a line of `size` bytes comes through a pipe; only its newline is missing then."""
        self.running = self.start("append", self.blob(f"log-{len(flags)}"), "--lines", "--json", *flags, stdin=subprocess.PIPE)
        stdin = self.running.process.stdin
        for _ in range(size // MIB):
            stdin.write(b"x" * MIB)
        self.peak()
        stdin.write(b"\n")
        report = self.running.finish(60).json()
        self.assertEqual((size + 1, 1), (report["bytes"], report["split_lines"]))
        self.assertEqual(size + 1, int(self.rest.head(self.container, f"log-{len(flags)}")["Content-Length"]))
        print(f"\na line of {size // MIB} MiB, {' '.join(flags)}: peak {self.high_water / MIB:.1f} MiB", end=" ", flush=True)
        return self.high_water

    def test_a_line_of_any_length_is_appended_in_a_fixed_amount_of_memory(self):
        for flags, buffer in (((), 16), (("--buffer", "4MiB"), 4)):
            self.assertLess(self.append_a_line(100 * MIB, *flags), (3 * buffer + OVERHEAD) * MIB)


class Limits(Case):
    """A limit of the system lowers the number at once. If that is not enough, it is 74, and never a bug (70)."""

    def limited(self, limit, *arguments, **options):
        return self.azlock(*arguments, wrapper=("sh", "-c", f'ulimit {limit}; exec "$0" "$@"'), **options)

    def setUp(self):
        super().setUp()
        self.many = self.work / "many"
        self.many.mkdir()
        for number in range(100):
            (self.many / str(number)).write_bytes(b"x" * 5000)

    def test_few_open_files_or_little_memory_are_enough_for_many_files(self):
        for limit in ("-n 24", "-n 16", "-v 200000"):
            with self.subTest(limit=limit):
                self.limited(limit, "upload", "-r", self.many, self.blob("x/"), "--concurrency", "32")
                self.limited(limit, "download", self.blob("x/many/7"), "copy")
                self.assertEqual(b"x" * 5000, (self.work / "copy").read_bytes())

    def test_too_few_open_files_are_74_and_the_limit_is_named(self):
        for flags in ((), ("--json",)):
            with self.subTest(flags=flags):
                run = self.limited("-n 8", "upload", "-r", self.many, self.blob("x/"), *flags, code=74)
                self.assertIn("ulimit -n is 8", run.messages)

    def test_no_number_of_open_files_makes_azlock_hang_or_blame_another_cause(self):
        large = self.file("large", 9 * MIB)
        self.azlock("upload", large, self.blob("large"))
        commands = [("upload", "-r", self.many, self.blob("x/")), ("download", self.blob("large"), "copy"),
                    ("verify", large, self.blob("large")), ("cas-update", self.blob("n"), "--create", "--add", "1"),
                    ("cas-update", self.blob("n2"), "--create", "--", "cat"), ("list", self.container), ("lease", "show", self.blob("large")), ("append", self.blob("log"), self.many / "1"),
                    ("watch", self.blob("large"), "--initial", "--once", "--", "true"), ("--version",)]
        for command in commands:
            for number in range(4, 13):
                with self.subTest(command=command[:2], number=number):
                    run = self.limited(f"-n {number}", *command, code=None, timeout=20)
                    # 125: there was no descriptor left for the command that azlock runs.
                    self.assertIn(run.code, (0, 74, 125), run)
                    if run.code != 0:
                        self.assertIn(f"ulimit -n is {number}", run.messages)
                        self.assertNotIn("bad file descriptor", run.messages)

    def with_threads(self, number, *arguments, **options):
        """Runs azlock as a user who has no other threads and may have `number` of them."""
        if os.geteuid() != 0:
            self.skipTest("to become a user who has no other threads needs root")
        wrapper = ("setpriv", "--reuid", "65534", "--clear-groups", "prlimit", f"--nproc={number}")
        if subprocess.run([*wrapper[:4], "test", "-x", self.azlock_path]).returncode != 0:
            self.skipTest("another user may not run this azlock")
        return self.azlock(*arguments, wrapper=wrapper, env={"HOME": "/"}, timeout=20, **options)

    def test_too_few_threads_are_74_and_the_limit_is_named(self):
        run = self.with_threads(2, "list", self.container, code=74)
        self.assertIn("ulimit -u is 2", run.messages)

    def test_threads_that_the_http_library_does_not_get_are_no_weather(self):
        everybodys = "/etc/passwd"  # another user may not look into our temporary directory
        for number in (3, 4, 5, 6):
            for command in (("list", self.container), ("upload", everybodys, self.blob("one")),
                            ("cas-update", self.blob("n"), "--create", "--", "echo", "1")):
                with self.subTest(number=number, command=command[0]):
                    run = self.with_threads(number, *command, code=None)
                    self.assertIn(run.code, (0, 74, 125), run)
                    if run.code != 0:
                        self.assertIn(f"ulimit -u is {number}", run.messages)

    def test_no_amount_of_memory_makes_azlock_crash(self):
        self.azlock("upload", self.file("large", 9 * MIB), self.blob("large"))
        for command in (("list", self.container), ("download", self.blob("large"), "-")):
            codes = []
            for kilobytes in range(20000, 60000, 300):
                with self.subTest(command=command[0], kilobytes=kilobytes):
                    run = self.limited(f"-v {kilobytes}", *command, code=None, timeout=20)
                    # Before main() the dynamic linker ends with 127, and a library that cannot initialise itself aborts.
                    if 74 not in codes and (run.code == 127 or "terminate called without" in run.messages):
                        continue
                    codes.append(run.code)
                    self.assertIn(run.code, (0, 74), run)
                    if run.code == 74:
                        self.assertIn("ulimit -v", run.messages)
                if codes.count(0) == 10:
                    break
            self.assertEqual({0, 74}, set(codes))

    def test_a_file_that_may_not_become_so_large_is_74(self):
        self.azlock("upload", self.file("large", 6 * MIB), self.blob("b"))
        for target in ("copy", "-"):
            with self.subTest(target=target), open(self.work / "out", "wb") as out:
                run = self.limited("-f 1000", "download", self.blob("b"), target, code=74, stdout=out)
                self.assertIn("ulimit -f is", run.messages)


class Startup(unittest.TestCase):
    def test_telling_the_version_takes_next_to_no_cpu(self):
        best = min(self.cpu("--version") for _ in range(10))
        print(f"\nazlock --version: {best * 1000:.1f} ms of CPU (goal: {CPU_GOAL * 1000:.0f} ms)", end=" ", flush=True)
        self.assertLess(best, CPU_LIMIT)

    def cpu(self, *arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([binary(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    unittest.main()
