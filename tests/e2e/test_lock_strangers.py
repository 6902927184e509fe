"""What others do to a lock's blob: no two commands run at once, and nobody waits without end."""

import os
import unittest

from support.case import Case
from support.locks import wait_until


class Deletion(Case):
    def setUp(self):
        super().setUp()
        self.name = "lock-" + os.urandom(4).hex()

    def held(self):
        running = self.start("lock", "--ttl", "15s", "--container", self.container, self.name, "-c",
                             "echo $AZLOCK_LEASE_ID > id.new; mv id.new id; exec sleep 600")
        wait_until("the command", (self.work / "id").exists)
        return running

    def test_a_container_with_a_lock_in_use_is_deleted_only_by_force(self):
        holder = self.held()
        refused = self.azlock("container", "delete", self.container, "--yes", code=75)
        self.assertIn(f"has 1 blob in use: {self.name}, held by ", refused.messages)
        self.assertTrue(self.rest.exists(self.container, self.name))
        self.azlock("container", "delete", self.container, "--yes", "--force")
        self.assertEqual(122, holder.finish().code)

    def test_the_blob_of_a_lock_in_use_is_deleted_only_by_force(self):
        holder = self.held()
        blob, id = self.blob(self.name), (self.work / "id").read_text().strip()
        self.azlock("delete", blob, "--lease-id", id, code=75)
        self.azlock("lease", "break", blob, "--period", "0", "--yes")
        self.assertIn("whose command may still run", self.azlock("delete", blob, code=75).messages)
        self.azlock("delete", blob, "--force")
        self.assertEqual(122, holder.finish().code)


if __name__ == "__main__":
    unittest.main()
