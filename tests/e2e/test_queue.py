"""A work queue: what is put is done once, failures come back, dead letters are kept."""

import signal
import unittest

from support.faults import after, before, close, drop_reply, fail_before
from support.locks import Trace, kill_quietly, wait_until
from support.queues import QueueCase, events


def lease_action(name):
    def is_that(request):
        return request.headers.get("x-ms-lease-action") == name
    is_that.__name__ = name
    return is_that


def attempt_counted(request):
    return request.query.get("comp") == "metadata"


class Putting(QueueCase):
    def test_a_task_is_put_listed_worked_on_and_gone(self):
        task = self.put(b"hello\n", "--metadata", "colour=red")
        listed = self.tasks()
        self.assertEqual([(task, "ready", 5, 6, {"colour": "red"})],
                         [(t["id"], t["state"], t["priority"], t["bytes"], t["metadata"]) for t in listed])
        run = self.run_tasks(script='cat; echo "$AZLOCK_TASK_ID $AZLOCK_ATTEMPT ${#AZLOCK_LEASE_ID}"')
        self.assertEqual(f"hello\n{task} 1 36\n", run.text)
        self.counts()

    def test_an_id_is_put_once(self):
        self.assertEqual("a", self.put(b"1", "--id", "a"))
        self.put(b"2", "--id", "a", code=73)
        self.put(b"2", "--id", "a", "--priority", "1", code=73)
        self.assertEqual("a", self.put(b"2", "--id", "a", "--if-absent"))
        self.assertEqual(b"1", self.queue("peek", "a").out)

    def test_the_id_of_a_dead_letter_is_taken(self):
        self.put(b"1", "--id", "a")
        self.run_tasks(script="exit 65", code=123)
        self.put(b"2", "--id", "a", code=73)
        self.assertEqual(b"1", self.queue("peek", "a", "--dead").out)

    def test_lines_become_tasks_in_order_and_priorities_come_first(self):
        ids = self.put(b"one\ntwo\n\nthree", "--lines").split()
        self.assertEqual(ids, sorted(ids))
        self.put(b"zero", "--priority", "0")
        self.assertEqual("zero one two three ", self.run_tasks(script='cat; printf " "').text)

    def test_bad_input_is_one_line_and_64(self):
        for arguments in (("put", self.container), ("put", f"{self.container}/jobs", "--id", "a/b"),
                          ("put", f"{self.container}/jobs", "--lines", "--id", "a"),
                          ("work", f"{self.container}/jobs"), ("retry", f"{self.container}/jobs"),
                          ("work", f"{self.container}/jobs", "--ttl", "5s", "--", "true")):
            run = self.azlock("queue", *arguments, code=64, input=b"")
            self.assertEqual(1, run.messages.count("\n"), f"\n{run}")

    def test_a_put_whose_answer_is_lost_is_looked_for_and_not_repeated(self):
        proxy = self.proxy()
        proxy.on("Put Blob", drop_reply)
        self.put(b"1", "--id", "a", via=proxy)
        self.assertEqual(1, proxy.count("Put Blob"))
        self.counts(ready=1)

    def test_a_put_whose_answer_is_lost_and_whose_task_is_gone_is_69(self):
        proxy = self.proxy()
        proxy.on("Put Blob", after(lambda: self.run_tasks(), then=close))
        run = self.put_fails(b"1", proxy)
        self.assertIn("finished already", run.messages)
        self.assertEqual(1, proxy.count("Put Blob"))
        self.counts()

    def put_fails(self, content, proxy):
        return self.queue("put", "--id", "a", input=content, via=proxy, code=69)

    def test_a_delayed_task_waits_for_its_time_and_can_be_kicked(self):
        task = self.put(b"later", "--delay", "1h")
        self.counts(delayed=1)
        self.assertEqual("", self.run_tasks().text)
        self.assertEqual(task, self.queue("kick", "--all").text.strip())
        self.assertEqual("later", self.run_tasks().text)

    def test_a_worker_wakes_up_for_a_delayed_task(self):
        self.put(b"later", "--delay", "2s")
        run = self.run_tasks("-n", "1", "--poll", "60s")
        self.assertEqual("later", run.text)
        self.assertLess(run.seconds, 30)


