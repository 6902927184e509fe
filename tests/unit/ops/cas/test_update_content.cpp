// The content that an update by compare and swap reads and writes: its size, its bytes, the type of its blob.
#include "ops/cas/update.hpp"
#include "support/catch.hpp"
#include "unit/ops/cas/cas_rig.hpp"

namespace azlock::test {

TEST_CASE("new content that is too large is refused, whatever makes it") {
    CasRig rig;
    rig.service.put("box", "data", "0123456789");
    ops::CasOptions options;
    options.max_size = 12;
    for (const auto& transform : {ops::append_line("x"), ops::replace_by(std::string(13, 'x'))}) {
        const auto done = rig.update(transform, options);
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::data);
        CHECK(done.error().target == "box/data");
        CHECK(done.error().hint.find("--max-size") != std::string::npos);
    }
    CHECK(rig.content() == "0123456789");
    REQUIRE(rig.update(ops::append_line(""), options));
}

TEST_CASE("what is no block blob is refused, also where it becomes that between two tries") {
    CasRig rig;
    rig.service.put("box", "data", "1");
    rig.faulty.on("Put Blob").meanwhile([&] {
        rig.service.erase("box", "data");
        azure::PutBlobOptions put;
        put.blob_type = "AppendBlob";
        REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body(""), put, {}));
    });
    const auto done = rig.add_one();
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::precondition);
    CHECK(done.error().message.find("AppendBlob") != std::string::npos);
    CHECK(rig.view().append);
}

TEST_CASE("content that is too large is refused before anything is made of it") {
    CasRig rig;
    rig.service.put("box", "data", std::string(1001, '1'));
    ops::CasOptions options;
    options.max_size = 1000;
    const auto done = rig.add_one(options);
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::data);
    CHECK(done.error().hint.find("--max-size") != std::string::npos);
    CHECK(rig.done("Put Blob") == 0);
}

TEST_CASE("a large content comes whole, also where it changes while it is read") {
    CasRig rig;
    const std::string old = noise(9 * 1024 * 1024);
    const std::string newer = noise(10 * 1024 * 1024, 2);
    rig.service.put("box", "data", old);
    rig.faulty.on("Get Blob").nth(2).meanwhile([&] { rig.service.put("box", "data", newer); });
    const auto done = rig.update([](const ops::CasInput& input, const azure::Call&) -> Result<ops::CasOutput> {
        return ops::CasOutput{false, std::string(input.text()) + "!"};
    });
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == newer + "!");
}

TEST_CASE("bytes of every value and no bytes at all are content like any other") {
    CasRig rig;
    std::string every;
    for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
    rig.service.put("box", "data", every);
    const auto reversed = rig.update([](const ops::CasInput& input, const azure::Call&) -> Result<ops::CasOutput> {
        const std::string_view text = input.text();
        return ops::CasOutput{false, {text.rbegin(), text.rend()}};
    });
    REQUIRE(reversed);
    CHECK(rig.content() == std::string(every.rbegin(), every.rend()));
    REQUIRE(rig.update(ops::replace_by("")));
    CHECK(rig.content() == "");
    REQUIRE(rig.update(ops::replace_by("again")));
    CHECK(rig.content() == "again");
}

}  // namespace azlock::test
