"""Entra ID for tests: a token endpoint, tokens that Azurite accepts, and a certificate for both."""

import base64
import json
import math
import subprocess
import time
from urllib.parse import parse_qsl

from .http1 import Answer
from .proxy import Proxy

TENANT = "ab1f708d-50f6-404c-a006-d71b2ac7a606"
CLIENT = "11111111-2222-3333-4444-555555555555"
OBJECT = "23657296-5cd5-45b0-a809-d972a7f4dfe1"
RESOURCE = "https://storage.azure.com"
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def make_certificate(folder):
    """A self-signed one for 127.0.0.1; returns its file and the file of its key."""
    certificate, key = folder / "server.pem", folder / "server.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return certificate, key


def _part(value):
    return base64.urlsafe_b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).rstrip(b"=").decode()


def jwt(**claims):
    return ".".join((_part({"alg": "RS256", "typ": "JWT"}), _part(claims), _part(b"signature")))


def token(life=3600, number=0, **changes):
    """A token for storage, as Azurite checks it."""
    now = math.ceil(time.time())
    return jwt(**{"aud": RESOURCE, "iss": f"https://sts.windows.net/{TENANT}/", "iat": now - 60, "nbf": now - 60,
                  "exp": now + life, "oid": OBJECT, "sub": OBJECT, "tid": TENANT, "appid": CLIENT, "jti": str(number),
                  **changes})


def json_answer(status, content, *headers):
    return Answer(status, "Whatever", [("Content-Type", "application/json"), *headers], json.dumps(content).encode())


def refusal(status, error, description, *headers):
    """A fault: the endpoint's own refusal."""
    def refuse(x):
        x.read_body()
        x.reply(json_answer(status, {"error": error, "error_description": description + "\r\nTrace ID: t",
                                     "error_codes": [], "trace_id": "trace-e2e"}, *headers))
    return refuse


class Desk(Proxy):
    """Gives tokens. Faults are scripted as in every Proxy. `tokens` holds what it has given, `forms` what it was sent."""

    def __init__(self, certificate=None, life=3600, **claims):
        self.life, self.claims = life, claims
        self.tokens, self.forms = [], []
        super().__init__(None, certificate)

    @property
    def url(self):
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}"

    def new_token(self):
        self.tokens.append(token(self.life, len(self.tokens), **self.claims))
        return self.tokens[-1]


class Login(Desk):
    """POST /TENANT/oauth2/v2.0/token. `secret` is the client secret, and `assertions` are the JWTs, that it accepts."""

    def __init__(self, *arguments, secret=None, assertions=(), **claims):
        self.secret, self.assertions = secret, set(assertions)
        super().__init__(*arguments, **claims)

    def refusal(self, proof):
        """Why the proof is not accepted; None if it is."""
        by_secret = self.secret is not None and proof["client_secret"] == self.secret
        by_assertion = proof["client_assertion"] in self.assertions and proof["client_assertion_type"] == ASSERTION_TYPE
        return None if by_secret or by_assertion else "AADSTS7000215: Invalid client secret provided."

    def answer(self, exchange):
        request = exchange.request
        form = dict(parse_qsl(exchange.read_body().decode(), keep_blank_values=True, strict_parsing=True))
        self.forms.append(form)
        wanted = {"grant_type": "client_credentials", "client_id": CLIENT, "scope": RESOURCE + "/.default"}
        proof = {name: form.pop(name, None) for name in ("client_secret", "client_assertion", "client_assertion_type")}
        good = (request.method == "POST" and request.raw_path == f"/{TENANT}/oauth2/v2.0/token" and not request.query
                and request.headers.get("Content-Type") == "application/x-www-form-urlencoded" and form == wanted)
        if not good:
            return json_answer(400, {"error": "invalid_request", "error_description": f"AADSTS900144: {request} {form}"})
        if refusal := self.refusal(proof):
            return json_answer(401, {"error": "invalid_client", "trace_id": "trace-e2e",
                                     "error_description": refusal + "\r\nTrace ID: t"})
        return json_answer(200, {"token_type": "Bearer", "expires_in": self.life, "ext_expires_in": self.life,
                                 "access_token": self.new_token()})


class Imds(Desk):
    """The metadata service of a machine: GET /metadata/identity/oauth2/token, with texts for numbers."""

    def __init__(self, *arguments, identity=None, **claims):
        self.identity = identity
        super().__init__(*arguments, **claims)

    def answer(self, exchange):
        request = exchange.request
        exchange.read_body()
        if not request.query and request.headers.get("Metadata") is None:  # a look whether it is there
            return json_answer(400, {"error": "invalid_request", "error_description": "Required metadata header not specified"})
        wanted = {"api-version": "2018-02-01", "resource": RESOURCE, **({"client_id": self.identity} if self.identity else {})}
        good = (request.method == "GET" and request.raw_path == "/metadata/identity/oauth2/token"
                and request.headers.get("Metadata") == "true" and request.headers.get("X-Forwarded-For") is None)
        if not good:
            return json_answer(400, {"error": "bad_request_102", "error_description": "Required metadata header not specified"})
        if request.query != wanted:
            return json_answer(400, {"error": "invalid_request", "error_description": "Identity not found"})
        now = math.ceil(time.time())
        return json_answer(200, {"access_token": self.new_token(), "refresh_token": "", "expires_in": str(self.life),
                                 "expires_on": str(now + self.life), "not_before": str(now), "resource": RESOURCE,
                                 "token_type": "Bearer"})


class GitHub(Desk):
    """The issuer of a job's assertions: GET with the job's bearer token. `login` accepts what it gives."""

    BEARER = "github-request-token"

    def __init__(self, login):
        self.login = login
        super().__init__()

    def answer(self, exchange):
        request = exchange.request
        wanted = {"api-version": "2.0", "audience": "api://AzureADTokenExchange"}
        if (request.method, request.headers.get("Authorization"), request.query) != ("GET", "Bearer " + self.BEARER, wanted):
            return json_answer(401, {"message": "Bad credentials"})
        assertion = jwt(sub="repo:o/r:ref:refs/heads/main", jti=str(len(self.tokens)))
        self.tokens.append(assertion)
        self.login.assertions = {assertion}  # an old one is no longer accepted
        return json_answer(200, {"count": 1, "value": assertion})


class AzurePipelines(Desk):
    """The issuer of a service connection's assertions: POST with the job's access token."""

    BEARER, CONNECTION = "system-access-token", "99999999-0000-0000-0000-000000000000"

    def __init__(self, login):
        self.login = login
        super().__init__()

    def answer(self, exchange):
        request = exchange.request
        good = (request.method == "POST" and request.headers.get("Content-Length") == "0"
                and request.headers.get("Authorization") == "Bearer " + self.BEARER
                and request.headers.get("X-TFS-FedAuthRedirect") == "Suppress"
                and request.query == {"api-version": "7.1", "serviceConnectionId": self.CONNECTION})
        if not good:
            return Answer(302, "Found", [("Location", "/_signin")], b"")
        assertion = jwt(sub="sc://org/project/connection", jti=str(len(self.tokens)))
        self.tokens.append(assertion)
        self.login.assertions = {assertion}
        return json_answer(200, {"oidcToken": assertion})


def fake_tool(folder, name, script):
    """A program of that name in a folder, for PATH."""
    path = folder / name
    path.write_text("#!/bin/sh\n" + script + "\n", encoding="utf-8")
    path.chmod(0o755)
    return str(folder)