class Ending(QueueCase):
    def test_a_failing_task_comes_back_until_it_is_dead(self):
        task = self.put(b"bad")
        self.run_tasks("--max-attempts", "3", script='echo "try $AZLOCK_ATTEMPT" >&2; exit 3', code=123)
        self.counts(dead=1)
        letter = self.dead()[0]
        self.assertEqual((task, 3, 3, "try 3\n", "exit code 3"),
                         tuple(letter[key] for key in ("id", "attempts", "exit_code", "stderr", "why")))
        self.assertEqual(b"bad", self.queue("peek", task, "--dead").out)

    def test_65_goes_to_the_dead_letters_at_once_and_retry_brings_it_back(self):
        task = self.put(b"bad", "--priority", "2", "--metadata", "colour=red")
        self.run_tasks(script="exit 65", code=123)
        self.counts(dead=1)
        self.assertEqual(task, self.queue("retry", "--dead").text.strip())
        self.counts(ready=1)
        found = self.tasks()[0]
        self.assertEqual((task, 2, 1, 0, {"colour": "red"}),
                         tuple(found[key] for key in ("id", "priority", "attempts", "failures", "metadata")))
        self.assertEqual("bad", self.run_tasks().text)
        self.counts()

    def test_75_delays_it_and_counts_no_failure(self):
        self.put(b"busy")
        self.run_tasks("--max-attempts", "1", script="exit 75")
        self.counts(delayed=1)
        found = self.tasks()[0]
        self.assertEqual((1, 0, 75), tuple(found[key] for key in ("attempts", "failures", "exit_code")))

    def test_what_a_signal_or_the_time_limit_killed_is_a_failure(self):
        self.put(b"x")
        self.run_tasks("--max-attempts", "1", script="kill -9 $$", code=123)
        self.put(b"y")
        self.run_tasks("--max-attempts", "1", "--run-timeout", "1s", "--kill-after", "1s", script="sleep 600",
                       code=123)
        self.assertEqual([137, 124], [letter["exit_code"] for letter in self.dead()])

    def test_a_command_that_cannot_be_run_ends_the_worker_and_costs_the_task_nothing(self):
        self.put(b"x")
        run = self.queue("work", "--drain", "--", "/no/such/command", code=127)
        self.assertIn("cannot run", run.messages)
        self.assertEqual([("ready", 0)], [(t["state"], t["failures"]) for t in self.tasks()])

    def test_a_task_whose_worker_is_killed_during_the_burial_is_not_run_again(self):
        self.put(b"bad", "--id", "a")
        proxy = self.proxy()
        deletes = proxy.on("Delete Blob", fail_before, times=None)
        worker = self.start("queue", "work", self.blob("jobs"), "-n", "1", "--ttl", "15s", "--retries", "0", "--", "sh",
                            "-c", "exit 65", via=proxy)
        deletes.wait()
        worker.signal(signal.SIGKILL)
        worker.finish()
        self.assertEqual(1, len(self.dead()))
        ran = self.folder / "ran"
        self.run_tasks("--poll", "1s", script=f"touch '{ran}'", code=123)
        self.assertFalse(ran.exists())
        self.assertEqual([], self.tasks())
        self.counts(dead=1)
        self.assertEqual(1, self.dead()[0]["attempts"])

    def test_output_is_uploaded_before_the_task_is_deleted(self):
        self.put(b"in", "--id", "a")
        proxy = self.proxy()
        seen = []
        proxy.on("Delete Blob", after(lambda: seen.append(self.rest.get(self.container, "out/a.1"))))
        run = self.run_tasks("--output-to", f"{self.container}/out", script="cat; printf ' and out'", via=proxy)
        self.assertEqual(([b"in and out"], ""), (seen, run.text))

    def test_stderr_is_passed_on_and_a_descendant_that_keeps_it_open_holds_nothing_up(self):
        self.put(b"x")
        run = self.run_tasks("--orphans", "kill", script="echo hello >&2; sleep 600 & exit 0")
        self.assertIn("hello\n", run.messages)
        self.assertLess(run.seconds, 40)
        self.counts()

    def test_a_running_task_is_seen_with_its_holder_and_cannot_be_deleted(self):
        task = self.put(b"x")
        trace = Trace(self.folder / "trace")
        worker = self.start("queue", "work", self.blob("jobs"), "-n", "1", "--", *trace.command())
        trace.wait()
        found = self.tasks()[0]
        self.assertEqual("running", found["state"])
        self.assertIn(f"pid {worker.pid}", found["holder"])
        self.counts(running=1)
        self.assertIn("is run by", self.queue("delete", task, code=75).messages)
        self.assertIn("holder:", self.queue("show", task).text)
        worker.signal(signal.SIGKILL)
        worker.finish()

    def test_delete_takes_tasks_and_dead_letters_out(self):
        task = self.put(b"x")
        self.queue("delete", task, "--dry-run")
        self.counts(ready=1)
        self.queue("delete", task)
        self.queue("delete", task, code=79)
        self.put(b"y")
        self.run_tasks(script="exit 65", code=123)
        self.queue("delete", "--dead", "--all")
        self.counts()


class Draining(QueueCase):
    def test_a_killed_workers_task_comes_back_before_drain_ends(self):
        self.put(b"x")
        trace = Trace(self.folder / "trace")
        worker = self.start("queue", "work", self.blob("jobs"), "-n", "1", "--ttl", "15s", "--", *trace.command())
        trace.wait()
        worker.signal(signal.SIGKILL)
        worker.finish()
        self.counts(running=1)
        self.assertEqual("", self.run_tasks("--no-wait").text)
        run = self.run_tasks("--json", "--poll", "1s")
        self.assertEqual(["done"], [e["outcome"] for e in events(run)])
        self.counts()


