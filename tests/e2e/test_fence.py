"""Fenced writes: a holder that was paused and lost the lock cannot replace what the next holder wrote."""

import os
import signal
import sys
import unittest

from support.case import MIB, Case
from support.faults import before, drop_reply
from support.locks import guard_of, kill_quietly, wait_until

# A holder of a lock: writes the first blob under its token and makes the file "ready". When the file "go" exists, it
# tries every kind of fenced write and saves the exit codes.
HOLDER = """
import os, subprocess, sys, time
azlock, container, folder = sys.argv[1:]
def code(*arguments):
    return subprocess.run([azlock, *arguments], stderr=subprocess.DEVNULL).returncode
def file(name):
    return os.path.join(folder, name)
def say(name, text):
    with open(file(name + ".new"), "w") as out:
        out.write(text)
    os.rename(file(name + ".new"), file(name))
assert code("upload", "--fence", file("old"), container + "/small") == 0
say("ready", str(os.getpid()))
while not os.path.exists(file("go")):
    time.sleep(0.02)
say("codes", " ".join(str(c) for c in (
    code("upload", "--fence", file("old"), container + "/small"),
    code("upload", "--fence", "--block-size", "1MiB", file("old blocks"), container + "/large"),
    code("resume", "--fence", file("old blocks"), container + "/large"),
    code("upload", "--fence", "-r", file("old folder") + "/", container + "/tree/"),
    code("upload", "--fence", "--exec", container + "/small", "--", "echo", "old"),
    code("delete", "--fence", container + "/small"),
    code("delete", "--fence", container + "/large"))))
time.sleep(600)
"""

LOCK = "http://127.0.0.1/locks/deploy"


