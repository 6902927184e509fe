"""Runs the recipes of docs/lease.md exactly as they are written there."""

import base64
import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support.case import Case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "lease.md"
LEASE = "aaaaaaaa-1111-2222-3333-444444444444"


def recipes():
    text = PAGE.read_text(encoding="utf-8").split("\n## Recipes\n")[1].split("\n## Exit codes\n")[0]
    found = {}
    for section in text.split("\n### ")[1:]:
        title, _, body = section.partition("\n")
        blocks = re.findall(r"^```sh\n(.*?)^```", body, re.DOTALL | re.MULTILINE)
        assert len(blocks) == 1, title
        found[title] = blocks[0]
    return found


class Recipes(Case):
    tested = set()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recipes = recipes()
        for container in ("jobs", "tfstate"):
            cls.rest.create_container(container)

    @classmethod
    def tearDownClass(cls):
        missing = set(cls.recipes) - cls.tested
        assert not missing, f"recipes that no test runs: {missing}"

    def begin(self, title, **options):
        self.tested.add(title)
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "azlock").symlink_to(self.azlock_path)
        env = self.environment()
        env["PATH"] = f"{tools}:{env['PATH']}"
        process = subprocess.Popen(["bash", "-eu", "-c", self.recipes[title]], cwd=self.work, env=env, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)  # also processes that the script left in the background
        except ProcessLookupError:
            pass
        process.communicate()

    def run_recipe(self, title, code=0):
        process = self.begin(title)
        out, err = process.communicate(timeout=60)
        self.assertEqual(code, process.returncode, f"{out}\n{err}")
        return out + err

    def state(self, container, blob):
        return self.rest.head(container, blob)["x-ms-lease-state"]

    def wait_for_lease(self, container, blob):
        for _ in range(600):
            if self.rest.exists(container, blob) and self.state(container, blob) == "leased":
                return
            time.sleep(0.05)
        self.fail("it was never leased")

    def test_a_critical_section(self):
        self.run_recipe("A critical section in a script")
        self.assertEqual("available", self.state("jobs", "nightly"))
        self.assertEqual((self.work / "result.txt").read_bytes(), self.rest.get("jobs", "nightly"))

    def long_step(self, text):
        step = self.work / "long-step"
        step.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
        step.chmod(0o755)

    def test_a_step_that_takes_longer_ends_with_its_own_code_and_gives_the_lease_back(self):
        for code in (0, 7):
            self.long_step(f"sleep 1; exit {code}")
            process = self.begin("A step that takes longer")
            out, err = process.communicate(timeout=60)
            self.assertEqual(code, process.returncode, f"{out}\n{err}")
            self.assertEqual("available", self.state("jobs", "long"))
            (self.folder / "bin" / "azlock").unlink()
            (self.folder / "bin").rmdir()

    def test_a_step_that_takes_longer_is_stopped_when_the_lease_is_lost(self):
        if self.rest.exists("jobs", "long"):
            self.rest.request("DELETE", "jobs", "long")
        self.long_step("exec sleep 600")
        process = self.begin("A step that takes longer")
        self.wait_for_lease("jobs", "long")
        self.azlock("lease", "break", "jobs/long", "--period", "0")
        out, err = process.communicate(timeout=60)
        # 73: it was lost before the first renew.
        self.assertIn(process.returncode, (122, 73), f"{out}\n{err}")

    def test_handing_a_lease_over(self):
        said = self.run_recipe("Handing a lease over")
        self.assertIn("renewed the lease of jobs/handover", said)

    def test_protecting_a_container(self):
        said = self.run_recipe("Protecting a container from deletion")
        self.assertIn("kept by ops, ticket 4711", said)
        self.azlock("container", "delete", "backups", "--yes", code=75)
        self.azlock("lease", "break", "backups")
        self.azlock("container", "delete", "backups", "--yes")

    def test_a_nightly_job_breaks_what_is_old_and_of_one_host(self):
        old, new = "2020-01-01T00:00:00Z", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        records = {"old": ("ci-7", old), "new": ("ci-7", new), "other": ("ci-8", old)}
        for name, (host, since) in records.items():
            self.rest.request("PUT", "jobs", f"stale/{name}", headers={
                "x-ms-blob-type": "BlockBlob", "x-ms-meta-azl_host": host, "x-ms-meta-azl_since": since})
            self.rest.lease("jobs", f"stale/{name}", "acquire", duration="-1")
        self.rest.put("jobs", "stale/unknown", b"")
        self.rest.lease("jobs", "stale/unknown", "acquire", duration="-1")
        said = self.run_recipe("A nightly job that breaks what a host left behind")
        self.assertIn("jobs/stale/old: would be broken", said)
        self.assertIn("jobs/stale/old: broken", said)
        states = {name: self.state("jobs", f"stale/{name}") for name in ("old", "new", "other", "unknown")}
        self.assertEqual({"old": "broken", "new": "leased", "other": "leased", "unknown": "leased"}, states)

    def test_a_stuck_lease(self):
        self.azlock("lease", "acquire", "jobs/stuck", "--create", "--duration", "infinite", "--owner", "host=ci-7")
        said = self.run_recipe("A stuck lease")
        self.assertIn("@ci-7", said)
        self.assertIn("jobs/stuck: broken, free now", said)
        self.assertEqual("broken", self.state("jobs", "stuck"))

    def test_freeing_a_terraform_state(self):
        lock = {"ID": LEASE, "Operation": "OperationTypeApply", "Info": "", "Who": "ann@laptop", "Version": "1.9.5",
                "Created": "2026-01-01T08:00:00.123456789Z", "Path": "tfstate/prod.tfstate"}
        self.rest.put("tfstate", "prod.tfstate", b"{}")
        # Like Terraform: the lease with its lock id, then the metadata.
        self.rest.request("PUT", "tfstate", "prod.tfstate", query={"comp": "lease"}, headers={
            "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1", "x-ms-proposed-lease-id": LEASE})
        self.rest.request("PUT", "tfstate", "prod.tfstate", query={"comp": "metadata"}, headers={
            "x-ms-lease-id": LEASE, "x-ms-meta-terraformlockid": base64.b64encode(json.dumps(lock).encode()).decode()})
        said = self.run_recipe("Freeing a Terraform state")
        self.assertIn("Terraform 1.9.5: ann@laptop for ", said)
        self.assertIn(f"azlock lease release tfstate/prod.tfstate --lease-id {LEASE}", said)
        self.assertEqual("available", self.state("tfstate", "prod.tfstate"))
        self.assertEqual(b"{}", self.rest.get("tfstate", "prod.tfstate"))


if __name__ == "__main__":
    unittest.main()
