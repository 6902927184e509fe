"""Azlocks of one user that share their tokens (--token-cache)."""

import time
import unittest

from support import faults
from support.login_case import LoginCase


class TokenCache(LoginCase):
    def setUp(self):
        super().setUp()
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir(mode=0o700)

    def shared(self, desk, via=None, **changes):
        return self.login(desk, via, **{"XDG_RUNTIME_DIR": str(self.runtime), "AZLOCK_TOKEN_CACHE": "1", **changes})

    def lists(self, env, *arguments, code=0):
        return self.azlock("list", self.container, *arguments, env=env, code=code)

    def files(self):
        return sorted((self.runtime / "azlock").iterdir()) if (self.runtime / "azlock").exists() else []

    def token_file(self):
        return next(path for path in self.files() if path.suffix != ".lock")

    def test_the_second_azlock_asks_for_nothing(self):
        desk = self.desk()
        env = self.shared(desk)
        self.lists(env)
        self.assertEqual(1, len(desk.requests))
        self.assertIn("took a token from the cache", self.lists(env, "-v").messages)
        login = self.azlock("doctor", self.container, "--json", env=env).json()["login"]
        self.assertEqual((True, f"client secret (client {env['AZURE_CLIENT_ID']})"), (login["from_cache"], login["source"]))
        self.assertEqual(1, len(desk.requests))
        self.assertEqual([0o40700, 0o100600], [(path.stat().st_mode) for path in (self.runtime / "azlock", self.token_file())])
        content = self.token_file().read_text()
        self.assertIn(desk.tokens[0], content)
        self.assertNotIn(env["AZURE_CLIENT_SECRET"], content)
        self.lists(dict(env, AZURE_CLIENT_ID=None, AZURE_TENANT_ID=None, AZURE_CLIENT_SECRET=None,
                        AZURE_TOKEN_CREDENTIALS="EnvironmentCredential"), code=77)

    def test_without_the_option_nothing_is_kept(self):
        desk = self.desk()
        for _ in range(2):
            self.lists(self.shared(desk, AZLOCK_TOKEN_CACHE=None))
        self.assertEqual((2, []), (len(desk.tokens), self.files()))

    def test_azlocks_at_the_same_time_ask_once(self):
        desk = self.desk()
        desk.on(lambda request: True, faults.after(lambda: time.sleep(1)))
        runs = [self.start("list", self.container, env=self.shared(desk)) for _ in range(8)]
        self.assertEqual([0] * 8, [run.finish().code for run in runs])
        self.assertEqual(1, len(desk.tokens))

    def test_a_token_that_is_refused_or_cannot_be_read_is_replaced(self):
        desk, via = self.desk(), self.front()
        env = self.shared(desk, via)
        self.lists(env)
        via.on("List Blobs", faults.service_error(401, "InvalidAuthenticationInfo"))
        self.lists(env)
        self.assertEqual(2, len(desk.tokens))
        for number, damage in enumerate((lambda path: path.write_text("garbage"), lambda path: path.chmod(0o644)), 3):
            damage(self.token_file())
            self.assertIn("token cache: ", self.lists(env, "-v").messages)
            self.assertEqual("", self.lists(env).messages)
            self.assertEqual(number, len(desk.tokens))

    def test_a_folder_that_is_not_private_is_refused(self):
        desk = self.desk()
        self.runtime.chmod(0o755)
        self.assertIn("open to other users", self.lists(self.shared(desk), code=78).messages)
        self.runtime.chmod(0o700)
        (self.runtime / "azlock").symlink_to("/tmp")
        self.assertIn("symbolic link", self.lists(self.shared(desk), code=78).messages)
        self.assertIn("not set", self.lists(dict(self.shared(desk), XDG_RUNTIME_DIR=None), code=78).messages)
        self.assertEqual([], desk.requests)


if __name__ == "__main__":
    unittest.main()
