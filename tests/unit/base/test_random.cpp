// base/random: uniform numbers, UUIDs, and sequences that can be repeated.
#include <array>
#include <limits>
#include <set>
#include <string>

#include "base/random.hpp"
#include "support/catch.hpp"
#include "support/seeded_random.hpp"

using namespace azlock;

namespace {

// Always gives the same word.
class ConstantRandom final : public Random {
  public:
    explicit ConstantRandom(std::uint64_t word) : word_(word) {}
    [[nodiscard]] std::uint64_t next() override { return word_; }

  private:
    std::uint64_t word_;
};

}  // namespace

TEST_CASE("a UUID has version 4, the RFC 4122 variant and lower-case hex digits, whatever the random bits are") {
    ConstantRandom zeros(0);
    ConstantRandom ones(std::numeric_limits<std::uint64_t>::max());
    CHECK(zeros.uuid() == "00000000-0000-4000-8000-000000000000");
    CHECK(ones.uuid() == "ffffffff-ffff-4fff-bfff-ffffffffffff");
    SystemRandom system;
    for (int i = 0; i < 1'000; ++i) {
        const std::string id = system.uuid();
        INFO(id);
        REQUIRE(id.size() == 36);
        for (std::size_t k = 0; k < id.size(); ++k) {
            const bool dash = k == 8 || k == 13 || k == 18 || k == 23;
            REQUIRE(dash == (id[k] == '-'));
            if (!dash) REQUIRE(std::string("0123456789abcdef").find(id[k]) != std::string::npos);
        }
        REQUIRE(id[14] == '4');
        REQUIRE(std::string("89ab").find(id[19]) != std::string::npos);
    }
}

TEST_CASE("UUIDs do not repeat, and every free digit takes every value") {
    SystemRandom random;
    std::set<std::string> ids;
    std::array<std::set<char>, 36> seen;
    for (int i = 0; i < 10'000; ++i) {
        const std::string id = random.uuid();
        ids.insert(id);
        for (std::size_t k = 0; k < id.size(); ++k) seen[k].insert(id[k]);
    }
    CHECK(ids.size() == 10'000);
    for (std::size_t k = 0; k < seen.size(); ++k) {
        INFO(k);
        const bool dash = k == 8 || k == 13 || k == 18 || k == 23;
        CHECK(seen[k].size() == (dash || k == 14 ? 1U : k == 19 ? 4U : 16U));
    }
}

TEST_CASE("unit() is at least 0 and below 1, also at the ends") {
    ConstantRandom zeros(0);
    ConstantRandom ones(std::numeric_limits<std::uint64_t>::max());
    CHECK(zeros.unit() == 0.0);
    CHECK(ones.unit() < 1.0);
    CHECK(ones.unit() > 0.999999);
}

TEST_CASE("one seed always gives one sequence, another seed another") {
    SeededRandom a(7);
    SeededRandom b(7);
    SeededRandom c(8);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
        const auto value = a.next();
        CHECK(value == b.next());
        differs = differs || value != c.next();
    }
    CHECK(differs);
}

TEST_CASE("the kernel's numbers do not repeat") {
    SystemRandom random;
    std::set<std::uint64_t> values;
    for (int i = 0; i < 1'000; ++i) values.insert(random.next());
    CHECK(values.size() == 1'000);
}
