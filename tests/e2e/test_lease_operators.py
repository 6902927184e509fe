"""Leases for operators: every refusal, who holds a lease, and how to break it."""

import os
import pty
import select
import unittest

from support.azurite import ACCOUNT
from support.faults import service_error
from support.lease_case import OURS, THEIRS, LeaseCase


class Refusals(LeaseCase):
    def test_values_that_cannot_be_are_64(self):
        target = self.blob("b")
        for duration in ("14", "61", "0", "-2", "-1", "61s", "2m", "15.5", "many", "", "1d", "infinitely"):
            with self.subTest(duration=duration):
                self.fails(64, "acquire", target, "--duration", duration, saying="--duration")
        for period in ("61", "-1", "1.5", "2m", "many", ""):
            with self.subTest(period=period):
                self.fails(64, "break", target, "--period", period, saying="--period")
        for guid in ("x", "", OURS[:-1], OURS + "0", OURS.replace("a", "g"), "{" + OURS):
            with self.subTest(guid=guid):
                self.fails(64, "acquire", target, "--proposed-id", guid or "x", saying="--proposed-id")
                self.fails(64, "change", target, "--lease-id", OURS, "--to", guid, saying="--to")
                for verb in ("renew", "release", "keep"):
                    self.fails(64, verb, target, "--lease-id", guid)
                    self.fails(64, verb, target, env={"AZLOCK_LEASE_ID": guid})
        self.assertEqual("available", self.state())

    def test_commands_that_cannot_be_are_64(self):
        target = self.blob("b")
        for arguments in ((), ("frobnicate",), ("acquire",), ("renew", target), ("change", target, "--lease-id", OURS),
                          ("acquire", target, "extra"), ("acquire", target, "--wait", "soon"),
                          ("break", self.container, "--prefix", "x"), ("break", target, "--prefix", "x", "--yes"),
                          ("break", target, "--holder-is-dead", "--period", "5"),
                          ("break", self.container, "--holder-is-dead"), ("break", target, "--if-owner", "nothing"),
                          ("break", target, "--if-owner", "=x"), ("break", target, "--if-fence", "many"),
                          ("break", target, "--older-than", "long"), ("list",), ("list", "--containers", "c-1"),
                          ("list", target, "--prefix", "x"), ("list", self.container, "--state", "some"),
                          ("keep", target, "--lease-id", OURS, "--duration", "14")):
            with self.subTest(arguments=arguments):
                self.fails(64, *arguments)

    def test_a_snapshot_cannot_be_leased(self):
        url = f"http://127.0.0.1:{self.azurite.port}/{ACCOUNT}/{self.blob('b')}?snapshot=2026-11-21T08:00:00.0000000Z"
        for arguments in (("acquire", url), ("renew", url, "--lease-id", OURS), ("break", url), ("show", url)):
            self.fails(64, *arguments, saying="snapshot")

    def test_what_does_not_exist_is_79(self):
        for target in (self.blob("none"), "no-such-container/b", "no-such-container"):
            for arguments in (("acquire",), ("renew", "--lease-id", OURS), ("release", "--lease-id", OURS),
                              ("change", "--lease-id", OURS, "--to", THEIRS), ("break",), ("show",),
                              ("keep", "--lease-id", OURS)):
                with self.subTest(target=target, arguments=arguments):
                    error = self.fails(79, arguments[0], target, *arguments[1:])
                    self.assertIn("NotFound", error["service_code"])
        self.fails(79, "list", "no-such-container")

    def test_an_id_that_holds_nothing_is_73_and_says_why(self):
        mine = ("--lease-id", OURS)
        to = (*mine, "--to", "cccccccc-1111-2222-3333-444444444444")
        target = self.blob("b")
        error = self.fails(73, "renew", target, *mine, saying="nobody holds a lease")
        self.assertEqual("LeaseIdMismatchWithLeaseOperation", error["service_code"])
        self.fails(73, "change", target, *to, saying="nobody holds a lease")
        self.fails(73, "release", target, *mine, saying="nobody holds a lease")
        self.acquire()
        self.rest.lease(self.container, "b", "break", break_period="30")
        self.fails(73, "renew", target, *mine, saying="being broken")
        self.fails(73, "change", target, *to, saying="being broken")
        self.fails(75, "acquire", target, saying="being broken")
        self.fails(75, "acquire", target, "--proposed-id", OURS, saying="being broken")
        self.rest.lease(self.container, "b", "break", break_period="0")
        self.fails(73, "renew", target, *mine, saying="was broken")
        self.fails(73, "change", target, *to, saying="was broken")
        self.lease("release", target, *mine)

    def test_an_id_of_somebody_elses_lease_is_75_and_names_the_holder(self):
        target = self.blob("b")
        self.lease("acquire", target, "--proposed-id", OURS, "--owner", "host=ci-7")
        other = ("--lease-id", THEIRS)
        for arguments in (("renew", target, *other), ("release", target, *other), ("keep", target, *other),
                          ("change", target, *other, "--to", "cccccccc-1111-2222-3333-444444444444"), ("acquire", target)):
            with self.subTest(arguments=arguments):
                self.fails(75, *arguments, saying="@ci-7")
        self.act("renew")

    def test_the_id_of_a_container_lease_holds_no_blob(self):
        mine = self.lease("acquire", self.container).text.strip()
        self.fails(73, "renew", self.blob("b"), "--lease-id", mine)
        self.fails(73, "release", self.blob("b"), "--lease-id", mine)

    def test_the_id_of_a_deleted_blob(self):
        self.acquire()
        self.azlock("delete", self.blob("b"), "--lease-id", OURS)
        self.fails(79, "renew", self.blob("b"), "--lease-id", OURS)
        self.rest.put(self.container, "b", b"y")
        self.fails(73, "renew", self.blob("b"), "--lease-id", OURS)

    def test_the_services_code_is_shown_with_v(self):
        run = self.lease("renew", self.blob("b"), "--lease-id", OURS, "-v", code=73)
        self.assertIn("LeaseIdMismatchWithLeaseOperation", run.messages)


