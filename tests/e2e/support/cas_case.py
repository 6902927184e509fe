"""What the tests of cas-update share: a blob "b" that is updated, by us and by a peer."""

from .case import Case


class CasCase(Case):
    def cas(self, *arguments, name="b", **options):
        return self.azlock("cas-update", self.blob(name), *arguments, **options)

    def put(self, content, name="b", **headers):
        return self.rest.put(self.container, name, content, **headers)

    def peer_adds(self):
        self.azlock("cas-update", self.blob("b"), "--add", "1")

    def content(self, name="b"):
        return self.rest.get(self.container, name)
