"""What the tests of queues share."""

import json

from .case import Case


class QueueCase(Case):
    def queue(self, what, *arguments, name="jobs", **options):
        return self.azlock("queue", what, f"{self.container}/{name}", *arguments, **options)

    def put(self, content=b"content", *arguments, **options):
        """Puts a new task; returns its id."""
        return self.queue("put", *arguments, input=content, **options).text.strip()

    def run_tasks(self, *arguments, script="cat", name="jobs", **options):
        """Runs every task that is ready with a shell command."""
        mode = () if {"-n", "--loop"} & set(arguments) else ("--drain",)
        return self.queue("work", *mode, *arguments, "--", "sh", "-c", script, name=name, **options)

    def stats(self, name="jobs"):
        found = self.queue("stats", "--json", name=name).json()
        return {key: found[key] for key in ("ready", "delayed", "running", "dead")}

    def tasks(self, *arguments, name="jobs"):
        return self.queue("list", "--json", *arguments, name=name).lines()

    def dead(self, name="jobs"):
        return self.tasks("--dead", name=name)

    def counts(self, **wanted):
        self.assertEqual({"ready": 0, "delayed": 0, "running": 0, "dead": 0} | wanted, self.stats())


def events(run):
    """The events that a worker with --json printed about its tasks."""
    lines = [json.loads(line) for line in run.err.splitlines() if line.startswith(b"{")]
    return [line for line in lines if "task" in line]
