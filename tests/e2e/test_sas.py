"""A SAS of `azlock sas` permits exactly what was asked for; the service checks it."""

import unittest
import urllib.error
import urllib.request

from support.azurite import ACCOUNT
from support.case import Case
from support.locks import wait_until

# What docs/sas.md says that a command needs, of a SAS of the container. "FILE" and the others are filled in.
NEEDS = (("r", ("download", "BLOB", "copy")),
         ("r", ("show", "BLOB")),
         ("r", ("verify", "FILE", "BLOB")),
         ("l", ("list", "CONTAINER")),
         ("c", ("upload", "FILE", "NEW")),
         ("w", ("upload", "FILE", "BLOB")),
         ("w", ("append", "LOG", "FILE")),
         ("a", ("append", "LOG", "FILE", "--no-lease")),
         ("rw", ("cas-update", "COUNTER", "--add", "1")),
         ("d", ("delete", "BLOB")),
         ("w", ("lease", "acquire", "BLOB")),
         ("w", ("lease", "break", "LEASED")),
         ("r", ("lease", "show", "BLOB")),
         ("l", ("lease", "list", "CONTAINER")),
         ("rw", ("lock", "az://CONTAINER/job", "--", "true")),
         ("rw", ("elect", "az://CONTAINER/boss", "--once", "--", "true")),
         ("w", ("queue", "put", "CONTAINER/q", "FILE")),
         ("l", ("queue", "list", "CONTAINER/q")),
         ("rwdl", ("queue", "work", "CONTAINER/q", "--drain", "--", "true")))


class Sas(Case):
    def sas(self, *arguments, **options):
        run = self.azlock("sas", *arguments, **options)
        self.assertEqual((1, ""), (run.text.count("\n"), run.messages))
        return run.text.strip()

    def only(self, sas, port=None):
        """An environment with nothing but this SAS."""
        endpoint = f"http://127.0.0.1:{port or self.azurite.port}/{ACCOUNT}"
        return {"AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint={endpoint};SharedAccessSignature={sas}"}

    def filled(self, command):
        """The command on fresh blobs."""
        container = self.container = "c-" + str(self.id_of_next())
        self.rest.create_container(container)
        for name, content in (("BLOB", b"content"), ("COUNTER", b"1"), ("LEASED", b"x")):
            self.rest.put(container, name.lower(), content)
        self.rest.request("PUT", container, "log", headers={"x-ms-blob-type": "AppendBlob"})
        self.rest.request("PUT", container, "leased", query={"comp": "lease"},
                          headers={"x-ms-lease-action": "acquire", "x-ms-lease-duration": "60"})
        if command[:2] == ("queue", "work"):
            self.azlock("queue", "put", f"{container}/q", self.work / "file")
        words = {"FILE": str(self.work / "file"),
                 **{name: f"{container}/{name.lower()}" for name in ("BLOB", "NEW", "LOG", "COUNTER", "LEASED")}}
        return [words.get(word, word.replace("CONTAINER", container)) for word in command]

    def id_of_next(self):
        self.made = getattr(self, "made", 0) + 1
        return f"{self.made:03}-{self.work.parent.name[-8:].lower().replace('_', '0')}"

    def test_each_command_works_with_what_it_needs_and_with_nothing_less(self):
        self.file("file", b"content")
        for letters, command in NEEDS:
            with self.subTest(command=command, permissions=letters):
                arguments = self.filled(command)
                self.azlock(*arguments, env=self.only(self.sas(self.container, "--permissions", letters)))
            for letter in letters:
                less = (letters + "t").replace(letter, "")
                with self.subTest(command=command, permissions=less):
                    arguments = self.filled(command)
                    run = self.azlock(*arguments, code=77, env=self.only(self.sas(self.container, "--permissions", less)))
                    self.assertIn("the SAS permits " + "".join(x for x in "racwdxlt" if x in less), run.messages)

    def test_a_blob_and_no_other_is_reached_by_its_url_whatever_its_name(self):
        for name in ("plain", "a b+c%d.txt", "dir/äöü €?#&=.bin", "a//b", "%41"):
            with self.subTest(name=name):
                self.rest.put(self.container, name, b"content")
                url = self.sas("--url", "--", self.blob(name))
                with urllib.request.urlopen(url, timeout=30) as answer:
                    self.assertEqual(b"content", answer.read())
                run = self.azlock("download", url, "-", env={"AZURE_STORAGE_CONNECTION_STRING": None})
                self.assertEqual(b"content", run.out)
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(urllib.request.Request(url, method="DELETE"), timeout=30)
                self.assertEqual(403, refused.exception.code)
                refused.exception.close()
        self.rest.put(self.container, "other", b"content")
        sas = self.sas(self.blob("plain"))
        self.azlock("show", self.blob("other"), code=77, env=self.only(sas))
        run = self.azlock("list", self.container, code=77, env=self.only(sas))
        self.assertIn("the SAS is for one blob, not for a listing", run.messages)

    def test_a_sas_for_one_lock_holds_it_by_its_name(self):
        self.azlock("container", "create", "locks", "--if-absent")
        sas = self.sas("locks/night", "--permissions", "rw")
        self.azlock("lock", "night", "--", "true", env=self.only(sas))
        self.azlock("lock", "day", "--", "true", code=77, env=self.only(sas))

    def test_it_ends(self):
        self.rest.put(self.container, "b", b"content")
        env = self.only(self.sas(self.container, "--for", "2s"))
        wait_until("the end of the SAS", lambda: self.azlock("show", self.blob("b"), code=None, env=env).code == 77)
        self.assertIn("the SAS ended at", self.azlock("show", self.blob("b"), code=77, env=env).messages)

    def test_it_does_not_begin_before_its_start(self):
        self.rest.put(self.container, "b", b"content")
        env = self.only(self.sas(self.container, "--start", "2100-01-01"))
        self.assertIn("the SAS is valid only from 2100", self.azlock("show", self.blob("b"), code=77, env=env).messages)

    def test_one_for_https_is_refused_over_http(self):
        self.rest.put(self.container, "b", b"content")
        sas = self.sas(self.container, "--https-only", "--endpoint", f"https://127.0.0.1:{self.azurite.port}/{ACCOUNT}")
        run = self.azlock("show", self.blob("b"), code=77, env=self.only(sas))
        self.assertIn("the SAS is only for https", run.messages)

    def test_a_lock_whose_sas_ends_is_told_of_it_and_ends_its_command_in_time(self):
        env = self.only(self.sas(self.container, "--permissions", "rw", "--for", "3s"))
        run = self.azlock("lock", "--ttl", "15s", f"az://{self.container}/job", "-c", "exec sleep 600", code=122, env=env)
        self.assertIn("the SAS ends in", run.messages)
        self.assertIn("the SAS ended at", run.messages)

    def test_doctor_reads_it(self):
        env = self.only(self.sas(self.container, "--permissions", "rl", "--ip", "127.0.0.1", "--start", "2020-01-01",
                                 "--expires", "2100-01-01"))
        run = self.azlock("doctor", self.container, "--need", "read,list", "--json", env=env)
        sas = run.json()["sas"]
        self.assertEqual(("service SAS of a container", "rl", "2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "127.0.0.1", False),
                         tuple(sas[key] for key in ("kind", "permissions", "start", "expires", "ip", "https_only")))


if __name__ == "__main__":
    unittest.main()
