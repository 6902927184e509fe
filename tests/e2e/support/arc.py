"""The agent of Azure Arc, and a mount namespace in which its folder of keys is one of the test's."""

import os
import secrets
import time

from .entra import RESOURCE, Desk, json_answer
from .http1 import Answer

KEYS = "/var/opt/azcmagent/tokens"


def with_keys(folder):
    """A wrapper for a command that sees `folder` as the agent's folder of keys."""
    script = f'mount -t tmpfs none /var/opt && mkdir -p {KEYS} && mount --bind "$0" {KEYS} && exec "$@"'
    return ("unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", script, str(folder))


class Arc(Desk):
    """Writes a new key file for each request that proves nothing, and gives a token for its content, once."""

    def __init__(self, folder, **claims):
        self.folder, self.keys, self.given = folder, set(), []
        super().__init__(**claims)

    def challenge(self):
        name, key = f"{secrets.token_hex(8)}-1.key", secrets.token_hex(32)
        (self.folder / name).write_text(key + "\n", encoding="ascii")
        self.keys.add(key)
        self.given.append(key)
        return Answer(401, "Unauthorized", [("WWW-Authenticate", f"Basic realm={KEYS}/{name}")], b"")

    def answer(self, exchange):
        request = exchange.request
        exchange.read_body()
        good = (request.method == "GET" and request.raw_path == "/metadata/identity/oauth2/token"
                and request.headers.get("Metadata") == "true"
                and request.query == {"api-version": "2020-06-01", "resource": RESOURCE})
        if not good:
            return json_answer(400, {"error": "invalid_request", "error_description": f"{request}"})
        proof = request.headers.get("Authorization")
        if proof is None:
            return self.challenge()
        if proof.removeprefix("Basic ") not in self.keys:
            return json_answer(401, {"error": "unauthorized_client", "error_description": "the key is wrong"})
        self.keys.discard(proof.removeprefix("Basic "))
        return json_answer(200, {"access_token": self.new_token(), "expires_on": str(int(time.time()) + self.life),
                                 "resource": RESOURCE, "token_type": "Bearer"})
