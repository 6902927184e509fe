"""Where the account comes from: flag, then environment, then configuration file; keys from files and standard input."""

import os
import unittest

from support.azurite import ACCOUNT, KEY, connection_string
from support.case import Case
from support.signer import account_sas

NOTHING = {"AZURE_STORAGE_CONNECTION_STRING": None}
WRONG_KEY = "d3Jvbmcga2V5IHdyb25nIGtleSB3cm9uZyBrZXkgd3Jvbmcga2V5IHdyb25nIGtleSB3cm9uZyBrZXkgd3Jvbmcga2V5ISE="


class Settings(Case):
    def setUp(self):
        super().setUp()
        self.endpoint = f"http://127.0.0.1:{self.azurite.port}/{ACCOUNT}"

    def lists(self, *flags, env=None, code=0, **options):
        run = self.azlock("list", self.container, *flags, env={**NOTHING, **(env or {})}, code=code, **options)
        return run.messages

    def config(self, text):
        folder = self.folder / ".config/azlock"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "config.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def test_account_and_key_from_the_environment(self):
        env = {"AZURE_STORAGE_ACCOUNT": ACCOUNT, "AZURE_STORAGE_SERVICE_ENDPOINT": self.endpoint}
        self.lists(env={**env, "AZURE_STORAGE_KEY": KEY})
        self.lists(env={**env, "AZURE_STORAGE_KEY": KEY + "\n"})
        self.lists(env={**env, "AZURE_STORAGE_KEY": KEY, "AZURE_STORAGE_AUTH_MODE": "key"})
        self.assertIn("AZURE_CLIENT_SECRET is not set", self.lists(
            "--credential", "secret", code=77, env={**env, "AZURE_STORAGE_KEY": KEY, "AZURE_CLIENT_ID": "c",
                                                    "AZURE_TENANT_ID": "t"}))
        self.lists(env={**env, "AZURE_STORAGE_KEY": KEY, "AZURE_STORAGE_AUTH_MODE": "sas"}, code=77)
        self.lists(env={**env, "AZURE_STORAGE_KEY": KEY, "AZURE_STORAGE_AUTH_MODE": "nothing"}, code=78)

    def test_a_sas_from_the_environment_with_or_without_a_question_mark(self):
        for sas in (account_sas(ACCOUNT, KEY), "?" + account_sas(ACCOUNT, KEY)):
            self.lists(env={"AZURE_STORAGE_SERVICE_ENDPOINT": self.endpoint, "AZURE_STORAGE_SAS_TOKEN": sas})

    def test_a_sas_that_has_ended_is_named(self):
        sas = account_sas(ACCOUNT, KEY, expiry="2020-01-01T00:00:00Z")
        said = self.lists(env={"AZURE_STORAGE_SERVICE_ENDPOINT": self.endpoint, "AZURE_STORAGE_SAS_TOKEN": sas}, code=77)
        self.assertIn("the SAS ended at 2020-01-01T00:00:00Z", said)

    def test_a_key_or_list_from_a_pipe_of_the_shell_but_not_from_a_named_one(self):
        self.file("key", KEY.encode())
        flags = f'--account {ACCOUNT} --endpoint {self.endpoint}'
        for key in ("<(cat key)", "/dev/stdin < <(cat key)"):
            run = self.start("-c", f'"$0" list {self.container} {flags} --account-key-file {key}', self.azlock_path,
                             program="bash", env=NOTHING).finish()
            self.assertEqual(0, run.code, run)
        self.file("a", b"x")
        run = self.start("-c", f'"$0" upload --files-from <(echo a) {self.container}', self.azlock_path, program="bash").finish()
        self.assertEqual(0, run.code, run)
        os.mkfifo(self.work / "fifo")
        for command, code in ((("list", self.container, "--config", "fifo"), 78), (("list", self.container, "--sas-file", "fifo"), 78),
                              (("list", self.container, "--ca-file", "fifo"), 78),
                              (("upload", "--files-from", "fifo", self.container), 66),
                              (("download", self.blob("a"), "copy", "--etag-file", "fifo"), 65)):
            with self.subTest(command=command):
                self.azlock(*command, code=code, timeout=10)

    def test_a_key_from_a_file_or_from_standard_input(self):
        flags = ("--account", ACCOUNT, "--endpoint", self.endpoint, "--account-key-file")
        self.lists(*flags, self.file("key", KEY.encode() + b"\n"))
        self.lists(*flags, "-", input=KEY.encode() + b"\n")
        self.lists(*flags, "-", input=KEY.encode())
        self.assertIn("empty", self.lists(*flags, "-", input=b"\n", code=78))
        self.assertIn("no-such-file", self.lists(*flags, "no-such-file", code=78))
        self.assertIn("/dev/zero", self.lists(*flags, "/dev/zero", code=78))

    def test_a_sas_or_a_connection_string_from_a_file_or_from_standard_input(self):
        sas, whole = account_sas(ACCOUNT, KEY).encode(), connection_string(self.azurite.port).encode()
        self.lists("--endpoint", self.endpoint, "--sas-file", self.file("sas", sas + b"\n"))
        self.lists("--endpoint", self.endpoint, "--sas-file", "-", input=sas)
        self.lists("--connection-string-file", self.file("whole", whole + b"\n"))
        self.lists("--connection-string-file", "-", input=whole)

    def test_a_flag_beats_the_environment_and_the_environment_beats_the_file(self):
        good = connection_string(self.azurite.port)
        bad = connection_string(self.azurite.port, WRONG_KEY)
        self.secrets.append(WRONG_KEY)
        bad_file, good_file = self.file("bad", bad.encode()), self.file("good", good.encode())
        self.config(f"connection_string = '{bad}'\n")
        self.lists(code=77)
        self.lists(env={"AZURE_STORAGE_CONNECTION_STRING": good})
        self.lists("--connection-string-file", bad_file, env={"AZURE_STORAGE_CONNECTION_STRING": good}, code=77)
        self.lists("--connection-string-file", good_file, env={"AZURE_STORAGE_CONNECTION_STRING": bad})
        self.config(f"connection_string = '{good}'\n")
        self.lists()
        self.lists(env={"AZURE_STORAGE_CONNECTION_STRING": bad}, code=77)

    def test_a_part_of_a_higher_level_is_completed_by_a_lower_one(self):
        self.config(f"account = '{ACCOUNT}'\nendpoint = \"{self.endpoint}\"  # of the emulator\naccount_key_file = "
                    f"'{self.file('key', KEY.encode())}'\n")
        self.lists()
        self.lists("--account", ACCOUNT)
        # A key is never sent to another account.
        self.lists("--account", "another", "--timeout", "1s", "--endpoint", "http://127.0.0.1:1/another", code=77)

    def test_a_configuration_file_is_found_or_named(self):
        good = f"connection_string = '{connection_string(self.azurite.port)}'\n"
        named = self.file("named.toml", good.encode())
        self.lists("--config", named)
        self.lists("--config", "no-such-file", code=78)
        self.lists(code=78)
        (self.folder / "xdg/azlock").mkdir(parents=True)
        (self.folder / "xdg/azlock/config.toml").write_text(good, encoding="utf-8")
        self.lists(env={"XDG_CONFIG_HOME": str(self.folder / "xdg")})

    def test_a_bad_configuration_file_is_78_and_says_where(self):
        for text, saying in (("acount = 'x'", "'acount'"), ("\n\naccount", "line 3"), ("[section]", "line 1"),
                             ("account = 'x'\naccount = 'y'", "twice"), ("account = 'x", "line 1"),
                             ("retries = many", "line 1"), ("retries = 'many'", "retries"), ("timeout = 'soon'", "timeout"), ("account = [1, 2]", "line 1"),
                             ("account_key_file = 'no-such-file'", "no-such-file")):
            with self.subTest(text=text):
                self.config(text)
                self.assertIn(saying, self.lists(env={"AZURE_STORAGE_ACCOUNT": "aaa"}, code=78))

    def test_limits_come_from_the_file_and_are_beaten_by_flags(self):
        dead = self.proxy()
        dead.on("List Blobs", lambda x: x.close(), times=None)
        self.config("retries = 1\ntimeout = '20s'\napi_version = '2021-12-02'\n")
        self.azlock("list", self.container, via=dead, code=69)
        self.assertEqual(2, dead.count("List Blobs"))
        self.azlock("list", self.container, "--retries", "0", "--api-version", "2020-10-02", via=dead, code=69)
        self.assertEqual(["2021-12-02", "2021-12-02", "2020-10-02"],
                         [request.headers.get("x-ms-version") for request in dead.requests])

    def test_a_request_is_anonymous_if_that_is_asked_for(self):
        self.rest.request("PUT", self.container + "open", query={"restype": "container"},
                          headers={"x-ms-blob-public-access": "blob"})
        self.rest.put(self.container + "open", "b", b"for everybody")
        via = self.proxy()
        url = f"http://127.0.0.1:{via.port}/{ACCOUNT}/{self.container}open/b"
        self.azlock("download", url, "copy", "--auth-mode", "anonymous", env=NOTHING, via=via)
        self.assertEqual(b"for everybody", (self.work / "copy").read_bytes())
        self.assertIsNone(via.requests[0].headers.get("Authorization"))
        via.clear()
        self.azlock("download", url, "copy", env={**NOTHING, "AZURE_TOKEN_CREDENTIALS": "prod",
                                                  "AZURE_POD_IDENTITY_AUTHORITY_HOST": "http://127.0.0.1:1"}, via=via, code=77)
        self.assertEqual([], via.requests)

    def test_the_emulators_short_form_is_known(self):
        # Perhaps nothing listens on its fixed port; only the address matters.
        run = self.azlock("list", "--timeout", "1s", "--retries", "0", "-vv", code=None,
                          env={"AZURE_STORAGE_CONNECTION_STRING": "UseDevelopmentStorage=true"})
        self.assertIn(f"http://127.0.0.1:10000/{ACCOUNT}/?comp=list", run.messages)

    def test_a_proxy_of_the_environment_is_used_and_excused(self):
        via = self.proxy()
        target = f"http://azlock.invalid:{self.azurite.port}/{ACCOUNT}"
        env = {"AZURE_STORAGE_CONNECTION_STRING": f"AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={target}",
               "http_proxy": f"http://127.0.0.1:{via.port}"}

        def as_proxy(x):
            self.assertTrue(x.request.target.startswith(target), x.request.target)
            x.request.target = x.request.target.removeprefix(target.removesuffix(f"/{ACCOUNT}"))
            # Azurite takes the account from a host name with a dot.
            x.request.headers = x.request.headers.without("Host")
            x.request.headers.append(("Host", f"127.0.0.1:{self.azurite.port}"))
            x.reply(x.forward())
        via.on(lambda request: True, as_proxy, times=None)
        self.azlock("list", "--allow-insecure-http", env=env)
        self.azlock("list", "--allow-insecure-http", "--timeout", "1s", env={**env, "no_proxy": "azlock.invalid"}, code=69)
        self.assertEqual(1, len(via.requests))


if __name__ == "__main__":
    unittest.main()
