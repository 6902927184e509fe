// An upload is disturbed at each of its requests. Afterwards the blob has one whole content, that of the last writer,
// and the result is true.
#include "unit/each_request.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

using By = Disturbed::By;

constexpr const char* kOfAnother = "the content of another writer";

struct UploadStepRig : Rig {
    std::optional<std::string> before;
    bool ours_replaced = false;  // the other writer came after our upload was carried out
};
using UploadRun = DisturbedRun<UploadStepRig>;

enum class Condition { none, absent, version };

void another_writes(UploadStepRig& r, const std::string& fresh, int how) {
    r.ours_replaced = r.content() == fresh;
    if (how == 0) r.service.put("box", "data", kOfAnother);  // another tool
    if (how == 1) peer_uploads(r, kOfAnother, {});           // an azlock that does not look
    if (how == 2) {
        ops::UploadOptions options;
        options.replace_type = true;  // an azlock that looks
        peer_uploads(r, kOfAnother, options);
    }
}

UploadRun upload_run(bool over_a_blob, Condition condition, std::size_t size, int other) {
    const std::string fresh = noise(size, 7);
    const auto run = [=](UploadStepRig& r) {
        ops::UploadOptions options = small_blocks();
        if (condition == Condition::absent) options = only_if_absent(options);
        if (condition == Condition::version) options = with_if_match(options, r.before.value());
        const auto report = upload(r, r.file(fresh), options);
        return report ? Status() : fail(report.error());
    };
    const auto prepare = [=](UploadStepRig& r) {
        if (!over_a_blob) return;
        r.service.put("box", "data", kOldBlob);
        r.before = etag_of(r);
    };
    const auto check = [=](UploadStepRig& r, const Disturbed& by, const Status& result) {
        const auto content = r.content();
        if (result || r.ours_replaced) CHECK(content == (r.ours_replaced ? kOfAnother : fresh));
        if (result) return;
        if (r.ours_replaced) CHECK(result.error().code == ErrorCode::unavailable);
        CHECK((!content || *content == fresh || *content == kOldBlob || *content == kOfAnother));
        // One request that is not repeated.
        const bool once = condition == Condition::absent && size <= kSmallBlock;
        CHECK((by.by != By::loss || by.times > 1 || once));
        const Error& error = result.error();
        if (by.by == By::kill) CHECK(content != fresh);
        if (by.by == By::kill) return;
        if (error.code == ErrorCode::precondition) {
            CHECK(condition != Condition::none);
            CHECK(content == kOfAnother);
        } else {
            CHECK(error.code == ErrorCode::unavailable);
            CHECK((error.may_have_applied || content != fresh));
        }
    };
    const auto check_repeat = [=](UploadStepRig& r, const Disturbed&) {
        const auto there = r.content();
        const Status again = run(r);
        CAPTURE(why(again));
        const bool old = over_a_blob ? there == kOldBlob : !there.has_value();
        if (condition == Condition::none || old) CHECK(again);
        if (!again) CHECK(again.error().code == ErrorCode::precondition);
        CHECK(r.content() == (again ? fresh : there));
    };
    const std::string name = std::string(over_a_blob ? "over a blob" : "of a new blob") + ", condition " +
                             std::to_string(static_cast<int>(condition)) + ", " + std::to_string(size) +
                             " bytes, other writer " + std::to_string(other);
    return {name, prepare, run, [=](UploadStepRig& r) { another_writes(r, fresh, other); }, check, check_repeat};
}

}  // namespace

TEST_CASE("an upload that is disturbed at any request leaves one whole content, and its result is true") {
    for (const std::size_t size : {std::size_t{100}, 3 * kSmallBlock}) {
        for (const bool over_a_blob : {false, true}) {
            for (const auto condition : {Condition::none, over_a_blob ? Condition::version : Condition::absent}) {
                for (int other = 0; other < 3; ++other) {
                    disturb_each_request(upload_run(over_a_blob, condition, size, other));
                }
            }
        }
    }
}

}  // namespace azlock::test
