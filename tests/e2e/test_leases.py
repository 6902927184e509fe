"""Leases for scripts: what is printed, what happens after lost answers, and how to keep a lease."""

import signal
import unittest

from support.azurite import ACCOUNT
from support.faults import drop_reply, fail_before, service_error, stall
from support.lease_case import OURS, THEIRS, LeaseCase, action

GUID = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$"


class Use(LeaseCase):
    def test_acquire_prints_the_lease_id_and_nothing_else(self):
        run = self.lease("acquire", self.blob("b"))
        self.assertRegex(run.text, GUID)
        self.assertEqual(b"", run.err)
        self.act("release", run.text.strip())
        out = self.lease("acquire", self.blob("b"), "--json", "--duration", "1m").json()
        self.assertEqual((self.blob("b"), "fixed", 60, False),
                         (out["target"], out["duration"], out["seconds"], out["created"]))
        self.assertEqual(self.rest.head(self.container, "b")["ETag"], out["etag"])

    def test_durations_as_people_write_them(self):
        for text in ("15", "15s", "60", "60s", "1m", "0m15s", "infinite"):
            self.lease("acquire", self.blob("b"), "--duration", text, "--proposed-id", OURS)
            kind = "infinite" if text == "infinite" else "fixed"
            self.assertEqual(kind, self.rest.head(self.container, "b")["x-ms-lease-duration"])

    def test_the_five_actions_on_every_kind_of_target(self):
        self.rest.request("PUT", self.container, "append", headers={"x-ms-blob-type": "AppendBlob"})
        self.rest.request("PUT", self.container, "page", headers={
            "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512"})
        self.rest.stage(self.container, "staged", b"0001", b"x")
        for target in (self.blob("b"), self.blob("append"), self.blob("page"), self.blob("staged"), self.container,
                       f"az://{self.blob('b')}",
                       f"http://127.0.0.1:{self.azurite.port}/{ACCOUNT}/{self.blob('b')}"):
            with self.subTest(target=target):
                mine = self.lease("acquire", target).text.strip()
                self.lease("renew", target, "--lease-id", mine)
                self.assertEqual(THEIRS + "\n", self.lease("change", target, "--lease-id", mine, "--to", THEIRS).text)
                self.lease("change", target, "--lease-id", mine, "--to", THEIRS)
                self.lease("release", target, "--lease-id", THEIRS)
                self.lease("acquire", target)
                self.assertIn("free now", self.lease("break", target, "--period", "0").text)

    def test_ids_in_any_spelling_and_from_the_environment(self):
        self.acquire()
        self.lease("renew", self.blob("b"), "--lease-id", "{" + OURS.upper() + "}")
        self.lease("renew", self.blob("b"), env={"AZLOCK_LEASE_ID": OURS.replace("-", "").upper()})
        self.lease("renew", self.blob("b"), "--lease-id", OURS, env={"AZLOCK_LEASE_ID": THEIRS})
        self.lease("release", self.blob("b"), env={"AZLOCK_LEASE_ID": OURS})
        self.assertEqual("available", self.state())

    def test_create_makes_a_blob_or_a_container(self):
        self.lease("acquire", self.blob("new"), code=79)
        self.assertTrue(self.lease("acquire", self.blob("new"), "--create", "--json").json()["created"])
        self.assertEqual(b"", self.rest.get(self.container, "new"))
        self.lease("acquire", self.container + "-new", code=79)
        self.lease("acquire", self.container + "-new", "--create")
        self.lease("acquire", self.container + "-other/b", "--create")

    def test_who_may_not_read_can_still_break(self):
        self.acquire()
        via = self.proxy()
        via.on("Get Blob Properties", service_error(403, "AuthorizationPermissionMismatch"), times=None)
        self.assertIn("broken, free now", self.lease("break", self.blob("b"), "--period", "0", via=via).text)
        self.assertEqual("broken", self.state())
        self.lease("break", self.blob("b"), "--if-owner", "host=ci-7", via=via, code=77)

    def test_deletes_take_the_lease_id(self):
        self.acquire()
        self.azlock("delete", self.blob("b"), code=75)
        self.azlock("delete", self.blob("b"), "--lease-id", OURS)
        mine = self.lease("acquire", self.container).text.strip()
        self.azlock("container", "delete", self.container, "--yes", code=75)
        self.azlock("container", "delete", self.container, "--yes", "--lease-id", mine)

    def test_waiting_names_the_holder_and_gets_the_lease(self):
        mine = self.lease("acquire", self.blob("b"), "--owner", "host=ci-7").text.strip()
        waiting = self.start("lease", "acquire", self.blob("b"), "--wait", "60s")
        self.assertIn("@ci-7", waiting.until_says("\n"))
        self.lease("release", self.blob("b"), "--lease-id", mine)
        run = waiting.finish()
        self.assertEqual(0, run.code, run)
        self.assertRegex(run.text, GUID)
        self.assertEqual("leased", self.state())

    def test_a_signal_ends_the_waiting_and_leaves_no_lease(self):
        self.acquire()
        via = self.proxy()
        seen = via.on("Get Blob Properties", lambda x: x.reply(x.forward()))
        waiting = self.start("lease", "acquire", self.blob("b"), "--wait", "1h", via=via)
        seen.wait()
        waiting.signal(signal.SIGTERM)
        run = waiting.finish()
        self.assertEqual(143, run.code, run)
        self.act("release")
        self.assertEqual("available", self.state())

    def test_a_signal_during_an_unanswered_acquire_releases_it(self):
        via = self.proxy()

        def apply_then_stall(x):
            x.forward()
            stall(x)
        stalled = via.on(action("acquire"), apply_then_stall)
        running = self.start("lease", "acquire", self.blob("b"), via=via)
        stalled.wait()
        self.assertEqual("leased", self.state())
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual(143, run.code, run)
        self.assertEqual("available", self.state())

    def test_the_record_of_the_holder(self):
        self.rest.put(self.container, "b", b"x", **{"x-ms-meta-job": "17"})
        self.lease("acquire", self.blob("b"), "--duration", "infinite", "--owner", "owner=deploy", "--owner", "host=ci 7",
                   "--owner", "run=https://ci/1?a=b%20c", "--owner", "team=Größe", "--owner", "pid=4121")
        head = self.rest.head(self.container, "b")
        self.assertEqual(("17", "deploy", "ci 7"),
                         tuple(head["x-ms-meta-" + name] for name in ("job", "azl_owner", "azl_host")))
        self.assertEqual("infinite", head["x-ms-lease-duration"])
        shown = self.lease("show", self.blob("b")).text
        self.assertRegex(shown, r"held by: +deploy@ci 7 pid 4121 for .*, run https://ci/1\?a=b%20c, team Größe")
        holder = self.lease("show", self.blob("b"), "--json").json()["holder"]
        self.assertEqual(("deploy", 4121, {"team": "Größe"}), (holder["owner"], holder["pid"], holder["other"]))
        for pair in ("nothing", "fence=1", "a-b=1", "=x", "pid=many", "since=now"):
            self.fails(64, "acquire", self.blob("b"), "--owner", pair, saying="--owner")


