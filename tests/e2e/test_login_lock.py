"""Locks and long commands under a login whose tokens end soon."""

import os
import time
import unittest

from support import faults
from support.entra import jwt
from support.login_case import LoginCase


SOAK = bool(os.environ.get("AZLOCK_SOAK"))


class LoginLock(LoginCase):
    def lock(self, *arguments, **options):
        return self.start("lock", "name", "--container", self.container, "--ttl", "15s", *arguments, **options)

    def test_a_lock_outlives_many_tokens(self):
        desk = self.desk(life=3)
        seconds = 300 if SOAK else 20
        run = self.lock("--", "sleep", str(seconds), env=self.login(desk)).finish(seconds + 60)
        self.assertEqual(0, run.code, run)
        self.assertGreater(len(desk.tokens), seconds // 5)

    def test_without_new_tokens_a_lock_lives_as_long_as_its_token_and_then_ends_in_time(self):
        desk = self.desk(life=12)
        desk.on(lambda request: True, faults.stall, nth=2, times=None)
        mark = self.work / "alive"
        run = self.lock("--", "sh", "-c", f"while :; do date +%s.%N > {mark}; sleep 0.1; done", env=self.login(desk)).finish(90)
        ended = time.time()
        self.assertEqual(122, run.code, run)
        self.assertGreater(run.seconds, 12)  # the token was used to its end
        self.assertLess(run.seconds, 12 + 15 + 3)
        self.assertLess(float(mark.read_text()), ended)
        self.rest.request("PUT", self.container, "name", query={"comp": "lease"}, expect=(201, 409),
                          headers={"x-ms-lease-action": "acquire", "x-ms-lease-duration": "15"})

    def test_the_end_of_a_login_that_cannot_be_renewed_is_told_at_the_start(self):
        assertion = jwt(sub="project", exp=int(time.time()) + 300)
        desk = self.desk(assertions=[assertion])
        run = self.lock("--", "true", env=self.application(desk, AZURE_ID_TOKEN=assertion)).finish()
        self.assertEqual(0, run.code, run)
        self.assertIn("the login cannot be renewed after 20", run.messages)
        self.assertNotIn("cannot be renewed", self.lock("--", "true", env=self.login(desk)).finish().messages)

    def test_a_role_that_is_taken_away_during_an_upload_is_77_and_the_upload_can_be_resumed(self):
        desk, via = self.desk(), self.front()
        refused = faults.service_error(403, "AuthorizationPermissionMismatch")
        via.on("Put Block", refused, nth=3, times=None)
        source = self.file("source", 6 << 20)
        run = self.azlock("upload", source, self.blob("b"), "--block-size", "1MiB", "--concurrency", "1",
                          env=self.login(desk, via), code=77)
        self.assertIn("Storage Blob Data Contributor", run.messages)
        again = self.front()
        self.azlock("upload", source, self.blob("b"), "--block-size", "1MiB", env=self.login(desk, again))
        self.assert_blob("b", source.read_bytes())
        self.assertLess(again.count("Put Block"), 6)


if __name__ == "__main__":
    unittest.main()
