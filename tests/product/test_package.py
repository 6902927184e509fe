"""The packages, installed and unpacked in a folder outside the system, run and hold what they should."""

import gzip
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import ROOT, SKIPPED, azlock, command_tree, main

BUILD = os.environ.get("AZLOCK_BUILD") or ROOT / "build"
# Parts of the C library: every system has its own.
SYSTEM = re.compile(r"(linux-vdso|ld-linux\S*|lib(c|m|dl|rt|resolv|pthread))\.so")


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, text=True,
                          **options).stdout


def libraries(program):
    """The libraries that the program loads: name -> path, or "not" if it is not found."""
    return dict(re.findall(r"^\s*(\S+) => (/.*|not)(?= \(| found)", run("ldd", program), re.MULTILINE))


class Package(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="azlock-package-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        made = subprocess.run([ROOT / "scripts" / "package.sh", "--no-build", "--output", cls.folder, BUILD],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=480, text=True, check=False)
        if made.returncode == SKIPPED:
            raise unittest.SkipTest(made.stderr.strip())
        assert made.returncode == 0, made.stderr
        paths = [Path(line) for line in made.stdout.splitlines()]
        cls.deb = next(path for path in paths if path.suffix == ".deb")
        cls.tar = next(path for path in paths if path.suffixes[-2:] == [".tar", ".gz"])
        cls.version = azlock("--version")

    def check_tree(self, prefix):
        program = prefix / "bin" / "azlock"
        self.assertEqual(self.version, run(program, "--version"))
        self.assertIn("Usage:\n  azlock upload", run(prefix / "bin" / "azup", "--help"))
        self.assertNotIn("not stripped", run("file", program) if shutil.which("file") else "")
        for command in command_tree():
            page = prefix / "share/man/man1" / (command["command"].replace(" ", "-") + ".1.gz")
            with gzip.open(page, "rt", encoding="utf-8") as text:
                self.assertIn(".SH OPTIONS", text.read(), page.name)
        zsh = "vendor-completions" if prefix.name == "usr" else "site-functions"
        for shell, path in {"bash": "bash-completion/completions/azlock", "fish": "fish/vendor_completions.d/azlock.fish",
                            "zsh": f"zsh/{zsh}/_azlock"}.items():
            self.assertEqual(azlock("completion", shell), (prefix / "share" / path).read_text(encoding="utf-8"))
        for path in prefix.rglob("*"):
            self.assertTrue(path.exists(), f"{path} points to nothing")
        docs = prefix / "share/doc/azlock"
        self.assertIn("# azlock", (docs / "README.md").read_text(encoding="utf-8"))
        for name in ("copyright", "changelog.gz", "changelog.Debian.gz", "docs/lock.md", "docs/changelog.md"):
            self.assertTrue((docs / name).exists(), name)

    def test_the_deb_names_the_packages_it_needs_and_the_program_its_version(self):
        fields = dict(re.findall(r"^(\w[\w-]*): (.*)$", run("dpkg-deb", "--field", self.deb), re.MULTILINE))
        version = self.version.split()[1]
        self.assertEqual(f"{version}-1", fields["Version"])
        needed = {entry.split()[0] for entry in fields["Depends"].split(", ")}
        for package in ("libc6", "libssl3", "libexpat1", "libxxhash0"):
            self.assertTrue(any(name.startswith(package) for name in needed), (package, needed))
        self.assertTrue(any(name.startswith("libcpprest") for name in needed), needed)

    def test_the_deb_holds_what_runs_with_the_systems_libraries(self):
        folder = self.folder / "deb"
        run("dpkg-deb", "--extract", self.deb, folder)
        self.check_tree(folder / "usr")
        found = libraries(folder / "usr/bin/azlock")
        self.assertEqual([], [name for name, path in found.items() if path == "not" or str(self.folder) in path])

    @unittest.skipUnless(os.geteuid() == 0, "installing the package needs root")
    def test_dpkg_installs_and_removes_the_deb_beside_what_this_system_has(self):
        root, state = self.folder / "root", self.folder / "state"
        root.mkdir()
        for folder in ("updates", "info", "triggers"):
            (state / folder).mkdir(parents=True)
        shutil.copy("/var/lib/dpkg/status", state)
        # Without the other packages' lists of files: none of these files is touched.
        dpkg = ["dpkg", f"--admindir={state}", f"--instdir={root}", "--force-script-chrootless", "--force-not-root"]
        run(*dpkg, "--no-triggers", "--install", self.deb, env={**os.environ, "LC_ALL": "C"})
        self.check_tree(root / "usr")
        self.assertIn("Status: install ok installed", run(*dpkg[:2], "--status", "azlock"))
        run(*dpkg, "--no-triggers", "--purge", "azlock", env={**os.environ, "LC_ALL": "C"})
        self.assertEqual([], [str(path) for path in root.rglob("*") if not path.is_dir()])

    def test_the_tar_gz_runs_from_any_folder_with_its_own_libraries(self):
        folder = self.folder / "any where"
        folder.mkdir()
        run("tar", "-xzf", self.tar, "-C", folder)
        prefix = next(folder.iterdir())
        self.check_tree(prefix)
        foreign = {name: path for name, path in libraries(prefix / "bin/azlock").items()
                   if not SYSTEM.match(name) and not path.startswith(str(prefix))}
        self.assertEqual({}, foreign)
        licences = list((prefix / "share/doc/azlock/libraries").glob("*.copyright"))
        self.assertGreater(len(licences), 5)


if __name__ == "__main__":
    main()
