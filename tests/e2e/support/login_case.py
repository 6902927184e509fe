"""What the tests of logins have: an Azurite on https that takes tokens, a token endpoint, and a clean environment."""

import tempfile
from pathlib import Path
from urllib.parse import quote

from .azurite import ACCOUNT, Azurite
from .case import Case
from .entra import CLIENT, TENANT, Desk, Login, make_certificate
from .proxy import Proxy
from .rest import Rest

SECRET = "a client~secret & more"


class LoginCase(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="azlock-e2e-")
        cls.addClassCleanup(folder.cleanup)
        cls.certificate = make_certificate(Path(folder.name))
        super().setUpClass()

    @classmethod
    def start_azurite(cls):
        return Azurite(cls.certificate), True

    def setUp(self):
        super().setUp()
        self.secrets += [SECRET, quote(SECRET, safe="~")]
        self.desks = []

    def check_secrets(self, run):
        super().check_secrets(run)
        for token in [token for desk in self.desks for token in desk.tokens]:
            for stream in (run.out, run.err):
                self.assertNotIn(token.encode(), stream, f"a token was printed by {run.arguments}")

    def watch(self, proxy):
        """Ends it with the test, which fails if one of its faults did not happen, or if one of its tokens is printed."""
        if isinstance(proxy, Desk):
            self.desks.append(proxy)
        self.addCleanup(proxy.stop)
        self.addCleanup(lambda: self.assertEqual([], proxy.unfired(), "faults that never happened"))
        return proxy

    def desk(self, **options):
        return self.watch(Login(self.certificate, **{"secret": SECRET, **options}))

    def front(self):
        """A faulty proxy in front of Azurite."""
        return self.watch(Proxy(self.azurite.port, self.certificate))

    def account(self, via=None, **changes):
        """An environment with an account and no credential."""
        port = (via or self.azurite).port
        return {"AZURE_STORAGE_CONNECTION_STRING": None, "SSL_CERT_FILE": str(self.certificate[0]),
                "AZURE_STORAGE_SERVICE_ENDPOINT": f"https://127.0.0.1:{port}/{ACCOUNT}", **changes}

    def application(self, desk, via=None, **changes):
        """The same with an application of Entra ID, which cannot prove who it is."""
        return self.account(via, **{"AZURE_AUTHORITY_HOST": desk.url, "AZURE_CLIENT_ID": CLIENT, "AZURE_TENANT_ID": TENANT,
                                    **changes})

    def login(self, desk, via=None, **changes):
        """The same with its secret."""
        return self.application(desk, via, **{"AZURE_CLIENT_SECRET": SECRET, **changes})
