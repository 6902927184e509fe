"""Blocks that a killed upload staged are not sent again: by the same command, by `resume`, from another machine."""

import base64
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import signer
from support.azurite import ACCOUNT, KEY
from support.case import MIB, Case, noise
from support.faults import stall

KIB = 1024
BLOCK = 256 * KIB
WORKERS = 3
SIZE = 6 * MIB + 12345  # 24 whole blocks and a part of one
BLOCKS = 25
KILLS = 20 if os.environ.get("AZLOCK_SOAK") else 6
FLAGS = ("--block-size", "256KiB", "--concurrency", str(WORKERS))
OLD = b"the old version"


class Resuming(Case):
    def setUp(self):
        super().setUp()
        self.source = self.file("source", SIZE)

    def upload(self, via, *flags, name="b", **options):
        return self.azlock("upload", self.source, self.blob(name), *FLAGS, "--json", *flags, via=via, **options).json()

    @staticmethod
    def sent(via):
        """The length of each block that came, by its id. On a slow machine a block may come more than once."""
        return {r.query["blockid"]: r.length for r in via.requests if r.operation == "Put Block"}

    def stop_in_the_middle(self, at, number=signal.SIGKILL, name="b", source=None, flags=FLAGS):
        """Ends an upload when its block number `at` has come and is not answered."""
        via = self.proxy()
        stalled = via.on("Put Block", stall, nth=at, times=None)
        running = self.start("upload", source or self.source, self.blob(name), *flags, via=via)
        stalled.wait()
        running.signal(number)
        run = running.finish()
        via.finish()
        staged = self.rest.blocks(self.container, name)[1]
        self.assertTrue(staged or at <= WORKERS, "nothing was staged")
        return run, staged


