"""What the tests of leases share: a blob "b", and ways to take and look at leases without azlock."""

from .case import Case

OURS = "aaaaaaaa-1111-2222-3333-444444444444"
THEIRS = "bbbbbbbb-1111-2222-3333-444444444444"


def action(name):
    """Requests with this lease action, for a Proxy."""
    def is_that(request):
        return request.headers.get("x-ms-lease-action") == name
    is_that.__name__ = name
    return is_that


class LeaseCase(Case):
    def setUp(self):
        super().setUp()
        self.rest.put(self.container, "b", b"x")

    def lease(self, *arguments, **options):
        return self.azlock("lease", *arguments, **options)

    def fails(self, code, *arguments, saying=(), **options):
        """Checks that it fails with this code: with one line for people, and with --json."""
        run = self.lease(*arguments, code=code, **options)
        self.assertEqual((b"", 1), (run.out, run.messages.count("\n")), f"\n{run}")
        for text in (saying,) if isinstance(saying, str) else saying:
            self.assertIn(text, run.messages)
        return self.lease(*arguments, "--json", code=code, **options).error()

    def acquire(self, name="b", lease_id=OURS, duration="60"):
        self.rest.request("PUT", self.container, name, query={"comp": "lease"}, headers={
            "x-ms-lease-action": "acquire", "x-ms-lease-duration": duration, "x-ms-proposed-lease-id": lease_id})

    def act(self, what, lease_id=OURS, name="b"):
        self.rest.request("PUT", self.container, name, query={"comp": "lease"},
                          headers={"x-ms-lease-action": what, "x-ms-lease-id": lease_id})

    def state(self, name="b"):
        return self.rest.head(self.container, name)["x-ms-lease-state"]