class Working(QueueCase):
    def test_an_undisturbed_task_takes_at_most_five_requests(self):
        self.put(b"\n".join(b"%d" % i for i in range(20)), "--lines")
        proxy = self.proxy()
        self.run_tasks(script="cat >/dev/null", via=proxy)
        self.counts()
        self.assertLessEqual(len(proxy.requests), 5 * 20, proxy.operations())
        proxy.clear()
        self.put(b"x")
        self.run_tasks("-n", "1", via=proxy)
        self.assertLessEqual(len(proxy.requests), 5, proxy.operations())

    def test_jobs_run_at_once_and_each_task_once(self):
        self.put(b"\n".join(b"%d" % i for i in range(12)), "--lines")
        log = self.folder / "log"
        run = self.run_tasks("--jobs", "4", "--json", script=f"n=$(cat); echo $n >> '{log}'; sleep 0.2")
        self.assertEqual(sorted(str(i) for i in range(12)), sorted(log.read_text().split()))
        self.assertEqual(["done"] * 12, [e["outcome"] for e in events(run)])

    def test_workers_share_a_queue_without_doing_anything_twice(self):
        self.put(b"\n".join(b"%d" % i for i in range(40)), "--lines")
        log = self.folder / "log"
        workers = [self.start("queue", "work", self.blob("jobs"), "--drain", "--", "sh", "-c",
                              f"n=$(cat); echo $n >> '{log}'") for _ in range(4)]
        for worker in workers:
            self.assertEqual(0, worker.finish().code)
        self.assertEqual(sorted(str(i) for i in range(40)), sorted(log.read_text().split()))
        self.counts()

    def test_lost_answers_finish_nothing_twice(self):
        self.put(b"\n".join(b"%d" % i for i in range(6)), "--lines")
        proxy = self.proxy()
        proxy.on("Delete Blob", drop_reply, nth=1)
        proxy.on(attempt_counted, drop_reply, nth=2)
        proxy.on(lease_action("acquire"), drop_reply, nth=3)
        proxy.on("List Blobs", drop_reply, nth=1)
        proxy.on("Delete Blob", fail_before, nth=4)
        log = self.folder / "log"
        run = self.run_tasks("--json", script=f"cat >> '{log}'; echo >> '{log}'", via=proxy)
        self.assertEqual(sorted(str(i) for i in range(6)), sorted(log.read_text().split()), f"\n{run}")
        self.counts()

    def test_an_answer_that_says_gone_without_an_unanswered_delete_is_not_ours(self):
        self.put(b"x", "--id", "a")
        proxy = self.proxy()

        def steal():
            name = "jobs/5-a"
            self.rest.request("PUT", self.container, name, query={"comp": "lease"},
                              headers={"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"})
            self.rest.request("DELETE", self.container, name)
        proxy.on("Delete Blob", before(steal))
        run = self.run_tasks("--json", via=proxy)
        self.assertEqual(["lost"], [e["outcome"] for e in events(run)])

    def worker(self, trace, *arguments):
        worker = self.start("queue", "work", self.blob("jobs"), *arguments, "--", *trace.command())
        self.addCleanup(kill_quietly, trace.wait())
        return worker

    def test_term_lets_the_running_task_end_and_claims_nothing_new(self):
        self.put(b"1\n2", "--lines")
        go = self.folder / "go"
        began = self.folder / "began"
        worker = self.start("queue", "work", self.blob("jobs"), "--grace", "60s", "--", "sh", "-c",
                            f"touch '{began}'; while [ ! -e '{go}' ]; do sleep 0.1; done")
        wait_until("the command", began.exists)
        worker.signal(signal.SIGTERM)
        worker.until_says("stopping")
        go.touch()
        self.assertEqual(128 + signal.SIGTERM, worker.finish().code)
        self.counts(ready=1)

    def test_a_second_term_gives_the_task_back_at_once(self):
        self.put(b"1")
        trace = Trace(self.folder / "trace")
        worker = self.worker(trace)
        worker.signal(signal.SIGTERM)
        worker.until_says("stopping")
        worker.signal(signal.SIGTERM)
        self.assertEqual(128 + signal.SIGTERM, worker.finish().code)
        self.counts(ready=1)
        self.assertEqual(0, self.tasks()[0]["failures"])

    def test_the_end_of_the_grace_gives_the_task_back(self):
        self.put(b"1")
        trace = Trace(self.folder / "trace")
        worker = self.worker(trace, "--grace", "1s")
        worker.signal(signal.SIGTERM)
        self.assertEqual(128 + signal.SIGTERM, worker.finish().code)
        self.counts(ready=1)

    def test_an_idle_worker_ends_at_once_on_term(self):
        proxy = self.proxy()
        worker = self.start("queue", "work", self.blob("jobs"), "--poll", "60s", "--", "true", via=proxy)
        wait_until("a look", lambda: proxy.count("List Blobs") > 1)
        worker.signal(signal.SIGTERM)
        run = worker.finish()
        self.assertEqual(128 + signal.SIGTERM, run.code)
        self.assertLess(run.seconds, 30)


if __name__ == "__main__":
    unittest.main()