class Killed(Resuming):
    def test_killed_at_any_moment_the_same_command_sends_at_most_one_block_per_worker_again(self):
        seed = int.from_bytes(os.urandom(4), "big")
        moments = random.Random(seed)
        content = self.source.read_bytes()
        for kill in range(KILLS):
            name = f"b{kill}"
            at, inside = moments.randrange(1, BLOCKS + 1), moments.random()
            with self.subTest(seed=seed, kill=kill, block=at, inside=inside):
                if kill % 2:
                    self.rest.put(self.container, name, OLD)
                via = self.proxy()

                def kill_here(x, inside=inside):
                    x.read_body(int(x.request.length * inside))
                    running.process.send_signal(signal.SIGKILL)
                    running.process.wait(30)
                    x.close()
                # The rule is set before the process starts; `running` is set when the block comes.
                via.on("Put Block", kill_here, nth=at)
                running = self.start("upload", self.source, self.blob(name), *FLAGS, via=via)
                self.assertEqual(-signal.SIGKILL, running.finish().code)
                if kill % 2:
                    self.assert_blob(name, OLD)
                else:
                    self.assertFalse(self.rest.exists(self.container, name))

                again = self.proxy()
                report = self.upload(again, name=name)
                self.assert_blob(name, content)
                twice = self.sent(via).keys() & self.sent(again).keys()
                self.assertLessEqual(len(twice), WORKERS, "blocks sent in both runs")
                self.assertEqual(sum(self.sent(again).values()), report["sent"])
                self.assertEqual(SIZE, report["sent"] + report["reused"])

    def test_killed_while_the_commit_is_under_way_the_same_command_ends_it_without_sending_a_block(self):
        for arrived in (False, True):
            name = f"arrived-{arrived}"
            via = self.proxy()

            def kill_here(x, arrived=arrived):
                if arrived:
                    x.forward()
                else:
                    x.read_body()
                running.process.send_signal(signal.SIGKILL)
                running.process.wait(30)
                x.close()
            via.on("Put Block List", kill_here)
            running = self.start("upload", self.source, self.blob(name), *FLAGS, via=via)
            self.assertEqual(-signal.SIGKILL, running.finish().code)
            self.assertEqual(arrived, self.rest.exists(self.container, name))
            again = self.proxy()
            report = self.upload(again, name=name)
            self.assertEqual((0, SIZE), (report["sent"], report["reused"]))
            self.assertEqual(0, len(self.sent(again)))
            self.assert_blob(name, self.source.read_bytes())

    def test_killed_again_and_again_it_comes_to_an_end(self):
        for at in (2, 5, 5, 5):
            via = self.proxy()
            stalled = via.on("Put Block", stall, nth=at, times=None)
            running = self.start("upload", self.source, self.blob("b"), *FLAGS, via=via)
            stalled.wait()
            running.signal(signal.SIGKILL)
            running.finish()
            via.finish()
        before = len(self.rest.blocks(self.container, "b")[1])
        self.assertGreaterEqual(before, 3)
        via = self.proxy()
        self.upload(via)
        self.assertEqual(BLOCKS - before, len(self.sent(via)))
        self.assert_blob("b", self.source.read_bytes())

    def test_a_kill_in_a_slowed_upload_leaves_what_the_service_has(self):
        via = self.proxy()
        running = self.start("upload", self.source, self.blob("b"), *FLAGS, "--limit-rate", "1MiB", via=via)
        self.wait_for_blocks(via, 4)
        running.signal(signal.SIGKILL)
        self.assertEqual(-signal.SIGKILL, running.finish().code)
        via.finish()
        staged = self.rest.blocks(self.container, "b")[1]
        self.assertLess(len(staged), BLOCKS)
        via = self.proxy()
        self.upload(via)
        self.assertEqual(BLOCKS - len(staged), len(self.sent(via)))
        self.assert_blob("b", self.source.read_bytes())

    def wait_for_blocks(self, via, count):
        end = time.monotonic() + 40
        while via.carried_out("Put Block") < count:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_resume_goes_on_from_another_machine(self):
        _, staged = self.stop_in_the_middle(10)
        elsewhere = self.folder / "elsewhere"
        home = self.folder / "home"
        elsewhere.mkdir()
        home.mkdir()
        copy = elsewhere / "under another name"
        shutil.copyfile(self.source, copy)
        os.utime(copy, (0, 0))
        self.source.unlink()
        self.work = elsewhere
        via = self.proxy()
        report = self.azlock("resume", copy.name, self.blob("b"), "--json", via=via, env={"HOME": str(home)}).json()
        self.assertEqual(BLOCKS - len(staged), len(self.sent(via)))
        self.assertEqual((SIZE, len(staged) * BLOCK), (report["bytes"], report["reused"]))
        self.assert_blob("b", copy.read_bytes())
        self.assertEqual([], os.listdir(home))

    def test_resume_adopts_the_block_size_and_the_hash_of_the_first_try(self):
        _, staged = self.stop_in_the_middle(10, flags=(*FLAGS, "--id-hash", "xxh3"))
        via = self.proxy()
        self.azlock("resume", self.source, self.blob("b"), via=via)
        self.assertEqual(BLOCKS - len(staged), len(self.sent(via)))
        self.assert_blob("b", self.source.read_bytes())
        self.assertEqual({BLOCK}, {size for _, size in self.rest.blocks(self.container, "b")[0][:-1]})

    def test_resume_adopts_content_defined_cuts(self):
        self.source = self.file("large", 12 * MIB)
        _, staged = self.stop_in_the_middle(2, flags=("--chunking", "content", "--concurrency", "1"))
        via = self.proxy()
        report = self.azlock("resume", self.source, self.blob("b"), "--json", via=via).json()
        self.assertEqual(report["blocks"] - len(staged), len(self.sent(via)))
        self.assert_blob("b", self.source.read_bytes())

    def test_a_file_that_changed_meanwhile_sends_its_changed_blocks_only(self):
        _, staged = self.stop_in_the_middle(12)
        with open(self.source, "r+b") as file:
            file.seek(BLOCK + 1000)
            file.write(b"changed")
        via = self.proxy()
        self.azlock("resume", self.source, self.blob("b"), via=via)
        self.assertEqual(BLOCKS - len(staged) + 1, len(self.sent(via)))
        self.assert_blob("b", self.source.read_bytes())

    def test_fresh_sends_all_again(self):
        self.stop_in_the_middle(12)
        via = self.proxy()
        report = self.upload(via, "--fresh")
        self.assertEqual((BLOCKS, 0), (len(self.sent(via)), via.count("Get Block List")))
        self.assertEqual((SIZE, 0), (report["sent"], report["reused"]))
        self.assert_blob("b", self.source.read_bytes())

    def test_staged_bytes_that_are_not_what_their_id_says_are_not_trusted_by_their_length(self):
        _, staged = self.stop_in_the_middle(10)
        block_id = base64.b64decode(staged[0][0])
        self.rest.stage(self.container, "b", block_id, b"too short")
        via = self.proxy()
        self.upload(via)
        self.assertEqual(BLOCKS - len(staged) + 1, len(self.sent(via)))
        self.assert_blob("b", self.source.read_bytes())


