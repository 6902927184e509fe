// Which word was meant.
#include "base/nearest.hpp"
#include "support/catch.hpp"

namespace azlock {

TEST_CASE("a misspelt word is found, and a strange one is not") {
    const std::vector<std::string> words{"upload", "download", "list", "lease", "lock", "break", "queue"};
    struct Row {
        std::string given;
        std::optional<std::string> meant;
    };
    const std::vector<Row> rows{
        {"uplaod", "upload"},     // two letters swapped
        {"uploads", "upload"},    // one too many
        {"dwnload", "download"},  // one missing
        {"brake", "break"},      {"lokc", "lock"},
        {"que", "queue"},        {"upload", "upload"},
        {"do", "download"},      {"xyzzy", std::nullopt},
        {"x", std::nullopt},     {"", std::nullopt},
        {"abc", std::nullopt},   {std::string(100'000, 'a'), std::nullopt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.given.substr(0, 20));
        CHECK(nearest(row.given, words) == row.meant);
    }
    CHECK(nearest("upload", {}) == std::nullopt);
}

}  // namespace azlock
