"""What the tests of `azlock lock` share: a lock of their own, and ways to look at its lease without azlock."""

import os

from .case import Case
from .locks import wait_until


class LockCase(Case):
    def setUp(self):
        super().setUp()
        self.name = "lock-" + os.urandom(4).hex()

    def lock(self, *arguments, **options):
        return self.azlock("lock", *arguments, **options)

    def metadata(self, name=None):
        headers = self.rest.request("HEAD", "locks", name or self.name)[1]
        return {key.lower()[10:]: value for key, value in headers.items() if key.lower().startswith("x-ms-meta-")}

    def lease_state(self, name=None):
        headers = {key.lower(): value for key, value in self.rest.request("HEAD", "locks", name or self.name)[1].items()}
        return headers["x-ms-lease-state"]

    def lease(self, action, name=None, **headers):
        headers = {"x-ms-lease-" + key.replace("_", "-"): value for key, value in headers.items()}
        return self.rest.request("PUT", "locks", name or self.name, query={"comp": "lease"},
                                 headers={"x-ms-lease-action": action, **headers})

    def held(self, *flags, script="echo up > up; exec sleep 600", **options):
        """A lock that is held until the test ends."""
        running = self.start("lock", *flags, self.name, "-c", script, **options)
        wait_until("the command", (self.work / "up").exists)
        return running
