"""Certificates and Azure Arc: endpoints that check what azlock proves, as the real ones do."""

import base64
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import faults
from support.arc import KEYS, Arc, with_keys
from support.case import MIB
from support.certificates import CertificateLogin, make_application_certificate, openssl
from support.entra import CLIENT
from support.http1 import Answer
from support.login_case import LoginCase

PASSPHRASE = "open, please & thanks"


class Certificates(LoginCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="azlock-e2e-")
        cls.addClassCleanup(folder.cleanup)
        cls.made = Path(folder.name)
        for name, end in (("app", 86400), ("other", 86400), ("old", -60)):
            make_application_certificate(cls.made, name, end)
        (cls.made / "passphrase").write_text(PASSPHRASE + "\n", encoding="ascii")
        openssl(cls.made, "rsa", "-in", "app.key", "-aes256", "-passout", "file:passphrase", "-out", "locked.key")
        openssl(cls.made, "pkcs12", "-export", "-inkey", "app.key", "-in", "app.pem", "-certfile", "other.pem", "-passout",
                "file:passphrase", "-out", "app.pfx")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.secrets.append(PASSPHRASE)

    def joined(self, name, *parts):
        return self.file(name, b"".join((self.made / part).read_bytes() for part in parts))

    def certified(self, **options):
        return self.watch(CertificateLogin(self.certificate, folder=self.made, name="app", **options))

    def by(self, desk, path, via=None, **changes):
        return self.application(desk, via, AZURE_CLIENT_CERTIFICATE_PATH=str(path), **changes)

    def test_an_assertion_verifies_in_every_form_of_the_file(self):
        desk = self.certified()
        by_file = {"AZURE_CLIENT_CERTIFICATE_PASSWORD_FILE": str(self.made / "passphrase")}
        by_variable = {"AZURE_CLIENT_CERTIFICATE_PASSWORD": PASSPHRASE}
        forms = ((self.joined("plain", "app.pem", "app.key"), {}), (self.joined("mixed", "other.pem", "app.key", "app.pem"), {}),
                 (self.joined("locked", "locked.key", "app.pem"), by_variable), (self.made / "app.pfx", by_file),
                 (self.made / "app.pfx", by_variable))
        for path, changes in forms:
            with self.subTest(path.name, **changes):
                before = len(desk.tokens)
                self.azlock("list", self.container, "-vv", env=self.by(desk, path, **changes))
                self.assertEqual(before + 1, len(desk.tokens))
                self.assertNotIn("x5c", desk.headers[-1])

    def test_all_certificates_go_along_if_they_are_wanted_and_the_own_one_is_the_first(self):
        desk = self.certified()
        self.azlock("list", self.container, env=self.by(
            desk, self.joined("both", "other.pem", "app.key", "app.pem"), AZURE_CLIENT_SEND_CERTIFICATE_CHAIN="1"))
        ders = [(self.made / name).read_bytes() for name in ("app.der", "other.der")]
        self.assertEqual(ders, [base64.b64decode(one, validate=True) for one in desk.headers[0]["x5c"]])

    def test_each_token_gets_an_assertion_of_its_own(self):
        desk, via = self.certified(life=3), self.front()
        via.on("Put Block", faults.after(lambda: time.sleep(1)), times=None)
        source = self.file("source", 5 * MIB)
        self.azlock("upload", source, self.blob("b"), "--block-size", "1MiB", "--concurrency", "1",
                    env=self.by(desk, self.joined("pem", "app.pem", "app.key"), via))
        self.assert_blob("b", source.read_bytes())
        self.assertGreater(len(desk.ids), 1)
        self.assertEqual(len(desk.tokens), len(desk.ids))

    def test_a_file_that_cannot_be_used_is_77_before_anything_is_sent(self):
        desk = self.certified()
        wrong = {"AZURE_CLIENT_CERTIFICATE_PASSWORD": "wrong"}
        for path, changes, saying in (
                (self.made / "app.pfx", wrong, "passphrase"), (self.made / "app.pfx", {}, "passphrase"),
                (self.joined("locked", "locked.key", "app.pem"), wrong, "passphrase"),
                (self.made / "app.pem", {}, "no private key"), (self.joined("two", "other.pem", "app.key"), {}, "no certificate"),
                (self.joined("old", "old.pem", "old.key"), {}, "ended at"), (self.made / "nowhere", {}, "nowhere"),
                (self.made / "app.pfx", {"AZURE_CLIENT_CERTIFICATE_PASSWORD_FILE": "/nowhere"}, "/nowhere"),
                (self.file("empty", b""), {}, "neither PEM nor"), (self.file("noise", 5000), {}, "neither PEM nor")):
            with self.subTest(path.name, **changes):
                self.assertIn(saying, self.azlock("list", self.container, env=self.by(desk, path, **changes), code=77).messages)
        self.assertEqual([], desk.requests)

    def test_a_certificate_that_is_not_registered_is_told(self):
        error = self.azlock("list", self.container, "--json", code=77,
                            env=self.by(self.certified(), self.joined("other", "other.pem", "other.key"))).error()
        self.assertIn("AADSTS700027", error["message"])
        self.assertIn("not registered", error["hint"])


