// What the process listing shows of the arguments, and what the program gets.
#include "cli/program/arguments.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

// argv as the kernel lays it out.
struct Argv {
    explicit Argv(std::vector<std::string> arguments) : texts(std::move(arguments)) {
        for (std::string& text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
    }
    std::vector<std::string> take() { return take_arguments(static_cast<int>(texts.size()), pointers.data()); }
    std::vector<std::string> texts;
    std::vector<char*> pointers;
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("the program gets its arguments whole, and the listing gets no signature") {
    Argv argv({"azlock", "show", "https://a/c/b?sv=1&sig=s3cr3t%3D&se=2", "-v"});
    CHECK(argv.take() == Words{"show", "https://a/c/b?sv=1&sig=s3cr3t%3D&se=2", "-v"});
    CHECK(argv.texts == Words{"azlock", "show", "https://a/c/b?sv=1&sig=xxxxxxxxx&se=2", "-v"});
}

TEST_CASE("every signature is masked, at any place and in any case") {
    Argv argv({"azlock", "sig=abc", "SIG=abc", "?Sig=a&x=1&sig=b", "sig=", "design=x"});
    CHECK(argv.take() == Words{"sig=abc", "SIG=abc", "?Sig=a&x=1&sig=b", "sig=", "design=x"});
    for (std::size_t i = 1; i <= 3; ++i) {
        CAPTURE(argv.texts[i]);
        CHECK(argv.texts[i].find("abc") == std::string::npos);
    }
    CHECK(argv.texts[3] == "?Sig=x&x=1&sig=x");
    CHECK(argv.texts[4] == "sig=");
}

TEST_CASE("arguments without a signature stay as they are") {
    Argv argv({"/usr/bin/azlock", "upload", "", "a&b", "--metadata", "x=y"});
    CHECK(argv.take() == Words{"upload", "", "a&b", "--metadata", "x=y"});
    CHECK(argv.texts == Words{"/usr/bin/azlock", "upload", "", "a&b", "--metadata", "x=y"});
}

TEST_CASE("called as azup it is an upload") {
    CHECK(Argv({"azup", "a", "b"}).take() == Words{"upload", "a", "b"});
    CHECK(Argv({"/usr/bin/azup"}).take() == Words{"upload"});
    CHECK(Argv({"./azup.old", "a"}).take() == Words{"a"});
    CHECK(Argv({"azup/azlock", "a"}).take() == Words{"a"});
    CHECK(Argv({}).take().empty());
}

}  // namespace azlock::cli
