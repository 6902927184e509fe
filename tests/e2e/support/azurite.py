"""Starts an Azurite for a test: in memory, on a free port, ended with the test."""

import os
import re
import select
import signal
import subprocess
import time
from pathlib import Path

ACCOUNT = "devstoreaccount1"
# Every Azurite has this key; it is published and not a secret.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
FOLDER = Path(__file__).resolve().parents[2] / "azurite"
START_SECONDS = 60


def connection_string(port, key=KEY):
    return (f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={key};"
            f"BlobEndpoint=http://127.0.0.1:{port}/{ACCOUNT};")


class Azurite:
    def __init__(self, certificate=None):
        """With a certificate (its file and its key's) it listens on https, and accepts tokens too."""
        command = ["node", "-r", "./nogc.js", "node_modules/azurite/dist/src/blob/main.js", "--silent",
                   "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--blobPort", "0"]
        if certificate:
            command += ["--oauth", "basic", "--cert", str(certificate[0]), "--key", str(certificate[1])]
        # It watches its owner and ends with it, so a killed test leaves nothing behind.
        environment = dict(os.environ, AZURITE_OWNER_PID=str(os.getpid()))
        self._process = subprocess.Popen(command, cwd=FOLDER, env=environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            self.port = self._wait_for_port()
        except BaseException:
            self.stop()
            raise

    def _wait_for_port(self):
        said, end = b"", time.monotonic() + START_SECONDS
        while (left := end - time.monotonic()) > 0 and select.select([self._process.stdout], [], [], left)[0]:
            more = os.read(self._process.stdout.fileno(), 65536)
            said += more
            if found := re.search(rb"successfully listens on https?://127\.0\.0\.1:(\d+)\s", said):
                return int(found[1])
            if not more:
                break
        raise RuntimeError("Azurite did not start: " + said.decode(errors="replace"))

    def connection_string(self):
        return connection_string(self.port)

    def pause(self):
        """Stops it until go_on(): it keeps its connections and answers nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._process.send_signal(signal.SIGCONT)

    def stop(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
