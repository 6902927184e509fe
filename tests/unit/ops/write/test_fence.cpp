// Which fenced writes may replace what, and what they leave behind.
#include "ops/write/fence.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

const std::string kLock = "https://acct.blob.core.windows.net/locks/deploy";
const Fence kMine{1'700'000'000'000, kLock};

azure::Metadata fenced(const std::string& token, const std::string& by = kLock) {
    return {{"azl_fence", token}, {"azl_fence_by", by}, {"job", "17"}};
}

}  // namespace

TEST_CASE("a fenced write may replace a blob without a token, with an older one and with its own") {
    CHECK(check_fence({}, kMine));
    CHECK(check_fence({{"job", "17"}}, kMine));
    CHECK(check_fence(fenced("1699999999999"), kMine));
    CHECK(check_fence(fenced("0"), kMine));
    CHECK(check_fence(fenced("1700000000000"), kMine));
    CHECK(check_fence({{"AZL_Fence", "5"}, {"Azl_Fence_By", kLock}}, kMine));
}

TEST_CASE("a newer token is a failed precondition that names both") {
    const auto verdict = check_fence(fenced("1700000000001"), kMine);
    REQUIRE(!verdict);
    CHECK(verdict.error().code == ErrorCode::precondition);
    CHECK(verdict.error().message.find("1700000000001") != std::string::npos);
    CHECK(verdict.error().message.find("1700000000000") != std::string::npos);
    CHECK(!verdict.error().hint.empty());
    CHECK(check_fence({{"AZL_FENCE", "18446744073709551615"}, {"azl_fence_by", kLock}}, kMine).error().code ==
          ErrorCode::precondition);
}

TEST_CASE("a token of another lock is a usage error, whether it is larger or smaller") {
    for (const char* token : {"1", "1700000000000", "1800000000000"}) {
        const auto verdict = check_fence(fenced(token, kLock + "2"), kMine);
        REQUIRE(!verdict);
        CHECK(verdict.error().code == ErrorCode::usage);
        CHECK(verdict.error().message.find(kLock + "2") != std::string::npos);
    }
}

TEST_CASE("a fence that cannot be read is malformed data, never a yes") {
    const std::vector<azure::Metadata> broken{fenced("x"),
                                              fenced("-1"),
                                              fenced(""),
                                              fenced("1.5"),
                                              fenced("18446744073709551616"),
                                              {{"azl_fence", "1"}},
                                              {{"azl_fence_by", kLock}}};
    for (const auto& metadata : broken) {
        const auto verdict = check_fence(metadata, kMine);
        REQUIRE(!verdict);
        CHECK(verdict.error().code == ErrorCode::data);
    }
}

TEST_CASE("a write's metadata gets the fence in place of any other, and keeps the rest") {
    azure::Metadata metadata{{"AZL_FENCE", "5"}, {"azl_Fence_by", "old"}, {"job", "17"}};
    put_fence(metadata, kMine);
    CHECK(metadata == fenced("1700000000000"));
    CHECK(check_fence(metadata, kMine));
}

TEST_CASE("only the same token of the same lock is the same fence") {
    CHECK(carries_fence(fenced("1700000000000"), kMine));
    CHECK(!carries_fence({}, kMine));
    CHECK(!carries_fence(fenced("1699999999999"), kMine));
    CHECK(!carries_fence(fenced("1700000000000", "other"), kMine));
}

TEST_CASE("a fence is completed by the lock around the write") {
    CHECK(make_fence({true, "", "", kLock, "17"}).value() == Fence{17, kLock});
    CHECK(make_fence({true, "7", "", kLock, "17"}).value() == Fence{7, kLock});
    CHECK(make_fence({true, "", "ours", kLock, "17"}).value() == Fence{17, "ours"});
    CHECK(make_fence({true, "7", "ours", "", ""}).value() == Fence{7, "ours"});
    CHECK_FALSE(make_fence({false, "", "", kLock, "17"}).value());
}

TEST_CASE("under a lock with slots a fence needs both values, because its holders have no common order") {
    CHECK(make_fence({true, "7", "ours", kLock, ""}).value() == Fence{7, "ours"});
    for (const FenceRequest& request : {FenceRequest{true, "", "", kLock, ""}, FenceRequest{true, "7", "", kLock, ""},
                                        FenceRequest{true, "", "ours", kLock, ""}}) {
        const auto fence = make_fence(request);
        REQUIRE(!fence);
        CHECK(fence.error().code == ErrorCode::usage);
        CHECK(fence.error().message.find("slots") != std::string::npos);
    }
}

TEST_CASE("a fence that is not known completely is refused") {
    for (const auto& [request, why] :
         {std::pair(FenceRequest{false, "", "ours", "", ""}, "--fence-by goes with --fence"),
          std::pair(FenceRequest{true, "", "ours", "", ""}, "AZLOCK_FENCE is not set"),
          std::pair(FenceRequest{true, "7", "", "", ""}, "AZLOCK_URL is not set"),
          std::pair(FenceRequest{true, "x", "ours", "", ""}, "'x' is not a number"),
          std::pair(FenceRequest{true, "", "", kLock, "x"}, "'x' is not a number"),
          std::pair(FenceRequest{true, "7", "a\nb", "", ""}, "azl_fence_by")}) {
        const auto fence = make_fence(request);
        REQUIRE(!fence);
        CHECK(fence.error().code == ErrorCode::usage);
        CHECK(fence.error().message.find(why) != std::string::npos);
    }
}

}  // namespace azlock::ops
