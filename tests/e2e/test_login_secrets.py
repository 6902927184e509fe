"""No token, assertion or client secret is printed, or visible in what runs."""

import json
import time
import unittest
from pathlib import Path

from support import faults
from support.case import MIB
from support.entra import fake_tool, json_answer, jwt, token
from support.http1 import Answer
from support.login_case import SECRET, LoginCase


def echo(x):
    """A refusal of the token endpoint that repeats what it was sent."""
    x.reply(json_answer(400, {"error": "invalid_request", "error_description": "cannot read " + x.read_body().decode()}))


def echo_bearer(x):
    """A refusal of the service that repeats the token."""
    x.read_body()
    said = x.request.headers.get("Authorization")
    x.reply(faults.refusal(403, "AuthenticationFailed", message=said,
                           detail=f"<AuthenticationErrorDetail>{said}</AuthenticationErrorDetail>"))


class LoginSecrets(LoginCase):
    """LoginCase.check_secrets searches all that every run prints for the tokens that the endpoints gave."""

    LOUD = ((), ("-vv",), ("-vv", "--json"))

    def run_all(self, env, code=0):
        self.rest.put(self.container, "b", b"content")
        source, small = self.file("large", 2 * MIB), self.file("small", b"content")
        for arguments in (("show", self.blob("b")), ("list", self.container), ("upload", small, self.blob("b")),
                          ("upload", source, self.blob("b"), "--block-size", "1MiB"), ("doctor", self.container),
                          ("lock", "name", "--container", self.container, "--", "true")):
            for loud in self.LOUD:
                self.azlock(*arguments, *(word for word in loud if arguments[0] != "lock" or word != "--json"),
                            "--retries", "0", env=env, code=code)

    def test_in_success(self):
        self.run_all(self.login(self.desk()))
        assertion = jwt(sub="project", exp=int(time.time()) + 600)
        self.secrets.append(assertion)
        self.run_all(self.application(self.desk(assertions=[assertion]), AZURE_ID_TOKEN=assertion))

    def test_when_the_token_endpoint_repeats_what_it_was_sent(self):
        desk = self.desk()
        desk.on(lambda request: True, echo, times=None)
        assertion = jwt(sub="project", exp=int(time.time()) + 600)
        self.secrets += [assertion, assertion.split(".")[1]]
        self.run_all(self.login(desk), 77)
        self.run_all(self.application(desk, AZURE_ID_TOKEN=assertion), 77)

    def test_when_the_token_endpoint_refuses_and_sends_a_token(self):
        desk = self.desk()
        desk.on(lambda request: True, lambda x: x.reply(json_answer(400, {"access_token": desk.new_token()})), times=None)
        self.run_all(self.login(desk), 77)

    def test_when_the_service_repeats_the_token(self):
        desk, via = self.desk(), self.front()
        via.on(lambda request: True, echo_bearer, times=None)
        self.run_all(self.login(desk, via), 77)

    def test_when_the_answer_with_the_token_is_broken(self):
        for body in ('{"access_token":"%s","expires_in":0}', '{"access_token":"%s', '{"access_token":"%s x"}', "%s"):
            with self.subTest(body):
                desk = self.desk()
                desk.on(lambda request: True, lambda x, d=desk, body=body: x.reply(Answer(
                    200, "OK", [("Content-Type", "application/json")], (body % d.new_token()).encode())), times=None)
                for loud in self.LOUD:
                    self.azlock("list", self.container, *loud, env=self.login(desk), code=77)

    def seen_of(self, pid):
        return b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "environ", "comm"))

    def test_what_runs_shows_no_token(self):
        desk, via = self.desk(), self.front()
        stalled = via.on("Get Blob Properties", faults.stall)
        running = self.start("show", self.blob("b"), env=self.login(desk, via))
        stalled.wait()
        seen = self.seen_of(running.pid)
        self.assertIn(b"show", seen)
        self.assertNotIn(desk.tokens[0].encode(), seen)

    def test_a_command_under_a_lock_gets_the_environment_and_no_token(self):
        desk = self.desk(life=3)
        script = ("sleep 4; env | grep -v AZURE_CLIENT_SECRET=; ls -l /proc/self/fd >&2; cat /proc/$$/cmdline; pid=$PPID; "
                  "while [ $pid -gt 1 ]; do grep -zv AZURE_CLIENT_SECRET= /proc/$pid/environ; cat /proc/$pid/cmdline; "
                  "pid=$(sed -n 's/^PPid:\\t//p' /proc/$pid/status); done 2>/dev/null")
        run = self.azlock("lock", "name", "--container", self.container, "--ttl", "15s", "--", "sh", "-c", script,
                          env=self.login(desk))
        self.assertIn("AZLOCK_LEASE_ID", run.text)
        self.assertGreater(run.text.count("AZURE_TENANT_ID"), 1)  # its own environment, and that of azlock
        self.assertNotIn("memfd", run.messages)

    def test_a_tool_that_is_asked_again_sees_no_token(self):
        given, seen = self.folder / "given", self.folder / "seen"
        bearers = [token(life=3), token(number=1)]
        self.secrets += bearers
        for number, bearer in enumerate(bearers):
            answer = {"accessToken": bearer, "expires_on": int(time.time()) + (4 if number == 0 else 3600)}
            (self.folder / f"answer-{number}").write_text(json.dumps(answer), encoding="ascii")
        script = (f"n=$(cat {given} 2>/dev/null || echo 0); echo $((n + 1)) > {given}; cat {self.folder}/answer-$n; "
                  f"{{ env; cat /proc/$$/cmdline /proc/$PPID/cmdline /proc/$PPID/environ; ls -l /proc/$$/fd; }} >> {seen}")
        tools = self.folder / "tools"
        tools.mkdir()
        via = self.front()
        via.on("Put Block", faults.after(lambda: time.sleep(1)), times=None)
        env = self.account(via, PATH=fake_tool(tools, "az", script) + ":/usr/bin:/bin", AZURE_CLIENT_SECRET=SECRET)
        run = self.azlock("upload", self.file("f", 6 * MIB), self.blob("b"), "--block-size", "1MiB", "--concurrency", "1",
                          "--credential", "az", "-vv", env=env, code=None)
        self.assertEqual("2", given.read_text().strip(), run)
        self.assertIn("get-access-token", seen.read_text(errors="replace"))
        for bearer in bearers:
            self.assertNotIn(bearer, seen.read_text(errors="replace"))


if __name__ == "__main__":
    unittest.main()
