"""The exit code tells what went wrong, and the message what to do."""

import os
import shutil
import subprocess
import unittest

from support.azurite import ACCOUNT, KEY, connection_string
from support.case import Case
from support.faults import clock_off_by, service_error

OTHER_KEY = "b3RoZXIga2V5IG90aGVyIGtleSBvdGhlciBrZXkgb3RoZXIga2V5IG90aGVyIGtleSBvdGhlciBrZXkgb3RoZXIhIQ=="


class ExitCodes(Case):
    def fails(self, code, *arguments, saying=(), **options):
        """The plain form names the reason on one line; the JSON form has the same code."""
        run = self.azlock(*arguments, code=code, **options)
        self.assertEqual((b"", 1), (run.out, run.messages.count("\n")), f"\n{run}")
        for text in (saying,) if isinstance(saying, str) else saying:
            self.assertIn(text, run.messages)
        return self.azlock(*arguments, "--json", code=code, **options).error()

    def test_a_missing_source_is_66(self):
        self.fails(66, "upload", "no-such-file", self.blob("b"), saying="'no-such-file'")
        self.fails(66, "upload", "no-such-folder/file", self.blob("b"))

    def test_a_folder_or_a_device_as_source_is_64(self):
        (self.work / "folder").mkdir()
        self.fails(64, "upload", "folder", self.blob("b"), saying=("directory", "-r"))
        os.mkfifo(self.work / "pipe")  # nobody writes to it
        for source in ("/dev/null", "pipe"):
            for command in ("upload", "resume", "verify"):
                with self.subTest(source=source, command=command):
                    self.fails(64, command, source, self.blob("b"), saying="not a regular file", timeout=20)

    def test_a_source_that_is_longer_than_it_says_is_64_and_can_be_piped_in(self):
        source = "/proc/self/status"  # of size 0
        error = self.fails(64, "upload", source, self.blob("b"), saying="longer than its size says")
        self.assertIn("upload -", error["hint"])
        self.assertFalse(self.rest.exists(self.container, "b"))
        with open(source, "rb") as stdin:
            self.azlock("upload", "-", self.blob("b"), stdin=stdin)
        self.assertIn(b"Name:", self.rest.get(self.container, "b"))

    def test_an_unreadable_source_is_66(self):
        source = self.file("secret", b"x")
        source.chmod(0)
        wrapper = ()
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("setpriv is not installed, and root reads everything")
            wrapper = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
            for folder in (self.folder, self.work):
                folder.chmod(0o755)
            if subprocess.run([*wrapper, self.azlock_path, "--version"], capture_output=True, check=False).returncode:
                self.skipTest("another user may not run the binary where it is")
        self.fails(66, "upload", source, self.blob("b"), wrapper=wrapper, saying="permission denied")

    def test_usage_errors_are_64(self):
        self.file("f", b"x")
        for arguments in (("--quiet",), ("frobnicate",), ("upload",), ("upload", "f"), ("upload", "f", "f", "c-1/b"),
                          ("upload", "f", "c/b", "--no-such-flag"), ("upload", "f", "c/b", "--block-size", "many"),
                          ("upload", "f", "c/b", "--block-size", "5000"), ("upload", "f", "c/b", "--concurrency", "0"),
                          ("upload", "f", "c/b", "--metadata", "novalue"), ("upload", "f", "c/b", "--metadata", "1a=b"),
                          ("upload", "f", "c/b", "--metadata", "azl_fence=1"),
                          ("upload", "f", "c/b", "--timeout", "soon"), ("upload", "f", "c/b", "--metadata", "a=1", "--metadata", "A=2"),
                          ("upload", "f", "c/b", "--retries", "-1"), ("upload", "f", "c/b", "--metadata", "a=é"),
                          ("upload", "f", "c-1/b", "--block-size", "1MiB", "--chunking", "content"),
                          ("upload", "f", "c-1/b", "--chunking", "some"), ("upload", "f", "c-1/b", "--id-hash", "md5"),
                          ("upload", "f", "c-1/b", "--limit-rate", "0"), ("upload", "f", "c-1/b", "--memory", "1KiB"),
                          ("upload", "f", "c-1/b", "--stall-timeout", "0s"), ("upload", "f", "c-1/b", "--null"),
                          ("upload", "f", "c-1/b", "--tags", "a=?"), ("upload", "f", "c-1/b", "--expect-size", "1"),
                          ("upload", "f", "c-1/b", "--no-overwrite", "--if-match", "*"),
                          ("upload", "-", "c-1/b", "--expect-sha256", "abc"), ("upload", "-", "container"),
                          ("upload", "-", "c-1/b", "--skip-unchanged"), ("upload", "--exec", "c-1/b"),
                          ("resume", "f"), ("resume", "-", "c-1/b", "x"),
                          ("verify", "f"), ("verify", "f", "container"),
                          ("download",), ("download", "c/b", "-", "--json"), ("download", "c"), ("show",), ("delete",),
                          ("delete", "c"), ("delete", "c/b", "--snapshots", "some"), ("container",),
                          ("container", "frobnicate", "c"), ("container", "show", "c/b"), ("list", "--delimiter", "/"),
                          ("list", "c/a", "--prefix", "b"), ("list", "c", "--page-size", "0"),
                          ("show", "c/b", "--if-modified-since", "yesterday"), ("container", "show", "c", "--if-match", "x")):
            with self.subTest(arguments=arguments):
                self.fails(64, *arguments)

    def test_a_bad_target_is_64(self):
        self.file("f", b"x")
        for target in ("", "/", "/b", "C/b", "ab/c", "a--b/c", "-abc/d", "x" * 64 + "/b", "az://", "az:///b",
                       "http://127.0.0.1", f"http://127.0.0.1:99999/{ACCOUNT}/container/b",
                       f"http://127.0.0.1:1/{ACCOUNT}/container/%4", f"http://127.0.0.1:1/{ACCOUNT}/container/%ff",
                       f"http://127.0.0.1:1/{ACCOUNT}/container/b#part", "ftp://host/container/blob",
                       f"http://user:word@127.0.0.1:1/{ACCOUNT}/container/b"):
            with self.subTest(target=target):
                self.fails(64, "upload", "f", target)

    def test_a_bad_connection_string_is_78_and_names_the_key_but_not_the_value(self):
        whole = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint=http://127.0.0.1:1/x"
        for text, named in ((whole.replace(KEY, "tooBadThat%%"), "AccountKey"),
                            (whole.replace("=http;", "=gopher;"), "DefaultEndpointsProtocol"),
                            (whole.replace("http://127.0.0.1:1/x", "tooBadThat"), "BlobEndpoint"),
                            (whole + ";FooBar=tooBadThat", "FooBar"),
                            (whole + ";tooBadThat", "="),
                            (whole + f";AccountKey={KEY}", "AccountKey"),
                            ("AccountKey=" + KEY, "AccountName"),
                            ("UseDevelopmentStorage=tooBadThat", "UseDevelopmentStorage"),
                            ("SharedAccessSignature=sv=1&sig=tooBadThat", "")):
            with self.subTest(text=text):
                run = self.azlock("list", env={"AZURE_STORAGE_CONNECTION_STRING": text}, code=78)
                self.assertIn(named, run.messages)
                self.assertNotIn("tooBadThat", run.messages)

    def test_no_account_at_all_is_78_and_says_what_to_set(self):
        self.fails(78, "list", env={"AZURE_STORAGE_CONNECTION_STRING": None}, saying="AZURE_STORAGE_CONNECTION_STRING")
        self.fails(78, "show", "c-1/b", env={"AZURE_STORAGE_CONNECTION_STRING": None})

    def test_a_wrong_key_is_77(self):
        env = {"AZURE_STORAGE_CONNECTION_STRING": connection_string(self.azurite.port, OTHER_KEY)}
        self.secrets.append(OTHER_KEY)
        for arguments in (("list",), ("show", self.blob("b")), ("upload", self.file("f", b"x"), self.blob("b")),
                          ("download", self.blob("b"), "copy"), ("delete", self.blob("b"))):
            with self.subTest(arguments=arguments):
                error = self.fails(77, *arguments, env=env)
                self.assertEqual(("auth", 403, False), (error["code"], error["http_status"], error["retryable"]))

    def test_a_clock_that_is_off_by_an_hour_is_77_and_named_as_the_reason(self):
        for seconds, direction in ((3660, "behind"), (-3660, "ahead")):
            via = self.proxy()
            via.on("Put Blob", clock_off_by(seconds), times=2)
            error = self.fails(77, "upload", self.file("f", b"x"), self.blob("b"), via=via,
                               saying=(f"clock is {direction} by 1 h", "set the clock"))
            self.assertEqual("AuthenticationFailed", error["service_code"])
            self.assertEqual(["Put Blob"] * 2, via.operations())

    def test_both_texts_to_sign_are_shown_when_asked(self):
        detail = ("<AuthenticationErrorDetail>The MAC signature found in the HTTP request 'AAAA' is not the same as any "
                  "computed signature. Server used following string to sign: 'GET\n\n\nwhat-the-service-saw"
                  "'.</AuthenticationErrorDetail>")
        via = self.proxy()
        via.on("List Containers", service_error(403, "AuthenticationFailed", detail=detail), times=2)
        run = self.azlock("list", "-v", via=via, code=77)
        self.assertIn("what-the-service-saw", run.messages)
        self.assertIn(f"/{ACCOUNT}/{ACCOUNT}", run.messages)
        self.assertIn("comp:list", run.messages)
        self.assertNotIn("what-the-service-saw", self.azlock("list", via=via, code=77).messages)

    def test_a_missing_container_is_79_with_the_way_out(self):
        source = self.file("f", b"x")
        error = self.fails(79, "upload", source, "no-such-container/b", saying="--create-container")
        self.assertEqual("ContainerNotFound", error["service_code"])
        self.fails(79, "upload", self.file("large", 3 << 20), "no-such-container/b", "--block-size", "1MiB",
                   saying="--create-container")
        for arguments in (("list", "no-such-container"), ("download", "no-such-container/b", "copy"),
                          ("delete", "no-such-container/b"), ("container", "show", "no-such-container")):
            self.fails(79, *arguments)

    def test_the_way_out_works(self):
        for size, name in ((1, "small"), (3 << 20, "large")):
            container = f"{self.container}-{name}"
            self.azlock("upload", self.file(name, size), f"{container}/b", "--block-size", "1MiB", "--create-container")
            self.assertEqual(size, len(self.rest.get(container, "b")))

    def test_a_missing_blob_is_79(self):
        for arguments in (("show", self.blob("b")), ("download", self.blob("b"), "copy"), ("delete", self.blob("b"))):
            error = self.fails(79, *arguments, saying=self.blob("b"))
            self.assertEqual(("not_found", 404), (error["code"], error["http_status"]))
        self.assertEqual([], list(self.work.iterdir()))

    def test_help_and_version_are_0_and_on_standard_output(self):
        for arguments, text in ((("--help",), "Exit codes:"), (("upload", "--help"), "Examples:"),
                                (("download", "--help"), "Examples:"), (("show", "--help"), "Examples:"),
                                (("list", "--help"), "Examples:"), (("delete", "--help"), "Examples:"),
                                (("container", "--help"), "Examples:"), (("container", "create", "--help"), "CONTAINER"),
                                (("--version",), "azlock ")):
            with self.subTest(arguments=arguments):
                run = self.azlock(*arguments)
                self.assertIn(text, run.text)
                self.assertEqual(b"", run.err)

    def test_the_program_may_be_called_azup(self):
        (self.folder / "azup").symlink_to(self.azlock_path)
        self.azlock(self.file("f", b"content"), self.blob("b"), program=self.folder / "azup")
        self.assert_blob("b", b"content")
        self.assertIn("upload", self.azlock("--help", program=self.folder / "azup").text)


if __name__ == "__main__":
    unittest.main()
