// base/xxh3: the published results for every length class; pieces give the same result as the whole.
#include <string>

#include "base/xxh3.hpp"
#include "support/catch.hpp"

using namespace azlock;

namespace {

// The bytes for which xxHash publishes its results.
std::string published_input(std::size_t length) {
    std::string data;
    std::uint64_t state = 2'654'435'761U;
    for (std::size_t i = 0; i < length; ++i) {
        data += static_cast<char>(state >> 56U);
        state *= 11'400'714'785'074'694'797U;
    }
    return data;
}

struct Answer {
    std::size_t length;
    std::string_view hex;
};
constexpr Answer kPublished[] = {
    {0, "99aa06d3014798d86001c324468d497f"},    {1, "a6cd5e9392000f6ac44bdff4074eecdb"},
    {6, "082afe0b8162d12a3e7039bdda43cfc6"},    {12, "6e3efd8fc7802b18061a192713f69ad9"},
    {24, "0ce966e4678d37611e7044d28b1b901d"},   {48, "a002ac4e5478227ef942219aed80f67b"},
    {81, "4952f58181ab00425e8bafb9f95fb803"},   {222, "337e09641b948717f1aebd597cec6b3a"},
    {403, "1b6de21e332dd73dcdeb804d65c6dea4"},  {512, "18d2d110dcc9bca1617e49599013cb6b"},
    {2048, "f736557fd47073a5dd59e2c3a5f038e0"}, {2240, "ccb134fbfa7ce49d6e73a90539cf2948"},
    {2367, "e89c0f6ff369b427cb37aeb9e5d361ed"},
};

}  // namespace

TEST_CASE("XXH3-128 of the vectors that xxHash publishes") {
    for (const Answer& answer : kPublished) {
        CAPTURE(answer.length);
        const std::string data = published_input(answer.length);
        CHECK(hex_encode(xxh3(as_bytes(data))) == answer.hex);
        Xxh3 whole;
        whole.update(as_bytes(data));
        CHECK(hex_encode(whole.finish()) == answer.hex);
        Xxh3 bytewise;
        for (const char& byte : data) bytewise.update(as_bytes({&byte, 1}));
        CHECK(hex_encode(bytewise.finish()) == answer.hex);
    }
}

TEST_CASE("an XXH3-128 fed in pieces is the hash of the whole and does not mind empty pieces") {
    const std::string data = published_input(3000);
    const Xxh3Sum whole = xxh3(as_bytes(data));
    for (std::size_t cut = 0; cut <= data.size(); cut += 7) {
        Xxh3 hash;
        hash.update({});
        hash.update(as_bytes(std::string_view(data).substr(0, cut)));
        hash.update({});
        hash.update(as_bytes(std::string_view(data).substr(cut)));
        CHECK(hash.finish() == whole);
    }
    CHECK(Xxh3().finish() == xxh3({}));
}
