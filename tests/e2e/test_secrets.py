"""No key, signature or token is printed or visible, whatever happens, with any verbosity."""

import unittest
from urllib.parse import parse_qs, quote

from support.azurite import ACCOUNT, KEY, connection_string
from support.case import MIB, Case
from support.faults import service_error, stall
from support.signer import account_sas


class Secrets(Case):
    """Case.check_secrets searches everything that every run prints for what is in self.secrets."""

    def setUp(self):
        super().setUp()
        self.sas = account_sas(ACCOUNT, KEY)
        signature = parse_qs(self.sas)["sig"][0]
        self.secrets += [signature, quote(signature, safe=""), signature.rstrip("=")]
        self.bad_sas = self.sas.replace("sig=", "sig=AAAA")
        self.rest.put(self.container, "b", b"content")
        self.account_url = f"http://127.0.0.1:{self.azurite.port}/{ACCOUNT}"

    def commands(self, target=None, container=None):
        target, container = target or self.blob("b"), container or self.container
        return (("show", target), ("download", target, "copy"), ("list", container), ("container", "show", container),
                ("upload", self.file("small", b"content"), target),
                ("upload", self.file("large", 2 * MIB), target, "--block-size", "1MiB"), ("delete", target))

    def run_all(self, commands, env, **options):
        """Runs each command with every verbosity; returns the exit codes."""
        codes = set()
        for arguments in commands:
            for loud in ((), ("-v",), ("-vv",), ("-vv", "--json"), ("--json",), ("-q",)):
                if loud and arguments[0] == "delete":
                    continue
                codes.add(self.azlock(*arguments, *loud, "--retries", "0", env=env, code=None, **options).code)
        return codes

    def test_in_success(self):
        whole = connection_string(self.azurite.port)
        path = self.file("connection", whole.encode())
        settings = {
            "connection string": {"AZURE_STORAGE_CONNECTION_STRING": whole},
            "account and key": {"AZURE_STORAGE_CONNECTION_STRING": None, "AZURE_STORAGE_ACCOUNT": ACCOUNT,
                                "AZURE_STORAGE_KEY": KEY, "AZURE_STORAGE_SERVICE_ENDPOINT": self.account_url},
            "SAS": {"AZURE_STORAGE_CONNECTION_STRING": None, "AZURE_STORAGE_SAS_TOKEN": "?" + self.sas,
                    "AZURE_STORAGE_SERVICE_ENDPOINT": self.account_url},
            "SAS in a connection string": {"AZURE_STORAGE_CONNECTION_STRING":
                                           f"BlobEndpoint={self.account_url};SharedAccessSignature={self.sas}"}}
        for name, env in settings.items():
            with self.subTest(name):
                self.rest.put(self.container, "b", b"content")
                self.assertEqual({0}, self.run_all(self.commands(), env))
        self.rest.put(self.container, "b", b"content")
        for arguments in self.commands():
            self.azlock(*arguments, "-vv", "--connection-string-file", path, env={"AZURE_STORAGE_CONNECTION_STRING": None})

    def test_with_a_sas_in_the_url(self):
        env = {"AZURE_STORAGE_CONNECTION_STRING": None}
        container = f"{self.account_url}/{self.container}?{self.sas}"
        commands = self.commands(f"{self.account_url}/{self.container}/b?{self.sas}", container)
        self.assertEqual({0}, self.run_all(commands, env))

    def test_when_it_is_refused(self):
        container = f"{self.account_url}/{self.container}?{self.bad_sas}"
        commands = self.commands(f"{self.account_url}/{self.container}/b?{self.bad_sas}", container)
        self.secrets.append("AAAA" + self.secrets[1])
        self.assertEqual({77}, self.run_all(commands, {}))

    def test_when_the_service_repeats_it(self):
        for operation in ("List Blobs", "Put Blob", "Get Blob"):
            via = self.proxy()
            via.on(operation, service_error(403, "AuthenticationFailed", message="Signature did not match: ?" + self.sas,
                                            detail=f"<AuthenticationErrorDetail>{self.sas.replace('&', '&amp;')}"
                                                   "</AuthenticationErrorDetail>"), times=None)
            self.run_all(self.commands(), {}, via=via)

    def test_when_nothing_answers(self):
        target = f"http://127.0.0.1:1/{ACCOUNT}/{self.container}/b?{self.sas}"
        codes = self.run_all(self.commands(target, target.replace("/b?", "?")), {})
        self.assertEqual({69}, codes)

    def test_when_the_target_or_a_flag_is_bad(self):
        for target in (f"{self.account_url}/C/b?{self.sas}", f"{self.account_url}/{self.container}/%zz?{self.sas}",
                       f"http://127.0.0.1:1/{ACCOUNT}/c-1/b?{self.sas}", f"ftp://host/c/b?{self.sas}",
                       f"{self.container}?{self.sas}#x",
                       f"{self.account_url}/{self.container}/b?{self.sas}#fragment", f"az://C/b?{self.sas}"):
            for arguments in (("show", target), ("show", target, "--nonsense"), ("show", target, target),
                              ("upload", target, target), ("--config", target, "list"), ("show", "--if-match", target, "x"),
                              ("show", "c/b", "--timeout", target), ("frobnicate", target), ("--ca-file", target, "list"),
                              ("upload", "small", "c/b", "--metadata", target), ("--endpoint", target, "list"),
                              ("--account", target, "list"), ("--account-key-file", target, "list")):
                for loud in ((), ("--json", "-vv")):
                    with self.subTest(arguments=arguments, loud=loud):
                        run = self.azlock(*arguments, *loud, "--retries", "0", code=None)
                        self.assertIn(run.code, (64, 66, 69, 77, 78))

    def test_when_the_setting_itself_is_bad(self):
        wrecks = (KEY + "!", KEY[:-3], KEY[:20] + " " + KEY[20:])
        self.secrets += [KEY[:20], KEY[20:40]]
        for wreck in wrecks:
            for env in ({"AZURE_STORAGE_CONNECTION_STRING": connection_string(1, wreck)},
                        {"AZURE_STORAGE_CONNECTION_STRING": f"AccountKey{wreck};AccountName=a"},
                        {"AZURE_STORAGE_CONNECTION_STRING": f"AccountName=a;{KEY};AccountKey={wreck}"},
                        {"AZURE_STORAGE_CONNECTION_STRING": KEY},
                        {"AZURE_STORAGE_CONNECTION_STRING": None, "AZURE_STORAGE_ACCOUNT": "aaa", "AZURE_STORAGE_KEY": wreck},
                        {"AZURE_STORAGE_CONNECTION_STRING": None, "AZURE_STORAGE_ACCOUNT": wreck, "AZURE_STORAGE_KEY": "a"},
                        {"AZURE_STORAGE_CONNECTION_STRING": None, "AZURE_STORAGE_SERVICE_ENDPOINT": wreck},
                        {"AZURE_STORAGE_CONNECTION_STRING": None, "AZURE_STORAGE_AUTH_MODE": wreck},
                        {"AZURE_STORAGE_CONNECTION_STRING": None, "XDG_CONFIG_HOME": str(self.config(wreck))}):
                for loud in ((), ("--json", "-vv")):
                    with self.subTest(env=env):
                        self.azlock("list", *loud, env=env, code=64 if env.get("AZURE_STORAGE_ACCOUNT") == wreck else 78)

    def config(self, wreck):
        folder = self.folder / "config"
        (folder / "azlock").mkdir(parents=True, exist_ok=True)
        (folder / "azlock/config.toml").write_text(f"account = 'a'\naccount_key = {wreck}\n{KEY} = 1\n", encoding="utf-8")
        return folder

    def test_help_does_not_show_the_environment(self):
        for command in ((), ("upload",), ("download",), ("show",), ("list",), ("delete",), ("container",),
                        ("container", "create"), ("container", "delete"), ("container", "show")):
            self.azlock(*command, "--help", env={"AZURE_STORAGE_KEY": KEY, "AZURE_STORAGE_SAS_TOKEN": self.sas})

    def test_the_process_list_shows_no_signature(self):
        via = self.proxy()
        stalled = via.on("Get Blob Properties", stall)
        url = f"http://127.0.0.1:{via.port}/{ACCOUNT}/{self.container}/b?{self.sas}"
        running = self.start("show", url, env={"AZURE_STORAGE_CONNECTION_STRING": None})
        stalled.wait()
        with open(f"/proc/{running.pid}/cmdline", "rb") as file:
            shown = file.read().decode()
        self.assertIn("show", shown)
        self.assertIn("sig=xx", shown)
        for secret in self.secrets:
            self.assertNotIn(secret, shown)

    def test_a_secret_goes_to_no_account_but_its_own(self):
        other = f"http://127.0.0.1:{self.azurite.port}/otheraccount/{self.container}/b"
        run = self.azlock("show", other, code=78)
        self.assertIn("otheraccount", run.messages)

    def test_a_secret_goes_over_plain_http_to_this_machine_only(self):
        for env in ({"AZURE_STORAGE_CONNECTION_STRING":
                     f"AccountName=a;AccountKey={KEY};BlobEndpoint=http://storage.invalid/a"},
                    {"AZURE_STORAGE_CONNECTION_STRING":
                     f"BlobEndpoint=http://storage.invalid/a;SharedAccessSignature={self.sas}"}):
            self.assertIn("--allow-insecure-http", self.azlock("list", env=env, code=78).messages)
            self.azlock("list", "--allow-insecure-http", "--timeout", "2s", env=env, code=69)


if __name__ == "__main__":
    unittest.main()