class Operators(LeaseCase):
    def held(self, name, duration="60", **record):
        fields = {"x-ms-meta-azl_" + key: value for key, value in record.items()}
        self.rest.request("PUT", self.container, name, headers={"x-ms-blob-type": "BlockBlob", **fields})
        self.acquire(name, duration=duration)

    def test_break_says_who_held_it_and_when_it_is_free(self):
        self.held("h", owner="deploy", host="ci-7", ttl="60s", renew_every="15s", kill_after="10s",
                  since="2026-01-01T00:00:00Z")
        out = self.lease("break", self.blob("h"), "--json").json()
        self.assertEqual(("broken", "leased", 38, "deploy"), (out["outcome"], out["was"], out["period"], out["holder"]["owner"]))
        self.assertTrue(30 <= out["free_in"] <= 38, out)
        self.assertEqual("breaking", self.state("h"))
        self.assertRegex(self.lease("break", self.blob("h"), "--period", "1", "--wait").text,
                         r"broken, free now; it was held by deploy@ci-7")
        self.assertEqual("broken", self.state("h"))

    def test_breaking_what_is_not_leased_is_what_was_wanted(self):
        self.assertEqual(f"{self.blob('b')}: was not leased\n", self.lease("break", self.blob("b")).text)
        self.assertEqual("not_leased", self.lease("break", self.blob("b"), "--json").json()["outcome"])
        self.fails(73, "break", self.blob("b"), "--must-be-leased", saying="was not leased")

    def test_conditions_protect_another_holder(self):
        self.held("h", host="ci-7", fence="5", since="2026-01-01T00:00:00Z")
        target = self.blob("h")
        self.fails(73, "break", target, "--if-owner", "host=ci-8", saying="host is 'ci-7', not 'ci-8'")
        self.fails(73, "break", target, "--if-fence", "6", saying="its fence is 5")
        self.fails(73, "break", target, "--older-than", "36000d", saying="only")
        self.fails(73, "break", target, "--if-owner", "host=ci-7", "--if-owner", "run=1", saying="no run")
        self.assertEqual("leased", self.state("h"))
        self.lease("break", target, "--if-owner", "host=ci-7", "--if-fence", "5", "--older-than", "1d", "--period", "0")
        self.assertEqual("broken", self.state("h"))

    def test_a_prefix_is_broken_one_by_one_and_each_is_listed(self):
        for name in ("p/1", "p/2", "q/1"):
            self.held(name)
        self.rest.put(self.container, "p/free", b"")
        dry = self.lease("break", self.container, "--prefix", "p/", "--dry-run").text
        self.assertEqual([f"{self.blob(n)}: would be broken; it is held by somebody who left no record"
                          for n in ("p/1", "p/2")], dry.splitlines())
        self.assertEqual("leased", self.state("p/1"))
        lines = self.lease("break", self.container, "--prefix", "p/", "--yes", "--period", "0", "--json").lines()
        self.assertEqual([(self.blob("p/1"), "broken"), (self.blob("p/2"), "broken")],
                         [(line["target"], line["outcome"]) for line in lines])
        self.assertEqual(["broken", "broken", "leased"], [self.state(n) for n in ("p/1", "p/2", "q/1")])
        self.assertEqual("", self.lease("break", self.container, "--prefix", "p/", "--yes").text)
        self.lease("break", self.container, "--prefix", "", "--yes", "--period", "0", code=64)
        self.assertEqual("leased", self.state("q/1"))

    def test_one_that_cannot_be_broken_does_not_stop_the_others(self):
        for name in ("p/1", "p/2", "p/3"):
            self.held(name)
        via = self.proxy()
        via.on(lambda r: r.headers.get("x-ms-lease-action") == "break" and "p/2" in r.target,
               service_error(503, "ServerBusy"), times=None)
        run = self.lease("break", self.container, "--prefix", "p/", "--yes", "--period", "0", "--retries", "0", via=via,
                         code=69)
        self.assertEqual(3, len(run.text.splitlines()))
        self.assertIn("1 of 3 leases could not be broken", run.messages)
        self.assertEqual(["broken", "leased", "broken"], [self.state(n) for n in ("p/1", "p/2", "p/3")])

    def test_a_dead_holder_is_marked_and_the_blob_is_free(self):
        self.held("h", host="ci-7", fence="5", job="x")
        out = self.lease("break", self.blob("h"), "--holder-is-dead", "--json").json()
        self.assertEqual(("broken", 0, True), (out["outcome"], out["free_in"], out["marked_dead"]))
        self.assertEqual("available", self.state("h"))
        shown = self.lease("show", self.blob("h"), "--json").json()
        self.assertTrue(shown["holder_is_dead"])
        self.assertEqual("ci-7", shown["holder"]["host"])

    def test_list_shows_who_holds_what(self):
        self.held("p/leased", host="ci-7", owner="deploy", since="2026-01-01T00:00:00Z")
        self.held("p/breaking")
        self.rest.lease(self.container, "p/breaking", "break", break_period="60")
        self.held("q/broken")
        self.rest.lease(self.container, "q/broken", "break", break_period="0")
        self.rest.stage(self.container, "p/staged", b"0001", b"x")
        self.acquire("p/staged")

        def names(*arguments):
            return [line["name"] for line in self.lease("list", self.container, "--json", *arguments).lines()]
        self.assertEqual(["p/breaking", "p/leased", "p/staged", "q/broken"], names())
        self.assertEqual(["p/leased", "p/staged"], names("--state", "leased"))
        self.assertEqual(["b"], names("--state", "available"))
        self.assertEqual(5, len(names("--state", "all")))
        self.assertEqual(["q/broken"], names("--prefix", "q/"))
        self.assertEqual(["p/leased"], names("--older-than", "1d"))
        self.assertEqual(4, len(names("--page-size", "1")))
        everywhere = self.lease("list", "az://", "--json", "--page-size", "2").lines()
        self.assertIn((self.blob("p/leased"), "ci-7"), [(e["name"], (e["holder"] or {}).get("host")) for e in everywhere])
        table = self.lease("list", self.container).text.splitlines()
        self.assertRegex(table[1], r"^leased +\d+ d.* p/leased +held by deploy@ci-7 for \d+ d")
        self.assertRegex(table[3], r"^broken +- +q/broken$")
        self.lease("acquire", self.container, "--owner", "host=ci-9")
        containers = self.lease("list", "--containers", "--prefix", self.container, "--json").lines()
        self.assertEqual([(self.container, "ci-9")], [(c["name"], c["holder"]["host"]) for c in containers])

    def ask(self, *arguments, answer, code):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        running = self.start(*arguments, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        said = b""
        while b"[y/N] " not in said:
            self.assertTrue(select.select([master], [], [], 60)[0], said)
            said += os.read(master, 4096)
        os.write(master, answer)
        self.assertEqual(code, running.process.wait(60), said)
        return said.decode()

    def test_on_a_terminal_a_break_is_asked_about(self):
        self.held("h", host="ci-7")
        for answer in (b"n\n", b"\n", b"\x04"):
            said = self.ask("lease", "break", self.blob("h"), "--period", "0", answer=answer, code=64)
            self.assertIn("held by somebody@ci-7", said)
            self.assertEqual("leased", self.state("h"))
        self.ask("lease", "break", self.blob("h"), "--period", "0", answer=b"y\n", code=0)
        self.assertEqual("broken", self.state("h"))
        self.held("i")
        self.ask("lease", "break", self.container, "--prefix", "i", "--period", "0", answer=b"y\n", code=0)
        self.assertEqual("broken", self.state("i"))


if __name__ == "__main__":
    unittest.main()
