// Many files over one pool: one that fails stops no other, unless its error is true of all.
#include <atomic>
#include <map>

#include "ops/upload/upload_many.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

struct Many {
    Rig rig;
    std::vector<ops::UploadJob> jobs;
    ops::UploadOptions options = small_blocks(3);
    std::map<std::string, Result<ops::UploadReport>> results;

    void add(const std::string& name, const std::string& content) {
        jobs.push_back({rig.file(content, name), "dir/" + name, content.size(), "text/x-" + name});
    }
    Status run(const azure::Call& call = {}) {
        ops::ConcurrencyLimit concurrency(options.concurrency);
        return ops::upload_many(
            rig.us.client(), "box", jobs.size(), [&](std::size_t i) { return jobs[i]; }, options, {concurrency, {}},
            [&](std::size_t, const ops::UploadJob& job, const Result<ops::UploadReport>& result) {
                results.emplace(job.blob, result);
            },
            call);
    }
};

}  // namespace

TEST_CASE("large and small files arrive whole, each with its own content type") {
    Many many;
    std::map<std::string, std::string> expected;
    for (int i = 0; i < 40; ++i) {
        const std::string name = "f" + std::to_string(i);
        expected[name] =
            noise(i % 7 == 0 ? 5 * kSmallBlock + 3 : static_cast<std::size_t>(i), static_cast<std::uint64_t>(i));
        many.add(name, expected[name]);
    }
    REQUIRE(many.run());
    REQUIRE(many.results.size() == 40);
    for (const auto& [name, content] : expected) {
        CAPTURE(name);
        CHECK(many.rig.service.content("box", "dir/" + name) == content);
        const auto head = many.rig.us.client().get_properties({"box", "dir/" + name, {}}, {}, {});
        CHECK(head->properties.content.type == "text/x-" + name);
    }
}

TEST_CASE("a file that cannot be read fails alone") {
    Many many;
    many.add("a", "content of a");
    many.jobs.push_back({"no/such/file", "dir/missing", 10, ""});
    many.jobs.push_back({"no/such/large", "dir/large", 100 * kSmallBlock, ""});
    many.add("b", noise(3 * kSmallBlock));
    CHECK(many.run());
    CHECK(many.results.at("dir/a"));
    CHECK(many.results.at("dir/b"));
    CHECK(many.results.at("dir/missing").error().code == ErrorCode::input_missing);
    CHECK(many.results.at("dir/large").error().code == ErrorCode::input_missing);
}

TEST_CASE("what is refused to all of them is tried once per worker, not once per file") {
    Many many;
    for (int i = 0; i < 50; ++i) many.add("f" + std::to_string(i), "content");
    many.rig.faulty.on("Put Blob").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto outcome = many.run();
    REQUIRE(!outcome);
    CHECK(outcome.error().code == ErrorCode::auth);
    CHECK(many.rig.faulty.requests() <= 3);
}

TEST_CASE("no more requests are under way than the gate lets in, over all files") {
    Many many;
    for (int i = 0; i < 30; ++i) {
        many.add("f" + std::to_string(i), noise(i % 3 == 0 ? 4 * kSmallBlock : 100, static_cast<std::uint64_t>(i)));
    }
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    many.rig.faulty
        .on([](const http::Request& r) { return r.content_length() >= 100 && r.path.find("dir") != std::string::npos; },
            "data")
        .from(1)
        .with("count", [&](const FaultCall& call) {
            const int now = ++inside;
            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            auto answer = call.forward(call.request);
            --inside;
            return answer;
        });
    REQUIRE(many.run());
    CHECK(most <= 3 + 2);  // two large files may list and commit meanwhile
}

}  // namespace azlock::test
