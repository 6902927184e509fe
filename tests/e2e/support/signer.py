"""A second implementation of Shared Key, from the published description, to check azlock's signatures."""

import base64
import hashlib
import hmac
from urllib.parse import unquote, urlencode

STANDARD = ("content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
            "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range")


def _collation(name):
    """The service sorts by culture rules: '-' has no weight, '_' comes before digits, digits before letters."""
    return [(0 if c == "_" else 1 if c.isdigit() else 2, c) for c in name if c != "-"]


def string_to_sign(method, target, headers, account):
    """`target` and `headers` (pairs) as they are on the wire."""
    lower = {}
    for name, value in headers:
        if name.lower() in lower:
            raise ValueError(f"header {name} is there twice")
        lower[name.lower()] = value.strip()
    lines = [method]
    for name in STANDARD:
        value = lower.get(name, "")
        if name == "content-length" and value == "0":
            value = ""
        if name == "date" and "x-ms-date" in lower:
            value = ""
        lines.append(value)
    for name in sorted((n for n in lower if n.startswith("x-ms-")), key=_collation):
        lines.append(f"{name}:{lower[name]}")
    path, _, query = target.partition("?")
    lines.append(f"/{account}{path or '/'}")
    values = {}
    for pair in filter(None, query.split("&")):
        name, equals, value = pair.partition("=")
        if equals:
            values.setdefault(unquote(name).lower(), []).append(unquote(value))
    lines += [f"{name}:{','.join(sorted(values[name]))}" for name in sorted(values)]
    return "\n".join(lines)


def signature(key, text):
    digest = hmac.new(base64.b64decode(key), text.encode("utf-8"), hashlib.sha256).digest()
    return base64.b64encode(digest).decode("ascii")


def authorization(method, target, headers, account, key):
    return f"SharedKey {account}:{signature(key, string_to_sign(method, target, headers, account))}"


def account_sas(account, key, permissions="rwdlac", expiry="2099-01-01T00:00:00Z"):
    """A SAS for the whole Blob service of the account, over http too, as a query string without '?'."""
    version = "2020-12-06"
    fields = [account, permissions, "b", "sco", "", expiry, "", "https,http", version, "", ""]
    return urlencode({"sv": version, "ss": "b", "srt": "sco", "sp": permissions, "se": expiry, "spr": "https,http",
                      "sig": signature(key, "\n".join(fields))})
