"""The lock commands that are compared, each with its service on this machine: flock, etcdctl lock, azlock lock."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from support.azurite import Azurite, connection_string  # noqa: E402

READY_SECONDS = 30


class Flock:
    """Its service is the kernel."""

    name = "flock"
    ttl = None

    def __init__(self, scratch):
        self.environment = dict(os.environ)
        self._scratch = scratch

    def command(self, lock, *command):
        return ["flock", str(self._scratch / f"{lock}.lock"), *command]

    def once(self, lock, *command):
        return ["flock", "-n", *self.command(lock, *command)[1:]]

    def stop(self):
        pass


class Etcd:
    name = "etcdctl lock"
    ttl = 5

    def __init__(self, scratch):
        client, peer = 23790 + os.getpid() % 1000, 24790 + os.getpid() % 1000
        url = f"http://127.0.0.1:{client}"
        self.environment = dict(os.environ, ETCDCTL_API="3", ETCDCTL_ENDPOINTS=url)
        self.server = subprocess.Popen(
            ["etcd", "--data-dir", scratch / "etcd", "--listen-client-urls", url, "--advertise-client-urls", url,
             "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
             "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--log-level", "error"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + READY_SECONDS
        while self._etcdctl("endpoint", "health").returncode != 0:
            if time.monotonic() > end:
                self.stop()
                raise RuntimeError("etcd did not start")
            time.sleep(0.2)

    def _etcdctl(self, *arguments):
        return subprocess.run(["etcdctl", *arguments], env=self.environment, capture_output=True, text=True)

    def command(self, lock, *command):
        return ["etcdctl", "lock", "--ttl", str(self.ttl), "--", lock, *command]

    once = None  # it always waits

    def revoke(self, _):
        for line in self._etcdctl("lease", "list").stdout.splitlines()[1:]:
            self._etcdctl("lease", "revoke", line.strip())

    def freeze(self):
        self.server.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.server.send_signal(signal.SIGCONT)

    def stop(self):
        self.server.kill()
        self.server.wait()


class Azlock:
    name = "azlock lock"
    ttl = 15

    def __init__(self, built):
        self._azlock = str(built / "azlock")
        self._azurite = Azurite()
        foreign = ("AZURE_", "AZLOCK_", "XDG_", "HTTP_PROXY", "HTTPS_PROXY")
        self.environment = {k: v for k, v in os.environ.items() if not k.upper().startswith(foreign)}
        self.environment["AZURE_STORAGE_CONNECTION_STRING"] = connection_string(self._azurite.port)

    def command(self, lock, *command):
        return [self._azlock, "lock", "-q", "--ttl", f"{self.ttl}s", lock, "--", *command]

    def once(self, lock, *command):
        return [self._azlock, "lock", "-n", *self.command(lock, *command)[2:]]

    def revoke(self, lock):
        subprocess.run([self._azlock, "lease", "break", "--period", "0", "--yes", f"locks/{lock}"], check=True,
                       env=self.environment, capture_output=True)

    def freeze(self):
        self._azurite.pause()

    def thaw(self):
        self._azurite.go_on()

    def stop(self):
        self._azurite.stop()


def available(built, scratch):
    """Starts and returns those that are installed."""
    out = []
    if shutil.which("flock"):
        out.append(Flock(scratch))
    if shutil.which("etcd") and shutil.which("etcdctl"):
        out.append(Etcd(scratch))
    out.append(Azlock(built))
    return out
