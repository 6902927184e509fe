// Names and metadata of tasks.
#include "ops/queue/task.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const QueueName kQueue{"box", "jobs"};

azure::BlobProperties properties(azure::Metadata metadata = {}, const std::string& state = "available") {
    azure::BlobProperties out;
    out.etag = "\"0x1\"";
    out.blob_type = "BlockBlob";
    out.lease.state = state;
    out.metadata = std::move(metadata);
    return out;
}

}  // namespace

TEST_CASE("ids that azlock makes sort by time and then by their number") {
    SeededRandom random(1);
    const WallTime time(seconds(1'700'000'000));
    const std::string first = new_task_id(time, 9, random);
    CHECK(first.starts_with("20231114T221320.000Z-0009-"));
    CHECK(first < new_task_id(time, 10, random));
    CHECK(new_task_id(time, 9999, random) < new_task_id(time + milliseconds(1), 0, random));
    CHECK(check_task_id(first));
}

TEST_CASE("a task is read from its name, and other blobs are not tasks") {
    const auto task = read_task(kQueue, "jobs/3-some-id", properties());
    REQUIRE(task);
    CHECK(task->id == "some-id");
    CHECK(task->priority == 3);
    CHECK(task->etag == "\"0x1\"");
    CHECK(kQueue.task(3, "some-id").blob == task->blob.blob);
    for (const char* name : {"jobs/x-id", "jobs/3id", "jobs/3-", "jobs/3-a/b", "jobs.dead/3-a", "other/3-a", "jobs/"}) {
        CHECK_FALSE(read_task(kQueue, name, properties()));
    }
    auto appended = properties();
    appended.blob_type = "AppendBlob";
    CHECK_FALSE(read_task(kQueue, "jobs/3-a", appended));
}

TEST_CASE("a task's fields come back as they were written, and foreign metadata stays") {
    QueueTask task;
    task.key = "0123456789abcdef";
    task.claim = "fedcba9876543210";
    task.put = WallTime(seconds(1'700'000'000));
    task.due = WallTime(seconds(1'700'000'060));
    task.attempts = 7;
    task.deferred = 3;
    task.exit_code = 75;
    task.why = "100 % \"gone\" \xC3\xBC\n";
    const azure::Metadata written = with_task_fields({{"colour", "red"}, {"AZL_TASK_EXIT", "9"}}, task);
    CHECK(written.at("colour") == "red");
    CHECK_FALSE(written.contains("AZL_TASK_EXIT"));
    const auto read = read_task(kQueue, "jobs/5-a", properties(written));
    REQUIRE(read);
    CHECK(read->key == task.key);
    CHECK(read->claim == task.claim);
    CHECK(read->put == task.put);
    CHECK(read->due == task.due);
    CHECK(read->attempts == 7);
    CHECK(read->failures() == 4);
    CHECK(read->exit_code == 75);
    CHECK(read->why == task.why);
}

TEST_CASE("fields that cannot be read count as not there") {
    const auto read = read_task(kQueue, "jobs/5-a",
                                properties({{"azl_task_attempts", "-1"},
                                            {"azl_task_deferred", "99999999999999999999"},
                                            {"azl_task_due", "tomorrow"},
                                            {"azl_task_exit", "1000"},
                                            {"azl_task_key", "../0123456789abc"},
                                            {"azl_task_why", "%zz"}}));
    REQUIRE(read);
    CHECK(read->attempts == 0);
    CHECK(read->failures() == 0);
    CHECK_FALSE(read->due);
    CHECK_FALSE(read->exit_code);
    CHECK(read->key.empty());
    CHECK(read->why == "%zz");
}

TEST_CASE("a count of attempts that no task can have is no count, so that one more is never 0") {
    const auto attempts = [](const std::string& text) {
        return read_task(kQueue, "jobs/5-a", properties({{"azl_task_attempts", text}}))->attempts;
    };
    CHECK(attempts("1000000000000") == 1'000'000'000'000);
    CHECK(attempts("1000000000001") == 0);
    CHECK(attempts("18446744073709551615") == 0);
}

TEST_CASE("of a dead letter's standard error the end is kept, and all of it fits into metadata") {
    QueueTask task;
    task.died = WallTime(seconds(1'700'000'000));
    task.priority = 2;
    task.error_tail = std::string(10'000, '\n') + "the last words";
    task.why = std::string(10'000, '%');
    const azure::Metadata written = with_task_fields({}, task);
    std::size_t size = 0;
    for (const auto& [name, value] : written) size += name.size() + value.size();
    CHECK(size < 8192);
    const auto read = read_dead_letter(kQueue, "jobs.dead/a", properties(written));
    REQUIRE(read);
    CHECK(read->priority == 2);
    CHECK(read->error_tail.ends_with("\nthe last words"));
    CHECK(state_of(*read, *task.died) == TaskState::dead);
}

TEST_CASE("a leased task runs, one that is due later is delayed, any other is ready") {
    const WallTime now(seconds(1'700'000'000));
    const auto state = [&](const azure::Metadata& metadata, const std::string& lease) {
        return state_of(*read_task(kQueue, "jobs/5-a", properties(metadata, lease)), now);
    };
    CHECK(state({}, "available") == TaskState::ready);
    CHECK(state({}, "expired") == TaskState::ready);
    CHECK(state({}, "broken") == TaskState::ready);
    CHECK(state({}, "leased") == TaskState::running);
    CHECK(state({}, "breaking") == TaskState::running);
    CHECK(state({{"azl_task_due", "2023-11-14T22:13:21Z"}}, "available") == TaskState::delayed);
    CHECK(state({{"azl_task_due", "2023-11-14T22:13:20Z"}}, "available") == TaskState::ready);
}

TEST_CASE("a queue needs a prefix") {
    CHECK_FALSE(queue_name({"box", "", {}}));
    CHECK_FALSE(queue_name({"box", "/", {}}));
    CHECK(queue_name({"box", "jobs/mail/", {}})->prefix == "jobs/mail");
    for (const char* of_another : {"jobs.dead", "jobs.dead/", "jobs.batches"}) {
        CHECK(queue_name({"box", of_another, {}}).error().code == ErrorCode::usage);
    }
    CHECK(queue_name({"box", "jobs.dead/mail", {}}));
    CHECK_FALSE(check_task_id(""));
    CHECK_FALSE(check_task_id("a/b"));
    CHECK_FALSE(check_task_id(std::string(201, 'a')));
}

}  // namespace azlock::ops