class LostAnswers(LeaseCase):
    def test_an_unanswered_action_is_repeated_without_harm(self):
        for fault in (drop_reply, fail_before):
            with self.subTest(fault=fault.__name__):
                via = self.proxy()
                for verb in ("acquire", "renew", "change", "release", "break"):
                    via.on(action(verb), fault)
                target = self.blob("b")
                mine = self.lease("acquire", target, via=via).text.strip()
                self.lease("renew", target, "--lease-id", mine, via=via)
                self.lease("change", target, "--lease-id", mine, "--to", THEIRS, via=via)
                self.lease("release", target, "--lease-id", THEIRS, via=via)
                self.assertEqual("available", self.state())
                self.acquire()
                self.assertIn("broken, free now", self.lease("break", target, "--period", "0", via=via).text)
                self.assertEqual("broken", self.state())

    def test_who_never_hears_of_an_acquire_leaves_no_lease(self):
        via = self.proxy()
        via.on(action("acquire"), drop_reply, times=None)
        error = self.fails(69, "acquire", self.blob("b"), "--retries", "1", via=via)
        self.assertFalse(error["may_have_applied"])
        self.assertEqual("available", self.state())

    def test_a_lost_record_is_written_again(self):
        via = self.proxy()
        via.on(lambda r: r.query.get("comp") == "metadata", drop_reply)
        self.lease("acquire", self.blob("b"), "--owner", "host=ci-7", "--duration", "infinite", via=via)
        head = self.rest.head(self.container, "b")
        self.assertEqual(("ci-7", "infinite"), (head["x-ms-meta-azl_host"], head["x-ms-lease-duration"]))


class Keep(LeaseCase):
    def keep(self, *arguments, via=None):
        self.acquire(duration="15")
        return self.start("lease", "keep", self.blob("b"), "--lease-id", OURS, *arguments, via=via)

    def test_a_signal_releases_the_lease_and_is_the_normal_end(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            running = self.keep()
            running.until_says("keeping the lease")
            running.signal(number)
            run = running.finish()
            self.assertEqual(0, run.code, run)
            self.assertEqual("available", self.state())

    def test_with_no_release_the_lease_stays(self):
        running = self.keep("--no-release")
        running.until_says("keeping the lease")
        running.signal(signal.SIGTERM)
        self.assertEqual(0, running.finish().code)
        self.assertEqual("leased", self.state())

    def test_json_tells_the_end(self):
        via = self.proxy()
        renewed = via.on(action("renew"), lambda x: x.reply(x.forward()), nth=2)
        running = self.keep("--json", via=via)
        renewed.wait()
        running.signal(signal.SIGTERM)
        out = running.finish().json()
        self.assertEqual((self.blob("b"), OURS, True), (out["target"], out["lease_id"], out["released"]))
        self.assertGreaterEqual(out["renewals"], 1)

    def test_a_broken_lease_ends_it_with_122(self):
        via = self.proxy()
        renewed = via.on(action("renew"), lambda x: x.reply(x.forward()))
        running = self.keep("--json", via=via)
        renewed.wait()
        self.rest.lease(self.container, "b", "break", break_period="0")
        run = running.finish()
        self.assertEqual(122, run.code, run)
        self.assertIn("the lease is lost", run.error()["message"])

    def test_a_lease_that_is_not_held_is_refused_at_once(self):
        self.acquire(lease_id=THEIRS)
        self.fails(75, "keep", self.blob("b"), "--lease-id", OURS)
        self.act("release", THEIRS)
        self.fails(73, "keep", self.blob("b"), "--lease-id", OURS)

    def test_the_commands_time_limit_ends_and_releases_it(self):
        running = self.keep("--timeout", "2s")
        run = running.finish()
        self.assertEqual(69, run.code, run)
        self.assertEqual("available", self.state())

    def test_a_release_that_hangs_does_not_hold_it_for_long(self):
        via = self.proxy()
        renewed = via.on(action("renew"), lambda x: x.reply(x.forward()), nth=2)
        via.on(action("release"), stall, times=None)
        running = self.keep("--json", via=via)
        renewed.wait()
        running.signal(signal.SIGTERM)
        run = running.finish()
        self.assertEqual((69, "unavailable"), (run.code, run.error()["code"]), run)
        self.assertLess(run.seconds, 30)


if __name__ == "__main__":
    unittest.main()
