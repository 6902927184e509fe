"""doctor: names what is wrong at its check, with the exit code that a command would have, and harms nothing."""

import os
import signal
import socket
import time
import unittest
from email.utils import formatdate

from support.azurite import ACCOUNT, KEY, connection_string
from support.case import Case
from support.faults import clock_off_by, html, service_error, stall
from support.http1 import Headers
from support.signer import account_sas

PERMISSIONS = ["read", "list", "write", "lease", "delete", "create_container"]


def clock_ahead_by(seconds):
    """The service's answer, with another time in its Date."""
    def redate(x):
        answer = x.forward()
        date = ("Date", formatdate(time.time() + seconds, usegmt=True))
        answer.headers = Headers(answer.headers.without("Date") + [date])
        x.reply(answer)
    return redate


class Doctor(Case):
    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "b", b"content")

    def doctor(self, *arguments, code=0, **options):
        run = self.azlock("doctor", *arguments, "--json", code=code, **options)
        found = run.json()
        self.assertEqual(code == 0, found["ok"])
        checks = {check["check"]: check for check in found["checks"]}
        self.assertEqual(len(found["checks"]), len(checks), "a check is there twice")
        return found, checks

    def outcomes(self, checks):
        return {name: check["outcome"] for name, check in checks.items()}

    def failed(self, checks):
        return [name for name, check in checks.items() if check["outcome"] == "failed"]

    def sas(self, permissions, **kwargs):
        """An environment with only this SAS."""
        return {"AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint=http://127.0.0.1:{self.azurite.port}/{ACCOUNT};"
                                                   f"SharedAccessSignature={account_sas(ACCOUNT, KEY, permissions, **kwargs)}"}

    def closed_port(self):
        """A port that is in use, but on which nobody listens."""
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]

    def names(self):
        return self.rest.request("GET", self.container, query={"restype": "container", "comp": "list"})[2]

    def test_where_all_is_well_each_step_says_so_and_nothing_was_written(self):
        via = self.proxy()
        found, checks = self.doctor(self.container, via=via)
        self.assertEqual(["configuration", "proxy", "resolve", "connect", "tls", "service", "clock", "api_version",
                          "credential", *PERMISSIONS], list(checks))
        self.assertEqual({"ok"}, set(self.outcomes(checks).values()))
        self.assertIn("AZURE_STORAGE_CONNECTION_STRING", checks["credential"]["detail"])
        self.assertIn("account key of " + ACCOUNT, checks["credential"]["detail"])
        self.assertLess(abs(found["clock_ahead_seconds"]), 60)
        self.assertEqual([0] * 3, [via.carried_out(name) for name in ("Put Blob", "Delete Blob", "Create Container")])
        self.assertIn(b"<Name>b</Name>", self.names())
        self.assertEqual(1, self.names().count(b"<Name>"))

    def test_the_account_and_a_blob_are_targets_too(self):
        _, checks = self.doctor()
        self.assertEqual("ok", checks["list_containers"]["outcome"])
        self.assertNotIn("write", checks)
        _, checks = self.doctor(self.blob("b"))
        self.assertEqual("allowed", checks["read"]["detail"])
        _, checks = self.doctor(self.blob("none"))
        self.assertIn("there is no blob", checks["read"]["detail"])

    def test_a_blob_made_for_it_is_gone_afterwards(self):
        via = self.proxy()
        _, checks = self.doctor(self.container, "--write", via=via)
        for name in ("read", "write", "lease", "delete"):
            self.assertIn("tried with a blob", checks[name]["detail"])
        self.assertEqual(1, via.carried_out("Put Blob"))
        self.assertEqual(1, self.names().count(b"<Name>"))

    def test_a_blob_made_for_it_is_deleted_also_after_a_signal(self):
        via = self.proxy()
        stalled = via.on("Lease", stall, nth=2)  # the first one is harmless
        doctor = self.start("doctor", self.container, "--write", via=via)
        stalled.wait()
        self.assertEqual(2, self.names().count(b"<Name>"))
        doctor.signal(signal.SIGTERM)
        run = doctor.finish()
        self.assertEqual(143, run.code, f"\n{run}")
        self.assertEqual(1, self.names().count(b"<Name>"))

    def test_a_table_for_people_names_the_next_step(self):
        run = self.azlock("doctor", self.container)
        self.assertRegex(run.text, r"(?m)^ok +read +allowed$")
        run = self.azlock("doctor", "none" + self.container, code=79)
        self.assertRegex(run.text, r"(?m)^failed +container ")

    def test_a_wrong_key_is_the_credential_and_77(self):
        env = {"AZURE_STORAGE_CONNECTION_STRING": connection_string(self.azurite.port, key="d3Jvbmc=")}
        self.secrets.append("d3Jvbmc=")
        _, checks = self.doctor(self.container, code=77, env=env)
        self.assertEqual(["credential"], self.failed(checks))
        self.assertEqual(403, checks["credential"]["error"]["http_status"])
        self.assertEqual("ok", checks["service"]["outcome"])
        self.assertNotIn("write", checks)

    def test_what_a_read_only_sas_lacks_is_told_with_the_services_code(self):
        env = self.sas("rl")
        signature = env["AZURE_STORAGE_CONNECTION_STRING"].split("sig=")[1]
        self.secrets.append(signature)
        _, checks = self.doctor(self.container, code=77, env=env)
        self.assertEqual(["write", "lease", "delete"], self.failed(checks))
        self.assertEqual("warning", checks["create_container"]["outcome"])
        for name in self.failed(checks):
            self.assertEqual("AuthorizationPermissionMismatch", checks[name]["error"]["service_code"])
        self.assertIn("permissions rl", checks["credential"]["detail"])
        self.assertIn("expires 2099-01-01T00:00:00Z", checks["credential"]["detail"])
        # Without the right to delete, no blob is made. A missing right that is not needed is no failure.
        _, checks = self.doctor(self.container, "--write", "--need", "read,list", env=env)
        self.assertEqual("skipped", checks["probe_blob"]["outcome"])
        self.assertEqual("warning", checks["write"]["outcome"])
        self.assertEqual(1, self.names().count(b"<Name>"))

    def test_an_expired_sas_is_the_credential(self):
        _, checks = self.doctor(self.container, code=77, env=self.sas("rwdlac", expiry="2020-01-01T00:00:00Z"))
        self.assertEqual(["credential"], self.failed(checks))
        self.assertIn("expires 2020", checks["credential"]["detail"])

    def test_a_container_that_is_not_there_is_79(self):
        via = self.proxy()
        _, checks = self.doctor("none" + self.container, via=via, code=79)
        self.assertEqual(["container"], self.failed(checks))
        self.assertEqual(0, via.count("Create Container"))

    def test_no_server_no_name_and_no_blob_service_fail_at_their_step_with_69(self):
        closed = self.closed_port()
        for env, step in (({"AZURE_STORAGE_CONNECTION_STRING": connection_string(closed)}, "connect"),
                          ({"AZURE_STORAGE_CONNECTION_STRING": "BlobEndpoint=http://no-such-host.invalid/account;",
                            "AZURE_STORAGE_AUTH_MODE": "anonymous"}, "resolve")):
            _, checks = self.doctor(self.container, code=69, env=env)
            self.assertEqual([step], self.failed(checks))
            self.assertEqual(step, list(checks)[-1])
        via = self.proxy(upstream=False)
        via.on(lambda request: True, html(200))
        _, checks = self.doctor(self.container, via=via, code=69)
        self.assertEqual(["service"], self.failed(checks))

    def test_tls_to_a_server_that_speaks_none_is_told(self):
        env = {"AZURE_STORAGE_CONNECTION_STRING": connection_string(self.azurite.port).replace("http:", "https:")}
        _, checks = self.doctor(self.container, code=69, env=env)
        self.assertEqual("ok", checks["connect"]["outcome"])
        self.assertIn(self.failed(checks)[0], ("tls", "service"))

    def test_a_clock_that_is_off_is_told_with_the_difference(self):
        for seconds, outcome in ((-90, "warning"), (3, "ok")):
            via = self.proxy()
            via.on(lambda request: True, clock_ahead_by(seconds))
            found, checks = self.doctor(self.container, via=via)
            self.assertEqual(outcome, checks["clock"]["outcome"])
            self.assertAlmostEqual(-seconds, found["clock_ahead_seconds"], delta=2.5)
        via = self.proxy()
        via.on(lambda request: True, clock_off_by(3600))
        found, checks = self.doctor(self.container, via=via, code=77)
        self.assertEqual("clock", self.failed(checks)[0])
        self.assertIn("behind", checks["clock"]["detail"])
        self.assertAlmostEqual(-3600, found["clock_ahead_seconds"], delta=5)

    def test_a_version_that_the_service_does_not_know_is_told(self):
        via = self.proxy()
        via.on("Get Blob Properties", service_error(400, "InvalidHeaderValue"))
        _, checks = self.doctor(self.container, "--api-version", "2099-01-01", via=via, code=64)
        self.assertEqual(["api_version"], self.failed(checks))
        self.assertIn("2099-01-01", checks["api_version"]["detail"])

    def test_a_proxy_is_named_without_its_password(self):
        self.secrets.append("pass-word")
        closed = self.closed_port()
        _, checks = self.doctor(self.container, code=69,
                                env={"http_proxy": f"http://user:pass-word@127.0.0.1:{closed}", "no_proxy": ""})
        self.assertEqual(f"127.0.0.1:{closed} (http_proxy)", checks["proxy"]["detail"])
        self.assertEqual(["connect"], self.failed(checks))

    def test_where_a_setting_comes_from_is_told_for_each_of_them(self):
        endpoint = f"http://127.0.0.1:{self.azurite.port}/{ACCOUNT}"
        key = self.file("key", KEY.encode())
        config = self.file("config.toml", f'account = "{ACCOUNT}"\nendpoint = "{endpoint}"\naccount_key = "{KEY}"\n'.encode())
        none = {"AZURE_STORAGE_CONNECTION_STRING": None}
        sas = account_sas(ACCOUNT, KEY)
        self.secrets.append(sas.split("sig=")[1])
        for arguments, env, source in (
                (("--account-key-file", key, "--endpoint", endpoint, "--account", ACCOUNT), none, "--account-key-file"),
                ((), {**none, "AZURE_STORAGE_ACCOUNT": ACCOUNT, "AZURE_STORAGE_KEY": KEY,
                      "AZURE_STORAGE_SERVICE_ENDPOINT": endpoint}, "AZURE_STORAGE_KEY"),
                (("--config", config), none, f"account_key in {os.fspath(config)}")):
            _, checks = self.doctor(self.container, *arguments, env=env)
            self.assertTrue(checks["credential"]["detail"].endswith("from " + source), checks["credential"])
        _, checks = self.doctor(f"{endpoint}/{self.container}?{sas}", env=none)
        self.assertIn("from the URL", checks["credential"]["detail"])
        _, checks = self.doctor(self.container, code=78, env=none)
        self.assertEqual(["configuration"], self.failed(checks))

    def test_what_cannot_be_asked_is_64(self):
        self.azlock("doctor", "--write", code=64)
        self.azlock("doctor", self.container, "--need", "everything", code=64)
        self.azlock("doctor", "No-Container", code=64)


if __name__ == "__main__":
    unittest.main()
