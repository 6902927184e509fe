"""Logging in with Entra ID as an application: over https, with tokens that Azurite checks."""

import os
import ssl
import time
import unittest
import urllib.request
from collections import defaultdict
from urllib.parse import parse_qsl

from support import faults
from support.case import MIB
from support.entra import CLIENT, OBJECT, TENANT, Login, jwt, refusal
from support.http1 import Answer
from support.locks import wait_until
from support.login_case import SECRET, LoginCase


SOAK = bool(os.environ.get("AZLOCK_SOAK"))


class Crowd(Login):
    """Knows its clients apart by the last two characters of their ids, and when each has asked."""

    def __init__(self, *arguments, **options):
        self.asked = defaultdict(list)
        super().__init__(*arguments, **options)

    def answer(self, exchange):
        client = dict(parse_qsl(exchange.read_body().decode()))["client_id"]
        self.asked[client].append(time.monotonic())
        exchange.request.body = exchange.request.body.replace(client.encode(), CLIENT.encode())
        return super().answer(exchange)


class Logins(LoginCase):
    def test_a_service_principal_does_everything_with_one_token(self):
        desk = self.desk()
        env = self.login(desk)
        source = self.file("source", 9 * MIB)
        self.azlock("upload", source, self.blob("b"), "--block-size", "1MiB", "-vv", env=env)
        self.assertEqual(1, len(desk.tokens))
        self.assert_blob("b", source.read_bytes())
        self.azlock("download", self.blob("b"), "copy", env=env)
        self.assertEqual(source.read_bytes(), (self.work / "copy").read_bytes())
        self.azlock("lock", "name", "--container", self.container, "--", "true", env=env)
        self.azlock("delete", self.blob("b"), env=env)
        said = self.azlock("doctor", self.container, env=env).text
        self.assertIn("login by client secret", said)

    def test_too_few_open_files_are_never_told_as_a_bad_certificate(self):
        env = self.login(self.desk())
        for number in range(4, 15):
            with self.subTest(number=number):
                run = self.azlock("list", self.container, env=env, code=None, timeout=20,
                                  wrapper=("sh", "-c", f'ulimit -n {number}; exec "$0" "$@"'))
                self.assertIn(run.code, (0, 74), run)
                if run.code != 0:
                    self.assertIn(f"ulimit -n is {number}", run.messages)
                    self.assertNotIn("certificate", run.messages)

    def test_doctor_names_the_token(self):
        login = self.azlock("doctor", self.container, "--json", env=self.login(self.desk())).json()["login"]
        self.assertEqual((f"client secret (client {CLIENT})", TENANT, CLIENT, OBJECT, OBJECT, None, False),
                         tuple(login[key] for key in ("source", "tenant", "client_id", "object_id", "subject", "user", "from_cache")))

    def test_a_sas_of_a_login_opens_what_it_names_until_it_ends(self):
        env = self.login(self.desk())
        self.rest.put(self.container, "a b+c", b"content")
        made = self.azlock("sas", self.blob("a b+c"), "--https-only", "--json", env=env).json()
        self.assertEqual("user delegation SAS of a blob", made["kind"])
        url = urllib.request.Request(made["url"])
        trust = ssl.create_default_context(cafile=self.certificate[0])
        with urllib.request.urlopen(url, timeout=30, context=trust) as answer:
            self.assertEqual(b"content", answer.read())
        only = {"AZURE_STORAGE_SAS_TOKEN": made["sas"]}
        self.azlock("delete", self.blob("a b+c"), env=self.account(**only), code=77)
        said = self.azlock("doctor", self.blob("a b+c"), "--need", "read", env=self.account(**only)).text
        self.assertIn("user delegation SAS of a blob", said)
        short = self.azlock("sas", self.container, "--permissions", "rl", "--for", "2s", env=env).text.strip()
        only = {"AZURE_STORAGE_SAS_TOKEN": short}
        wait_until("the end of the SAS",
                   lambda: self.azlock("list", self.container, env=self.account(**only), code=None).code == 77)
        self.azlock("sas", self.container, "--for", "8d", env=env, code=64)

    def test_a_sas_of_a_login_without_the_role(self):
        desk, via = self.desk(), self.front()
        via.on(lambda request: request.query.get("comp") == "userdelegationkey",
               faults.service_error(403, "AuthorizationPermissionMismatch"))
        run = self.azlock("sas", self.container, env=self.login(desk, via), code=77)
        self.assertIn("Storage Blob Delegator", run.messages)

    def test_a_token_file_is_read_for_each_token(self):
        first, second = jwt(n=1), jwt(n=2)
        desk = self.desk(assertions=[first])
        path = self.file("assertion", first.encode() + b"\n")
        env = self.application(desk, AZURE_FEDERATED_TOKEN_FILE=str(path))
        self.azlock("list", self.container, env=env)
        path.write_bytes(second.encode())
        desk.assertions = {second}
        self.azlock("list", self.container, env=env)
        desk.assertions = {first}
        self.assertIn("AADSTS", self.azlock("list", self.container, env=env, code=77).messages)

    def test_tokens_that_live_seconds_last_for_a_long_upload(self):
        desk = self.desk(life=3)
        via = self.front()
        via.on("Put Block", faults.after(lambda: time.sleep(1)), times=None)
        source = self.file("source", (60 if SOAK else 12) * MIB)
        self.azlock("upload", source, self.blob("b"), "--block-size", "1MiB", "--concurrency", "1", "--retries", "0",
                    env=self.login(desk, via), timeout=300)
        self.assert_blob("b", source.read_bytes())
        self.assertGreater(len(desk.tokens), 3)
        self.assertEqual([], [request for request in via.requests if request.status != 201 and request.method == "PUT"])
        self.assertGreater(len({request.headers.get("Authorization") for request in via.requests}), 3)

    def test_a_refused_token_is_replaced_once(self):
        for status, code in ((401, "InvalidAuthenticationInfo"), (403, "AuthenticationFailed")):
            with self.subTest(status):
                desk, via = self.desk(), self.front()
                via.on("Get Blob Properties", faults.service_error(status, code))
                self.rest.put(self.container, "b", b"x")
                self.azlock("show", self.blob("b"), "--retries", "0", env=self.login(desk, via))
                self.assertEqual(2, len(desk.tokens))

    def test_an_outage_of_the_endpoint_is_waited_out(self):
        for fault in (faults.html(503), faults.close, refusal(429, "throttled", "slow down", ("Retry-After", "1"))):
            with self.subTest(fault.__name__):
                desk = self.desk()
                desk.on(lambda request: True, fault, times=2)
                self.azlock("list", self.container, env=self.login(desk))
                self.assertEqual(1, len(desk.tokens))

    def test_what_the_endpoint_must_not_answer(self):
        redirect = Answer(307, "Go", [("Location", "https://127.0.0.1:1/")], b"")
        for saying, fault in (("redirect", lambda x: x.reply(redirect)), ("1 MiB", lambda x: x.reply(
                Answer(200, "OK", [("Content-Type", "application/json")], b" " * 2 * MIB))),
                ("not JSON", faults.html(200)), ("AADSTS700016", refusal(400, "unauthorized_client", "AADSTS700016: x"))):
            with self.subTest(saying):
                desk = self.desk()
                desk.on(lambda request: True, fault)
                self.assertIn(saying, self.azlock("list", self.container, env=self.login(desk), code=77).messages)

    def test_a_wrong_secret_is_77_and_nothing_is_asked_of_the_service(self):
        desk, via = self.desk(), self.front()
        error = self.azlock("list", self.container, "--json",
                            env=self.login(desk, via, AZURE_CLIENT_SECRET="wrong"), code=77).error()
        self.assertIn("AADSTS7000215", error["message"])
        self.assertIn("not its id", error["hint"])
        self.assertEqual([], via.requests)
        said = self.azlock("doctor", self.container, env=self.login(desk, via, AZURE_CLIENT_SECRET="wrong"), code=77).text
        self.assertRegex(said, "failed +credential .*AADSTS7000215")

    def test_a_silent_endpoint_ends_with_the_deadline(self):
        desk = self.desk()
        desk.on(lambda request: True, faults.stall)
        run = self.azlock("list", self.container, "--timeout", "2s", env=self.login(desk), code=69)
        self.assertIn("client secret", run.messages)
        self.assertLess(run.seconds, 20)

    def test_an_endpoint_that_nobody_vouches_for_gets_no_secret(self):
        desk = self.desk()
        env = self.login(desk, SSL_CERT_FILE=None)
        self.assertIn("certificate", self.azlock("list", self.container, env=env, code=69).messages)
        self.assertEqual([], desk.forms)
        self.azlock("list", self.container, "--ca-file", self.certificate[0], env=env)
        run = self.azlock("list", self.container, code=78,
                          env=self.login(desk, AZURE_AUTHORITY_HOST="http://login.example.org"))
        self.assertIn("AZURE_AUTHORITY_HOST", run.messages)

    def test_many_that_start_together_do_not_renew_their_tokens_together(self):
        crowd = self.watch(Crowd(self.certificate, secret=SECRET, life=24))  # renewed 9.6 to 12 s after it was asked for
        for number in range(50):
            client = CLIENT[:-2] + f"{number:02}"
            self.start("watch", self.blob("nothing"), "--interval", "500ms", "--", "true",
                       env=self.login(crowd, AZURE_CLIENT_ID=client))
        wait_until("a second token for each", lambda: [len(times) > 1 for times in list(crowd.asked.values())] == [True] * 50, 120)
        lives = sorted(times[1] - times[0] for times in crowd.asked.values())
        self.assertGreater(lives[44] - lives[5], 1.0, lives)  # it would be the interval of the looks, or less


if __name__ == "__main__":
    unittest.main()
