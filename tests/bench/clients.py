"""The programs that are compared: which are installed, and the command lines that upload a file or folder to the sink.

All are given the same block size and the same number of requests at once.
"""

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = HERE.parent / "azurite/node_modules"
BLOCK_MIB = 8
AT_ONCE = 4
ACCOUNT = "bench"
KEY = "YSBrZXkgdGhhdCBub2JvZHkgY2hlY2tz"
CONTAINER = "bench"
# azcopy wants a signature; the sink does not check it.
SAS = "sv=2023-11-03&ss=b&srt=sco&sp=rwdlac&se=2099-01-01T00:00:00Z&sig=bm9ib2R5IGNoZWNrcyB0aGlz"


class Place:
    """The target of one run."""

    def __init__(self, port, certificate, scratch):
        self.certificate = certificate  # None: plain http
        self.endpoint = f"{'https' if certificate else 'http'}://127.0.0.1:{port}/{ACCOUNT}"
        self.connection = (f"DefaultEndpointsProtocol={'https' if certificate else 'http'};AccountName={ACCOUNT};"
                           f"AccountKey={KEY};BlobEndpoint={self.endpoint};")
        self.scratch = scratch

    def environment(self):
        foreign = ("AZURE_", "AZLOCK_", "AZCOPY_", "RCLONE_", "SSL_CERT", "HTTP_PROXY", "HTTPS_PROXY", "XDG_", "NODE_")
        clean = {k: v for k, v in os.environ.items() if not k.upper().startswith(foreign)}
        clean.update(HOME=str(self.scratch), AZURE_STORAGE_CONNECTION_STRING=self.connection,
                     AZCOPY_LOG_LOCATION=str(self.scratch), AZCOPY_JOB_PLAN_LOCATION=str(self.scratch),
                     AZURE_CORE_COLLECT_TELEMETRY="0", AZURE_CONFIG_DIR=str(self.scratch / "az"),
                     AZCOPY_CONCURRENCY_VALUE=str(AT_ONCE))
        if self.certificate:
            for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"):
                clean[name] = str(self.certificate)
        return clean


class Client:
    """`file(place, path)` and `folder(place, path)` are command lines; None: it cannot."""

    def __init__(self, name, floor, file=None, folder=None):
        self.name, self.floor, self.file, self.folder = name, floor, file, folder


def floor(build, hash_name):
    def command(place, *what):
        trust = ["--ca", place.certificate] if place.certificate else []
        return [build / "bench/bench_floor", "--threads", AT_ONCE, *trust, *what]
    def file(place, path):
        return command(place, "--hash", hash_name, f"{place.endpoint}/{CONTAINER}/blob", path)
    def folder(place, path):
        count = sum(1 for _ in path.iterdir())
        size = next(path.iterdir()).stat().st_size
        return command(place, "--small", count, "--size", size, f"{place.endpoint}/{CONTAINER}/small")
    return Client(f"floor {hash_name}", None, file, folder if hash_name == "sha256" else None)


def azlock(build):
    binary = build / "azlock"
    text = subprocess.run([binary, "upload", "--help"], capture_output=True, text=True, check=True).stdout
    def upload(*options):
        return [binary, "upload", "--quiet", "--concurrency", AT_ONCE, *options]
    folder = None
    if "--recursive" in text:
        folder = lambda place, path: upload("-r", path, f"{CONTAINER}/small/")
    yield Client("azlock sha256", "floor sha256", lambda place, path: upload(path, f"{CONTAINER}/blob"), folder)
    if "--id-hash" in text:
        yield Client("azlock xxh3", "floor xxh3",
                     lambda place, path: upload("--id-hash", "xxh3", path, f"{CONTAINER}/blob"))


def peers():
    if shutil.which("node") and (MODULES / "@azure/storage-blob").is_dir():
        yield Client("JavaScript SDK", "floor xxh3",
                     lambda place, path: ["node", HERE / "sdk_upload.js", MODULES, CONTAINER, "blob", path,
                                          BLOCK_MIB, AT_ONCE])
    if shutil.which("azcopy"):
        def azcopy(place, path, *options):
            return ["azcopy", "copy", path, f"{place.endpoint}/{CONTAINER}/blob?{SAS}", "--from-to", "LocalBlob",
                    "--block-size-mb", BLOCK_MIB, "--output-level", "quiet", *options]
        yield Client("azcopy", "floor xxh3", azcopy,
                     lambda place, path: azcopy(place, path, "--recursive"))
    if shutil.which("az"):
        yield Client("az", "floor xxh3",
                     lambda place, path: ["az", "storage", "blob", "upload", "--file", path, "--container-name", CONTAINER,
                                          "--name", "blob", "--max-connections", AT_ONCE, "--no-progress", "--only-show-errors"])
    if shutil.which("rclone"):
        def rclone(action, place, path, target):
            trust = ["--ca-cert", place.certificate] if place.certificate else []
            return ["rclone", action, path, f":azureblob:{CONTAINER}/{target}",
                    "--azureblob-sas-url", f"{place.endpoint}/{CONTAINER}?{SAS}",
                    "--azureblob-chunk-size", f"{BLOCK_MIB}M", "--azureblob-upload-concurrency", AT_ONCE,
                    "--transfers", AT_ONCE, "--retries", 1, "--config", "/dev/null", "--quiet", *trust]
        yield Client("rclone", "floor xxh3", lambda place, path: rclone("copyto", place, path, "blob"),
                     lambda place, path: rclone("copy", place, path, "small"))
