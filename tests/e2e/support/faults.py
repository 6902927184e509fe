"""The faults that a Proxy plays: each is a function of one Exchange."""

import time
from email.utils import formatdate

from .http1 import Answer


def drop_reply(x):
    """The request is carried out, but the answer is lost."""
    x.forward()
    x.close()


def fail_before(x):
    """The whole request came; it is not carried out, and there is no answer."""
    x.read_body()
    x.close()


def reset_mid_body(x):
    x.read_body(x.request.length // 2)
    x.reset()


def stall(x):
    """Never answers."""
    x.read_body()
    x.happened()
    x.stopping.wait()
    x.close()


def truncate(x):
    """Half of the answer's body, then the end of the stream."""
    answer = x.forward()
    encoded = answer.encode()
    x.send(encoded[:len(encoded) - len(answer.body) + len(answer.body) // 2])
    x.close()


def reset_answer(x):
    """Half of the answer's body, then a reset."""
    answer = x.forward()
    encoded = answer.encode()
    x.send(encoded[:len(encoded) - len(answer.body) // 2 - 1])
    x.reset()


def delay(seconds):
    def wait_then_pass(x):
        x.read_body()
        x.stopping.wait(seconds)
        x.reply(x.forward())
    return wait_then_pass


def service_error(status, code, *headers, message="made up for a test", detail=""):
    """A refusal in the service's form, after the whole body was read."""
    def refuse(x):
        x.read_body()
        x.reply(refusal(status, code, headers, message, detail))
    return refuse


def refuse_early(status, code):
    """The refusal comes before the body is read, and then the connection closes."""
    def refuse_at_once(x):
        x.reply(refusal(status, code))
        x.close()
    return refuse_at_once


def refusal(status, code, headers=(), message="made up for a test", detail=""):
    body = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>{message}</Message>{detail}</Error>'
    fields = [("x-ms-error-code", code), ("x-ms-request-id", "00000000-0000-0000-0000-0000000e2e00"),
              ("x-ms-version", "2023-11-03"), ("Content-Type", "application/xml")]
    fields += headers
    if not any(name == "Date" for name, _ in headers):
        fields.append(("Date", formatdate(usegmt=True)))
    return Answer(status, "Refused", fields, body.encode())


def clock_off_by(seconds):
    """The service's 403 for a date that is too old or too new, with the service's own time in Date."""
    def refuse(x):
        x.read_body()
        date = ("Date", formatdate(time.time() + seconds, usegmt=True))
        x.reply(refusal(403, "AuthenticationFailed", [date], "Server failed to authenticate the request.",
                        "<AuthenticationErrorDetail>Request date header too old</AuthenticationErrorDetail>"))
    return refuse


def html(status, text="<html><body><h1>Please sign in</h1></body></html>"):
    """A sign-in page, or an error page of a proxy."""
    def answer_page(x):
        x.read_body()
        x.reply(Answer(status, "Whatever", [("Content-Type", "text/html")], text.encode()))
    return answer_page


def replace_body(body):
    """The service's answer with another body."""
    def answer_garbage(x):
        answer = x.forward()
        answer.headers = answer.headers.without("Content-Length")
        answer.body = body
        x.reply(answer)
    return answer_garbage


def before(action):
    """Does something, then lets the request through."""
    def act_then_pass(x):
        x.read_body()
        action()
        x.reply(x.forward())
    return act_then_pass


def after(action, then=None):
    """Carries the request out, does something, then answers (or does `then` instead)."""
    def act_after(x):
        answer = x.forward()
        action()
        if then is None:
            x.reply(answer)
        else:
            then(x)
    return act_after


def close(x):
    x.close()