class Status(Resuming):
    def test_resume_with_nothing_staged_is_79(self):
        self.rest.put(self.container, "whole", OLD)
        for name in ("none", "whole"):
            for flags in ((), ("--status",)):
                with self.subTest(name=name, flags=flags):
                    error = self.azlock("resume", self.source, self.blob(name), "--json", *flags, code=79).error()
                    self.assertIn("nothing is staged", error["message"])
                    self.assertEqual(self.blob(name), error["target"])
        self.assert_blob("whole", OLD)

    def test_status_tells_what_is_staged_and_how_much_of_the_file_that_is(self):
        _, staged = self.stop_in_the_middle(10)
        via = self.proxy()
        status = self.azlock("resume", self.source, self.blob("b"), "--status", "--json", via=via).json()
        count, size = len(staged), len(staged) * BLOCK
        expected = {"target": self.blob("b"), "staged_blocks": count, "staged_bytes": size, "file_blocks": BLOCKS,
                    "file_bytes": SIZE, "present_blocks": count, "present_bytes": size, "foreign_blocks": 0,
                    "foreign_bytes": 0}
        self.assertAlmostEqual(100 * size / SIZE, status.pop("percent"))
        self.assertEqual(expected, status)
        self.assertEqual({"Get Block List"}, set(via.operations()))
        text = self.azlock("resume", self.source, self.blob("b"), "--status").text
        for part in (f"staged: {count} blocks", f"{count} of {BLOCKS} blocks", f"({100 * size // SIZE} %)",
                     "foreign: 0 blocks"):
            self.assertIn(part, text)

    def test_status_tells_of_blocks_of_other_tools_and_of_another_file(self):
        self.rest.stage(self.container, "foreign", b"short-id-0001", b"x" * 1000)
        self.rest.stage(self.container, "foreign", b"short-id-0002", b"x" * 500)
        status = self.azlock("resume", self.source, self.blob("foreign"), "--status", "--json").json()
        self.assertEqual((0, 0, 2, 1500), tuple(status[key] for key in ("staged_blocks", "present_blocks", "foreign_blocks",
                                                                        "foreign_bytes")))
        self.assertIn("foreign: 2 blocks", self.azlock("resume", self.source, self.blob("foreign"), "--status").text)

        _, staged = self.stop_in_the_middle(10)
        other = self.file("other", noise(SIZE, seed=2))
        status = self.azlock("resume", other, self.blob("b"), "--status", "--json").json()
        self.assertEqual((len(staged), 0, 0), (status["staged_blocks"], status["present_blocks"], status["percent"]))

    def test_blocks_of_another_tool_alone_are_nothing_to_resume(self):
        self.rest.stage(self.container, "b", bytes(48), b"x" * 1000)  # as long as ours
        error = self.azlock("resume", self.source, self.blob("b"), "--json", code=79).error()
        self.assertIn("another tool", error["message"])


