"""Runs the shell commands of docs/recipes/ exactly as they are written there."""

import base64
import json
import os
import re
import signal
import subprocess
import unittest

from support import recipes
from support.case import Case
from support.locks import wait_until

LEASE = "aaaaaaaa-1111-2222-3333-444444444444"
GITHUB = {"GITHUB_SHA": "5eed", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "us/app",
          "GITHUB_RUN_ID": "77", "GITHUB_ENV": "github-env"}
GITLAB = {"CI_COMMIT_SHA": "5eed", "CI_JOB_ID": "77", "CI_JOB_URL": "https://gitlab.example.com/us/app/-/jobs/77"}
AZURE = {"BUILD_SOURCEVERSION": "5eed", "BUILD_BUILDID": "77", "SYSTEM_TEAMPROJECT": "app",
         "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI": "https://dev.azure.com/us/"}
JENKINS = {"BUILD_TAG": "jenkins-app-77", "BUILD_URL": "https://jenkins.example.com/job/app/77/"}
CI_VARIABLES = {*GITHUB, *GITLAB, *AZURE, *JENKINS, "CIRCLE_BUILD_URL", "BUILDKITE_BUILD_URL"}


class Recipes(Case):
    def setUp(self):
        super().setUp()
        for container in self.rest_containers():
            self.rest.request("DELETE", container, query={"restype": "container"})
        self.tools = self.folder / "bin"
        self.tools.mkdir()
        (self.tools / "azlock").symlink_to(self.azlock_path)
        self.tool(self.tools / "make", 'mkdir -p dist/site\nhead -c 20000000 /dev/zero > dist/app.tar.gz\n'
                                       'echo page > dist/site/index.html\necho "made $BUILD_NUMBER" >&2')
        # A deployment that checks its lock and saves the lock's record.
        self.tool(self.work / "deploy.sh", 'azlock lock-check --min-left 1s || exit 1\necho "$@" > deployed\n'
                                           'azlock lease show locks/deploy/production > record')
        for name in ("report", "scheduler"):
            self.tool(self.tools / name, f'azlock lock-check -q || exit 1\necho ran >> "{self.work}/{name}.log"')

    def rest_containers(self):
        # All tests of the class share one Azurite: this one must not see what an earlier one has locked.
        text = self.azlock("list", "--json").text
        names = [json.loads(line)["name"] for line in text.splitlines()]
        return [name for name in names if name in ("artifacts", "locks", "tfstate", "counters", "logs")]

    @staticmethod
    def tool(path, text):
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
        path.chmod(0o755)

    def begin(self, script, stop=True, **variables):
        script = script.replace("/usr/bin/azlock", "azlock").replace("/usr/local/bin/", f"{self.tools}/")
        env = self.environment(**{**{name: None for name in CI_VARIABLES}, **variables})
        env["PATH"] = f"{self.tools}:{env['PATH']}"
        process = subprocess.Popen(["bash", *(["-e"] if stop else []), "-c", script], cwd=self.work, env=env, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()

    def run_script(self, script, code=0, **variables):
        process = self.begin(script, **variables)
        out, err = process.communicate(timeout=100)
        self.assertEqual(code, process.returncode, f"{script}\n{out}\n{err}")
        return out + err

    def run_pipeline(self, scripts, variables, log, number="1", deployed="production\n"):
        once, = recipes.shell("README.md")
        self.assertGreater(len(scripts), 1)
        for script in [once, *scripts]:
            self.run_script(script, **variables)
            # What the CI system does with this file between two steps.
            if (self.work / "github-env").exists():
                variables = {**variables, **dict([(self.work / "github-env").read_text(encoding="ascii").strip().split("=")])}
        self.assertEqual(b"1", self.rest.get("counters", "app").strip())
        self.assertIn(f"made {number}\n".encode(), self.rest.get("logs", log))
        self.assertEqual(deployed, (self.work / "deployed").read_text(encoding="ascii"))
        self.assertEqual("available", self.rest.head("locks", "deploy/production")["x-ms-lease-state"])

    def record(self):
        return (self.work / "record").read_text(encoding="utf-8")

    def test_github_actions(self):
        self.run_pipeline(recipes.github(), GITHUB, "app/77.log")
        self.assertEqual(20_000_000, len(self.rest.get("artifacts", "5eed/app.tar.gz")))
        self.assertIn("https://github.com/us/app/actions/runs/77", self.record())

    def test_gitlab_ci(self):
        self.run_pipeline(recipes.gitlab(), GITLAB, "app/77.log", deployed="production app.tar.gz\n")
        self.assertEqual(b"page\n", self.rest.get("artifacts", "5eed/site/index.html"))
        self.assertIn(GITLAB["CI_JOB_URL"], self.record())

    def test_azure_pipelines(self):
        self.run_pipeline(recipes.azure_pipelines(), AZURE, "app/77.log", number="")
        self.assertEqual(20_000_000, len(self.rest.get("artifacts", "5eed/app.tar.gz")))
        self.assertIn("https://dev.azure.com/us/app/_build/results?buildId=77", self.record())

    def test_jenkins(self):
        self.run_pipeline(recipes.jenkins(), JENKINS, "app/jenkins-app-77.log")
        self.assertIn(JENKINS["BUILD_URL"], self.record())
        self.assertEqual("ran", json.loads((self.work / "lock.json").read_text(encoding="utf-8"))["outcome"])

    def test_a_step_of_azure_pipelines_fails_where_one_of_its_commands_does(self):
        # On Azure Pipelines the shell goes on after a failure. Here only the container of the locks exists.
        for script in recipes.azure_pipelines()[:-1]:
            process = self.begin(script, stop=False, **AZURE)
            process.communicate(timeout=100)
            self.assertNotEqual(0, process.returncode, script)

    def test_a_second_deployment_waits_for_the_first(self):
        self.tool(self.work / "deploy.sh", "echo began >> order; sleep 1; echo ended >> order")
        deploy = recipes.github()[-1]
        for process in [self.begin(deploy, **GITHUB), self.begin(recipes.gitlab()[-1].splitlines()[-1], **GITLAB)]:
            out, err = process.communicate(timeout=100)
            self.assertEqual(0, process.returncode, f"{out}\n{err}")
        self.assertEqual("began\nended\n" * 2, (self.work / "order").read_text(encoding="ascii"))

    def runs_of(self, name):
        log = self.work / f"{name}.log"
        return log.read_text(encoding="ascii").count("ran") if log.exists() else 0

    def hold(self, name):
        """Somebody else's command holds the lock until the test ends."""
        holder = self.start("lock", name, "--", "sleep", "600")
        wait_until("somebody has the lock", lambda: self.rest.exists("locks", name) and
                   self.rest.head("locks", name)["x-ms-lease-state"] == "leased")
        return holder

    def test_a_line_of_cron_runs_the_job_where_nobody_else_does(self):
        line, = recipes.cron()
        self.run_script(line)
        self.assertEqual(1, self.runs_of("report"))
        self.hold("nightly/report")
        self.run_script(line)
        self.assertEqual(1, self.runs_of("report"))

    def test_once_a_night_means_once(self):
        script, who_leads = recipes.shell("cron-systemd.md")
        self.run_script(script)
        self.run_script(script)
        self.assertEqual(1, self.runs_of("report"))
        self.azlock("lease", "acquire", "locks/scheduler", "--create")
        self.assertIn("leased", self.run_script(who_leads))

    def test_a_systemd_unit_runs_the_job_and_another_is_led_by_one_machine(self):
        once, elected = recipes.systemd()
        self.run_script(once)
        self.assertEqual(1, self.runs_of("report"))
        self.tool(self.tools / "scheduler", f"echo ran >> '{self.work}/scheduler.log'; exec sleep 600")
        elected = "exec " + elected.replace("%H", "machine-1")
        leader = self.begin(elected)
        wait_until("the scheduler runs", lambda: self.runs_of("scheduler") == 1)
        self.assertIn("machine-1", self.azlock("lease", "show", "locks/scheduler").text)
        leader.send_signal(signal.SIGTERM)
        leader.communicate(timeout=60)
        self.assertEqual("available", self.rest.head("locks", "scheduler")["x-ms-lease-state"])

    def test_the_commands_of_kubernetes(self):
        report, elected = recipes.kubernetes()
        self.run_script(report)
        self.assertEqual(1, self.runs_of("report"))
        self.tool(self.tools / "scheduler", f"echo ran >> '{self.work}/scheduler.log'; exec sleep 600")
        leader = self.begin("exec " + elected)
        wait_until("the scheduler runs", lambda: self.runs_of("scheduler") == 1)
        leader.send_signal(signal.SIGTERM)
        leader.communicate(timeout=60)

    def test_a_terraform_state_is_rescued_from_a_dead_run_only(self):
        look, rescue, overview = recipes.shell("terraform.md")
        self.rest.create_container("tfstate")
        self.rest.put("tfstate", "prod.tfstate", b"{}")
        self.terraform_lock("2026-01-01T08:00:00.123456789Z")
        self.assertIn("Terraform 1.9.5: ann@laptop for ", self.run_script(look))
        self.assertIn("prod.tfstate", self.run_script(overview))
        self.run_script(rescue)
        self.assertEqual(b"{}", (self.work / "prod.tfstate.backup").read_bytes())
        self.assertEqual("broken", self.rest.head("tfstate", "prod.tfstate")["x-ms-lease-state"])
        # A lock that has just begun is left alone.
        self.rest.request("PUT", "tfstate", "prod.tfstate", query={"comp": "lease"},
                          headers={"x-ms-lease-action": "release", "x-ms-lease-id": LEASE})
        now = subprocess.check_output(["date", "-u", "+%Y-%m-%dT%H:%M:%SZ"], text=True).strip()
        self.terraform_lock(now)
        (self.work / "prod.tfstate.backup").unlink()
        self.run_script(rescue, code=73)
        self.assertEqual("leased", self.rest.head("tfstate", "prod.tfstate")["x-ms-lease-state"])

    def terraform_lock(self, created):
        lock = {"ID": LEASE, "Operation": "OperationTypeApply", "Info": "", "Who": "ann@laptop", "Version": "1.9.5",
                "Created": created, "Path": "tfstate/prod.tfstate"}
        self.rest.request("PUT", "tfstate", "prod.tfstate", query={"comp": "lease"}, headers={
            "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1", "x-ms-proposed-lease-id": LEASE})
        self.rest.request("PUT", "tfstate", "prod.tfstate", query={"comp": "metadata"}, headers={
            "x-ms-lease-id": LEASE, "x-ms-meta-terraformlockid": base64.b64encode(json.dumps(lock).encode()).decode()})

    def test_every_page_is_run(self):
        runners = {"README.md", "github-actions.md", "gitlab-ci.md", "azure-pipelines.md", "jenkins.md", "cron-systemd.md",
                   "kubernetes.md", "terraform.md"}
        self.assertEqual(runners, {path.name for path in recipes.PAGES.glob("*.md")})
        for path in recipes.PAGES.glob("*.md"):
            text = path.read_text(encoding="utf-8")
            self.assertEqual([], re.findall(r"^```(?!sh$|yaml$|groovy$|ini$|crontab$)(.+)$", text, re.MULTILINE), path.name)


if __name__ == "__main__":
    unittest.main()
