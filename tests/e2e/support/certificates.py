"""Certificates of an application, and a token endpoint that checks what they sign, as Entra ID does."""

import base64
import json
import subprocess
import time

from .entra import ASSERTION_TYPE, CLIENT, TENANT, Login


def openssl(folder, *arguments, content=None):
    """Runs it in a folder; returns what it prints."""
    return subprocess.run(["openssl", *arguments], cwd=folder, input=content, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


CA = """[ca]
default_ca = all
[all]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = names
[names]
commonName = supplied
"""


def make_application_certificate(folder, name, end):
    """NAME.pem, NAME.key, and NAME.der, the certificate alone. `end`: in seconds from now."""
    (folder / "ca").write_text(CA, encoding="ascii")
    (folder / "index").write_text("", encoding="ascii")
    (folder / "serial").write_text("01\n", encoding="ascii")
    start, end = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(when)) for when in (1_500_000_000, time.time() + end))
    openssl(folder, "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", name + ".key",
            "-out", name + ".csr")
    openssl(folder, "ca", "-batch", "-selfsign", "-notext", "-config", "ca", "-keyfile", name + ".key", "-in", name + ".csr",
            "-startdate", start, "-enddate", end, "-out", name + ".pem")
    openssl(folder, "x509", "-in", name + ".pem", "-outform", "der", "-out", name + ".der")


def decode(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class CertificateLogin(Login):
    """Accepts each assertion once that the key of FOLDER/NAME.pem has signed. `headers` holds those that were good."""

    def __init__(self, *arguments, folder, name, **claims):
        self.folder, self.name = folder, name
        self.headers, self.ids = [], set()
        super().__init__(*arguments, **claims)

    def verifies(self, text, signature):
        public = self.folder / "public"
        public.write_bytes(openssl(self.folder, "x509", "-in", self.name + ".pem", "-pubkey", "-noout"))
        (self.folder / "signature").write_bytes(signature)
        try:
            openssl(self.folder, "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32",
                    "-verify", "public", "-signature", "signature", content=text.encode())
        except subprocess.CalledProcessError:
            return False
        return True

    def refusal(self, proof):
        assertion = proof["client_assertion"] or ""
        if proof["client_assertion_type"] != ASSERTION_TYPE or assertion.count(".") != 2:
            return "AADSTS50027: JWT token is invalid or malformed."
        text, signature = assertion.rsplit(".", 1)
        header, claims = (json.loads(decode(part)) for part in text.split("."))
        thumbprint = openssl(self.folder, "dgst", "-sha256", "-binary", self.name + ".der")
        if (header["alg"], header["typ"], decode(header["x5t#S256"])) != ("PS256", "JWT", thumbprint):
            return f"AADSTS700027: Client assertion failed signature validation. {header}"
        if not self.verifies(text, decode(signature)):
            return "AADSTS700027: Client assertion failed signature validation."
        if not claims["nbf"] <= time.time() + 1 or not time.time() < claims["exp"] <= claims["nbf"] + 600:
            return "AADSTS700024: Client assertion is not within its valid time range."
        wanted = {"aud": f"{self.url}/{TENANT}/oauth2/v2.0/token", "iss": CLIENT, "sub": CLIENT}
        if {name: claims.get(name) for name in wanted} != wanted:
            return f"AADSTS700021: Client assertion's issuer, subject or audience is wrong. {claims}"
        if claims["jti"] in self.ids:
            return "AADSTS50027: this assertion was used before."
        self.ids.add(claims["jti"])
        self.headers.append(header)
        return None