class Stopped(Resuming):
    """The message ends with `to continue: COMMAND`; a shell runs it."""

    def continue_as_told(self, run):
        command = re.search(r"to continue: (azlock .*)\n\Z", run.messages)
        self.assertTrue(command, f"no command to continue with:\n{run}")
        binaries = self.folder / "bin"
        binaries.mkdir(exist_ok=True)
        if not (binaries / "azlock").exists():
            (binaries / "azlock").symlink_to(self.azlock_path)
        via = self.proxy()
        environment = self.environment(via, PATH=f"{binaries}:{os.environ['PATH']}")
        done = subprocess.run(["sh", "-c", command[1]], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        return via

    def test_stopped_by_a_signal_it_tells_the_command_that_continues(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number.name):
                run, staged = self.stop_in_the_middle(10, number, name=number.name)
                self.assertEqual(128 + number, run.code, f"\n{run}")
                self.assertLess(run.seconds, 30)  # two are promised; the machine may be busy
                via = self.continue_as_told(run)
                self.assertEqual(BLOCKS - len(staged), len(self.sent(via)))
                self.assert_blob(number.name, self.source.read_bytes())

    def test_the_command_that_continues_works_with_blanks_quotes_and_shell_signs_in_the_names(self):
        for name in ("with blank and 'quotes'", 'double "quotes" $HOME `id` ; #&*', "-begins-with-a-dash", "Пётр ü"):
            with self.subTest(name=name):
                source = self.file(name, SIZE)
                run, staged = self.stop_in_the_middle(10, signal.SIGTERM, name=name, source=f"./{name}")
                via = self.continue_as_told(run)
                self.assertEqual(BLOCKS - len(staged), len(self.sent(via)))
                self.assert_blob(name, source.read_bytes())

    def test_the_command_that_continues_makes_the_blob_that_was_asked_for(self):
        asked = ("--content-type", "text/x-odd", "--metadata", "job=17", "--cache-control", "no-store", "--tags", "team=a b")
        run, _ = self.stop_in_the_middle(10, signal.SIGTERM, flags=FLAGS + asked)
        self.continue_as_told(run)
        self.assert_blob("b", self.source.read_bytes())
        head = self.rest.head(self.container, "b")
        self.assertEqual(("text/x-odd", "17", "no-store", "1"),
                         (head["Content-Type"], head["x-ms-meta-job"], head["Cache-Control"], head["x-ms-tag-count"]))

    def test_the_command_that_continues_keeps_the_condition(self):
        run, _ = self.stop_in_the_middle(10, signal.SIGTERM, flags=(*FLAGS, "--if-none-match", "*"))
        self.assertIn("if-none-match", run.messages)

    def test_stopped_a_second_time_before_a_block_got_through_it_tells_so_again(self):
        self.stop_in_the_middle(10, signal.SIGTERM)
        run, staged = self.stop_in_the_middle(1, signal.SIGTERM)
        via = self.continue_as_told(run)
        self.assertEqual(BLOCKS - len(staged), len(self.sent(via)))
        self.assert_blob("b", self.source.read_bytes())

    def test_stopped_with_json_the_hint_is_in_the_error(self):
        via = self.proxy()
        stalled = via.on("Put Block", stall, nth=5, times=None)
        running = self.start("upload", self.source, self.blob("b"), *FLAGS, "--json", via=via)
        stalled.wait()
        running.signal(signal.SIGTERM)
        error = running.finish().error()
        self.assertEqual("cancelled", error["code"])
        self.assertIn("to continue: azlock upload ", error["hint"])

    def test_a_signature_in_the_destination_is_not_printed(self):
        sas = signer.account_sas(ACCOUNT, KEY)
        self.secrets.append(re.search(r"sig=([^&]+)", sas)[1])
        via = self.proxy()
        stalled = via.on("Put Block", stall, nth=5, times=None)
        url = f"http://127.0.0.1:{via.port}/{ACCOUNT}/{self.blob('b')}?{sas}"
        running = self.start("upload", self.source, url, *FLAGS, env={"AZURE_STORAGE_CONNECTION_STRING": None})
        stalled.wait()
        running.signal(signal.SIGTERM)
        self.assertEqual(143, running.finish().code)


if __name__ == "__main__":
    unittest.main()