class AzureArc(LoginCase):
    def setUp(self):
        super().setUp()
        self.keys = self.folder / "keys"
        self.keys.mkdir()
        self.wrapper = with_keys(self.keys)
        if subprocess.run([*self.wrapper, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("not permitted here: a mount namespace")
        self.arc = self.watch(Arc(self.keys))

    def lists(self, *arguments, code=0, **changes):
        env = self.account(IDENTITY_ENDPOINT=self.arc.url + "/metadata/identity/oauth2/token", IMDS_ENDPOINT=self.arc.url,
                           **changes)
        run = self.azlock("list", self.container, "--credential", "managed-identity", *arguments, env=env, code=code,
                          wrapper=self.wrapper)
        for key in self.arc.given:
            self.assertNotIn(key, run.text + run.messages)
        return run

    def test_each_token_is_proved_with_the_key_file_of_the_moment(self):
        for number in (1, 2):
            self.lists("-vv")
            self.assertEqual((number, 2 * number), (len(self.arc.tokens), len(self.arc.requests)))

    def test_no_other_file_is_sent(self):
        (self.keys / "text").write_text("key", encoding="ascii")
        (self.keys / "large.key").write_text("x" * 4097, encoding="ascii")
        for realm in ("/etc/passwd", f"{KEYS}/../../../../etc/shadow.key", f"{KEYS}/text", f"{KEYS}/large.key",
                      f"{KEYS}/missing.key", f'"{KEYS}/a.key"'):
            with self.subTest(realm):
                answer = Answer(401, "Unauthorized", [("WWW-Authenticate", "Basic realm=" + realm)], b"")
                self.arc.on(lambda request: True, lambda x, answer=answer: x.reply(answer))
                before = len(self.arc.requests)
                self.assertIn("Azure Arc", self.lists(code=77).messages)
                self.assertEqual(before + 1, len(self.arc.requests))

    def test_an_agent_that_asks_for_no_key_or_refuses_it_is_told(self):
        self.arc.on(lambda request: True, lambda x: x.reply(Answer(200, "OK", [], b'{"access_token":"a"}')))
        self.assertIn("did not ask for its key", self.lists(code=77).messages)
        self.arc.on(lambda request: request.headers.get("Authorization") is not None, lambda x: (
            self.arc.keys.clear(), x.reply(self.arc.answer(x))))
        self.assertIn("the key is wrong", self.lists(code=77).messages)
        self.assertIn("AZURE_CLIENT_ID", self.lists(code=78, AZURE_CLIENT_ID=CLIENT).messages)


if __name__ == "__main__":
    unittest.main()
