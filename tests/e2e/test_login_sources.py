"""Where tokens come from: the host, a CI system, or a tool in which somebody has logged in."""

import json
import time
import unittest

from support import faults
from support.entra import (CLIENT, TENANT, AzurePipelines, GitHub, Imds, fake_tool, json_answer, jwt, refusal, token)
from support.http1 import Answer
from support.login_case import LoginCase

NOWHERE = "http://127.0.0.1:1"


class Sources(LoginCase):
    def lists(self, env, code=0, *arguments):
        return self.azlock("list", self.container, *arguments, env=env, code=code)

    def imds(self, **options):
        return self.watch(Imds(**options))

    def on_machine(self, imds, **changes):
        return self.account(AZURE_POD_IDENTITY_AUTHORITY_HOST=imds.url if imds else NOWHERE, PATH="/nowhere", **changes)

    def test_a_machine_is_asked_for_its_identity(self):
        imds = self.imds()
        self.lists(self.on_machine(imds))
        self.assertEqual(2, len(imds.requests))  # whether it is there, and the token
        self.lists(self.on_machine(imds), 0, "--credential", "managed-identity")
        self.assertEqual(3, len(imds.requests))
        named = self.imds(identity=CLIENT)
        self.lists(self.on_machine(named, AZURE_CLIENT_ID=CLIENT))
        self.assertIn("AZURE_CLIENT_ID", self.lists(self.on_machine(named), 77, "--credential", "managed-identity").messages)

    def test_a_machine_is_asked_directly_whatever_the_proxies(self):
        imds = self.imds()
        self.lists(self.on_machine(imds, http_proxy=NOWHERE))

    def test_a_metadata_service_that_has_a_bad_day_is_waited_for(self):
        imds = self.imds()
        for fault in (refusal(404, "not_found", "starting"), refusal(429, "busy", "slow", ("Retry-After", "1")),
                                     refusal(410, "gone", "updating"), faults.html(500), faults.close):
            imds.on(lambda request: True, fault)
        self.lists(self.on_machine(imds), 0, "--credential", "managed-identity")
        self.assertEqual(6, len(imds.requests))

    def test_where_nothing_is_set_up_each_place_is_named(self):
        run = self.lists(self.on_machine(None), 77)
        for part in ("AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE", "ACTIONS_ID_TOKEN_REQUEST_URL", "127.0.0.1:1",
                     "az is not installed", "azd is not installed", "--auth-mode anonymous"):
            self.assertIn(part, run.messages)

    def test_app_service_azure_ml_and_cloud_shell(self):
        host = self.imds()

        def app_service(x):
            self.assertEqual({"api-version": "2019-08-01", "resource": "https://storage.azure.com"}, x.request.query)
            self.assertEqual("header-secret", x.request.headers.get("X-IDENTITY-HEADER"))
            x.reply(json_answer(200, {"access_token": host.new_token(), "expires_on": str(int(time.time()) + 3600)}))

        def machine_learning(x):
            self.assertEqual({"api-version": "2017-09-01", "resource": "https://storage.azure.com", "clientid": CLIENT},
                             x.request.query)
            if x.request.headers.get("secret") != "ml-secret":
                return x.reply(json_answer(401, {"statusCode": 401, "message": "no such secret"}))
            end = time.strftime("%m/%d/%Y %H:%M:%S +00:00", time.gmtime(time.time() + 3600))
            return x.reply(json_answer(200, {"access_token": host.new_token(), "expires_on": end}))

        def cloud_shell(x):
            self.assertEqual(b"resource=https%3A%2F%2Fstorage.azure.com", x.read_body())
            x.reply(json_answer(200, {"access_token": host.new_token(), "expires_in": "3600"}))
        host.on(lambda request: request.raw_path == "/msi/token", app_service)
        host.on(lambda request: request.raw_path == "/ml", machine_learning, times=3)
        host.on(lambda request: request.raw_path == "/shell" and request.method == "POST", cloud_shell)
        self.lists(self.account(IDENTITY_ENDPOINT=host.url + "/msi/token", IDENTITY_HEADER="header-secret", PATH="/nowhere"))
        self.lists(self.account(MSI_ENDPOINT=host.url + "/shell", PATH="/nowhere"))
        ml = self.account(MSI_ENDPOINT=host.url + "/ml", MSI_SECRET="ml-secret", PATH="/nowhere")
        self.secrets += ["ml-secret", "header-secret"]
        self.lists(dict(ml, DEFAULT_IDENTITY_CLIENT_ID=CLIENT))
        self.lists(dict(ml, AZURE_CLIENT_ID=CLIENT, DEFAULT_IDENTITY_CLIENT_ID="another"), 0, "-vv")
        self.assertIn("no such secret", self.lists(dict(ml, AZURE_CLIENT_ID=CLIENT, MSI_SECRET="old"), 77).messages)
        run = self.lists(self.account(IDENTITY_ENDPOINT=host.url, IDENTITY_HEADER="h", IDENTITY_SERVER_THUMBPRINT="t"), 78)
        self.assertIn("Service Fabric", run.messages)

    def test_github_gives_a_fresh_assertion_for_each_token(self):
        desk = self.desk(life=3)
        github = self.watch(GitHub(desk))
        self.secrets.append(GitHub.BEARER)
        env = self.application(desk, ACTIONS_ID_TOKEN_REQUEST_URL=github.url + "/token?api-version=2.0",
                               ACTIONS_ID_TOKEN_REQUEST_TOKEN=GitHub.BEARER)
        via = self.front()
        via.on("Put Block", faults.after(lambda: time.sleep(1)), times=None)
        self.azlock("upload", self.file("f", 6 << 20), self.blob("b"), "--block-size", "1MiB", "--concurrency", "1",
                    env=dict(env, AZURE_STORAGE_SERVICE_ENDPOINT=f"https://127.0.0.1:{via.port}/devstoreaccount1"))
        self.assertGreater(len(github.tokens), 1)
        self.assertEqual(len(github.tokens), len(desk.tokens))
        github.on(lambda request: True, lambda x: x.reply(json_answer(403, {"message": "no"})))
        self.assertIn("id-token: write", self.lists(env, 77).messages)

    def test_azure_pipelines_with_the_variables_of_its_task(self):
        desk = self.desk()
        issuer = self.watch(AzurePipelines(desk))
        self.secrets.append(AzurePipelines.BEARER)
        env = self.account(AZURE_AUTHORITY_HOST=desk.url, AZURESUBSCRIPTION_CLIENT_ID=CLIENT,
                           AZURESUBSCRIPTION_TENANT_ID=TENANT, SYSTEM_OIDCREQUESTURI=issuer.url + "/oidc",
                           AZURESUBSCRIPTION_SERVICE_CONNECTION_ID=AzurePipelines.CONNECTION,
                           SYSTEM_ACCESSTOKEN=AzurePipelines.BEARER)
        self.lists(env)
        self.assertEqual(1, len(issuer.tokens))
        self.assertIn("SYSTEM_ACCESSTOKEN", self.lists(dict(env, SYSTEM_ACCESSTOKEN="old"), 77).messages)

    def test_an_id_token_from_a_variable(self):
        now = int(time.time())
        good, over = jwt(sub="project", exp=now + 300), jwt(sub="project", exp=now - 5)
        desk = self.desk(assertions=[good, over])
        self.secrets += [good, over]
        self.lists(self.application(desk, AZURE_ID_TOKEN=good))
        self.assertIn("ended at", self.lists(self.application(desk, AZURE_ID_TOKEN=over), 77).messages)
        self.assertIn("JWT", self.lists(self.application(desk, AZURE_ID_TOKEN="two.parts"), 77).messages)
        self.assertEqual(1, len(desk.tokens))

    def tool(self, name, script, **changes):
        folder = self.folder / f"tools-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        return self.account(PATH=fake_tool(folder, name, script) + ":/usr/bin:/bin",
                            AZURE_POD_IDENTITY_AUTHORITY_HOST=NOWHERE, **changes)

    def test_az_and_azd_are_asked_where_somebody_has_logged_in(self):
        bearer = token()
        self.secrets.append(bearer)
        answer = json.dumps({"accessToken": bearer, "expiresOn": "2020-01-01 00:00:00.000000",
                             "expires_on": int(time.time()) + 3600, "tokenType": "Bearer"})
        script = (f"echo 'WARNING: preview' >&2\n[ \"$*\" = 'account get-access-token --output json --resource "
                  f"https://storage.azure.com' ] && [ \"$PWD\" = / ] && echo '{answer}'")
        self.assertEqual("", self.lists(self.tool("az", script, TZ="America/New_York")).messages)
        answer = json.dumps({"token": bearer, "expiresOn": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))})
        self.lists(self.tool("azd", f"[ \"$1 $2\" = 'auth token' ] && echo '{answer}'"), 0, "--credential", "azd")

    def test_a_tool_that_fails_says_so(self):
        for script, saying in (("echo \"ERROR: Please run 'az login'\" >&2; exit 1", "az login"), ("echo garbage", "not JSON"),
                               ("kill -9 $$", "exit code 137"), ("yes", "1 MiB"), ("echo '{}'", "no token")):
            with self.subTest(script):
                self.assertIn(saying, self.lists(self.tool("az", script), 77, "--credential", "az").messages)
        self.assertIn("az is not installed", self.lists(self.account(PATH="/nowhere"), 77, "--credential", "az").messages)

    def test_a_tool_that_hangs_ends_with_the_command(self):
        run = self.lists(self.tool("az", "exec sleep 1000"), 69, "--credential", "az", "--timeout", "2s")
        self.assertLess(run.seconds, 20)

    def test_one_credential_is_named_and_no_other_is_asked(self):
        imds, desk = self.imds(), self.desk()
        env = self.login(desk, AZURE_POD_IDENTITY_AUTHORITY_HOST=imds.url, AZURE_CLIENT_ID=CLIENT)
        self.lists(dict(env, AZURE_TOKEN_CREDENTIALS="environmentcredential"))
        self.assertEqual((0, 1), (len(imds.requests), len(desk.tokens)))
        self.lists(dict(env, AZURE_TOKEN_CREDENTIALS="ManagedIdentityCredential"), 77)
        self.assertEqual(1, len(desk.tokens))
        self.lists(dict(env, AZURE_TOKEN_CREDENTIALS="everything"), 78)
        self.lists(env, 64, "--credential", "secret", "--auth-mode", "key")

    def test_a_front_tells_what_is_missing(self):
        desk, via = self.desk(), self.front()
        env = self.login(desk, via)
        self.rest.put(self.container, "b", b"x")
        for status, code, headers, saying in (
                (403, "AuthorizationPermissionMismatch", (), "Storage Blob Data Reader"),
                (403, "AuthorizationFailure", (), "firewall"),
                (401, "InvalidAuthenticationInfo",
                 (("WWW-Authenticate", "Bearer authorization_uri=https://login.microsoftonline.com/"
                   "99999999-8888-7777-6666-555555555555/oauth2/authorize resource_id=https://storage.azure.com"),),
                 "99999999-8888-7777-6666-555555555555")):
            with self.subTest(code):
                via.on("Get Blob Properties", faults.service_error(status, code, *headers))
                before = len(desk.tokens)
                self.assertIn(saying, self.azlock("show", self.blob("b"), env=env, code=77).messages)
                self.assertEqual(before + 1, len(desk.tokens))
        via.on("Put Block List", faults.service_error(403, "AuthorizationPermissionMismatch"), times=None, needed=False)
        via.on("Put Blob", faults.service_error(403, "AuthorizationPermissionMismatch"), times=None)
        said = self.azlock("doctor", self.container, env=env, code=77).text
        self.assertIn(f"tenant {TENANT}", said)
        self.assertRegex(said, "failed +write .*Storage Blob Data Contributor")


if __name__ == "__main__":
    unittest.main()