class Fences(Case):
    def lock_environment(self, fence):
        return {"AZLOCK_URL": LOCK, "AZLOCK_NAME": "deploy", "AZLOCK_FENCE": str(fence)}

    def under(self, fence, *arguments, **options):
        return self.azlock(*arguments, env=self.lock_environment(fence), **options)

    def metadata(self, name):
        return self.azlock("show", self.blob(name), "--json").json()["metadata"]

    def test_every_write_of_a_paused_holder_that_wakes_up_too_late_is_refused(self):
        name, folder = f"pause-{os.urandom(4).hex()}", self.work
        old, new = b"of the old holder", b"of the new holder"
        self.file("old", old)
        self.file("new", new)
        self.file("old blocks", 3 * MIB)
        (folder / "old folder").mkdir()
        (folder / "old folder" / "leaf").write_bytes(old)
        holder = self.start("lock", "--ttl", "15s", name, "--", sys.executable, "-S", "-c", HOLDER, self.azlock_path,
                            self.container, folder, start_new_session=True)
        wait_until("the old holder to write", (folder / "ready").exists)
        command, guard = int((folder / "ready").read_text()), guard_of(holder.pid)
        for pid in (command, guard):
            self.addCleanup(kill_quietly, pid)
        for pid in (holder.pid, guard, command):
            os.kill(pid, signal.SIGSTOP)

        upload = '"$0" upload -q --fence new "$1/small" && "$0" upload -q --fence new "$1/large" && ' \
                 '"$0" upload -q --fence new "$1/tree/leaf"'
        self.azlock("lock", "--ttl", "15s", name, "--", "sh", "-c", upload, self.azlock_path, self.container, timeout=120)
        written = {blob: self.rest.head(self.container, blob)["ETag"]
                   for blob in ("small", "large", "tree/leaf")}

        (folder / "go").touch()
        os.kill(command, signal.SIGCONT)  # it wakes up before azlock and its guard
        wait_until("the old holder's writes", (folder / "codes").exists, 120)
        self.assertEqual(["73"] * 7, (folder / "codes").read_text().split())
        for blob, etag in written.items():
            self.assert_blob(blob, new)
            self.assertEqual(etag, self.rest.head(self.container, blob)["ETag"], blob)
        for pid in (guard, holder.pid):
            os.kill(pid, signal.SIGCONT)
        self.assertEqual(122, holder.finish().code)

    def test_a_new_holder_that_writes_between_the_look_and_the_write_is_not_replaced(self):
        small, large = self.file("small", b"old"), self.file("large", 3 * MIB)
        new = self.file("new", b"of the new holder")
        for operation, blob, arguments in (
                ("Put Blob", "there", ["upload", "--fence", small, self.blob("there")]),
                ("Put Block List", "absent", ["upload", "--fence", small, self.blob("absent")]),
                ("Put Block List", "blocks", ["upload", "--fence", "--block-size", "1MiB", large, self.blob("blocks")]),
                ("Delete Blob", "gone", ["delete", "--fence", self.blob("gone")])):
            with self.subTest(blob):
                if blob in ("there", "gone"):
                    self.under(1000, "upload", "--fence", small, self.blob(blob))
                proxy = self.proxy()
                proxy.on(operation, before(lambda b=blob: self.under(3000, "upload", "--fence", new, self.blob(b))))
                run = self.under(2000, *arguments, via=proxy, code=73)
                self.assertIn("3000", run.messages)
                self.assert_blob(blob, b"of the new holder")

    def test_the_token_grows_with_the_writers_and_is_shown(self):
        source = self.file("source", b"one")
        for fence in (1000, 1000, 2000):
            self.under(fence, "upload", "--fence", source, self.blob("b"))
            self.assertEqual({"azl_fence": str(fence), "azl_fence_by": LOCK},
                             {k: v for k, v in self.metadata("b").items() if k.startswith("azl_fence")})
        error = self.under(1999, "--json", "upload", "--fence", source, self.blob("b"), code=73).error()
        self.assertEqual(("precondition", self.blob("b"), False),
                         (error["code"], error["target"], error.get("may_have_applied", False)))
        self.assertIn("too old", error["message"])
        self.assertIn("2000", self.azlock("lease", "show", self.blob("b")).text)
        self.assertIn("metadata azl_fence_by: " + LOCK, self.azlock("show", self.blob("b")).text)
        self.under(1999, "delete", "--fence", "--dry-run", self.blob("b"), code=73)
        self.under(2000, "delete", "--fence", self.blob("b"))
        self.under(5, "upload", "--fence", source, self.blob("b"))  # deletion forgets the token

    def test_updates_and_appends_of_an_earlier_holder_are_refused_too(self):
        counter, log = self.blob("counter"), self.blob("log")
        self.under(2000, "cas-update", "--fence", counter, "--create", "--add", "1")
        self.under(2000, "append", "--fence", log, input=b"new\n")
        self.under(1999, "cas-update", "--fence", counter, "--add", "1", code=73)
        self.under(1999, "append", "--fence", log, input=b"old\n", code=73)
        self.assert_blob("counter", b"1")
        self.assert_blob("log", b"new\n")
        self.under(2001, "cas-update", "--fence", counter, "--add", "1")
        self.under(2001, "append", "--fence", log, input=b"newer\n")
        self.assert_blob("counter", b"2")
        self.assert_blob("log", b"new\nnewer\n")
        for name in ("counter", "log"):
            self.assertEqual("2001", self.metadata(name)["azl_fence"])

    def test_a_fenced_write_whose_answer_is_lost_is_known_to_be_done(self):
        source = self.file("source", b"one")
        for operation, arguments in (("Put Block List", ["upload", "--fence", source, self.blob("b")]),
                                     ("Put Blob", ["upload", "--fence", source, self.blob("b")]),
                                     ("Delete Blob", ["delete", "--fence", self.blob("b")])):
            with self.subTest(operation):
                proxy = self.proxy()
                proxy.on(operation, drop_reply)
                self.under(1000, *arguments, via=proxy)
                self.assertEqual(1, proxy.carried_out(operation))
        self.assertFalse(self.rest.exists(self.container, "b"))

    def test_a_blob_of_staged_blocks_only_is_made_by_a_commit(self):
        self.rest.stage(self.container, "b", b"A" * 48, b"of a peer")
        source = self.file("source", b"one")
        proxy = self.proxy()
        self.under(1000, "upload", "--fence", source, self.blob("b"), via=proxy)
        self.assertEqual((0, 1), (proxy.count("Put Blob"), proxy.count("Put Block List")))
        self.assert_blob("b", b"one")

    def test_the_tokens_own_number_and_lock_can_be_given(self):
        source = self.file("source", b"one")
        self.azlock("upload", "--fence=7", "--fence-by", "by hand", source, self.blob("b"))
        self.assertEqual(("7", "by hand"), tuple(self.metadata("b")[k] for k in ("azl_fence", "azl_fence_by")))
        self.azlock("upload", "--fence=6", "--fence-by", "by hand", source, self.blob("b"), code=73)
        self.under(1000, "upload", "--fence=8", "--fence-by", "by hand", source, self.blob("b"))
        run = self.under(1000, "upload", "--fence", source, self.blob("b"), code=64)
        self.assertIn("by hand", run.messages)
        run = self.under(1000, "delete", "--fence", self.blob("b"), code=64)
        self.assertIn("another lock", run.messages)

    def test_bad_input_is_one_clear_line(self):
        source = self.file("source", b"one")
        cases = (({}, ["--fence"], "AZLOCK_FENCE"),
                 ({}, ["--fence=7"], "AZLOCK_URL"),
                 ({}, ["--fence-by", "x"], "--fence"),
                 ({}, ["--fence=seven", "--fence-by", "x"], "'seven'"),
                 ({}, ["--fence=-1", "--fence-by", "x"], "'-1'"),
                 ({}, ["--fence=99999999999999999999", "--fence-by", "x"], "not a number"),
                 ({"AZLOCK_FENCE": "x", "AZLOCK_URL": LOCK}, ["--fence"], "'x'"),
                 ({"AZLOCK_URL": LOCK, "AZLOCK_SLOT": "1"}, ["--fence"], "slots"))
        for env, flags, says in cases:
            for command in (["upload", *flags, source, self.blob("b")], ["resume", *flags, source, self.blob("b")],
                            ["delete", *flags, self.blob("b")]):
                with self.subTest(command=command):
                    run = self.azlock("--json", *command, env=env, code=64)
                    self.assertIn(says, run.error()["message"] + (run.error()["hint"] or ""))
        self.rest.request("PUT", self.container, "b", body=b"foreign",
                          headers={"x-ms-blob-type": "BlockBlob", "x-ms-meta-azl_fence": "soon",
                                   "x-ms-meta-azl_fence_by": LOCK})
        self.under(1000, "upload", "--fence", source, self.blob("b"), code=65)
        self.under(1000, "delete", "--fence", self.blob("b"), code=65)
        self.assert_blob("b", b"foreign")

    def test_a_lock_with_slots_gives_no_token(self):
        source = self.file("source", b"one")
        run = self.azlock("lock", "--slots", "2", f"slots-{os.urandom(4).hex()}", "--", self.azlock_path, "upload",
                          "--fence", source, self.blob("b"), code=64)
        self.assertIn("slots", run.messages)
        self.assertFalse(self.rest.exists(self.container, "b"))


if __name__ == "__main__":
    unittest.main()
