// MIME databases of the system, globs among them, against any file name.
#include "base/glob.hpp"
#include "fuzz_support.hpp"
#include "ops/files/mime_globs.hpp"

using namespace azlock;
using namespace azlock::fuzz;

namespace {

void check_type(const ops::MimeGlobs& table, std::string_view name) {
    const auto type = table.find(name);
    if (!type) return;
    require(type->find('/') != std::string::npos, "a type has two parts", *type);
    for (const char c : *type) require(c > ' ' && c < 0x7F && c != ':' && c != '"', "a type fits a header", *type);
}

void check_glob(std::string_view pattern, std::string_view path) {
    const auto glob = Glob::parse(pattern);
    if (!glob) {
        require(glob.error().code == ErrorCode::usage, "a bad glob is a usage error");
        return require_presentable(glob.error(), {});
    }
    const bool file = glob->matches(path, false);
    require(!file || glob->matches(path, true), "what a file may be called, a directory may be", pattern);
    const bool plain = pattern.find_first_of("*?[\\/") == std::string_view::npos;
    require(!plain || glob->matches(pattern, false), "a name matches itself", pattern);
}

}  // namespace

// The first line is the name, the second a glob, the rest a database.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = as_text(data, size);
    const std::string_view name = take_line(rest);
    const std::string_view glob = take_line(rest);
    check_glob(glob, name);
    ops::MimeGlobs shared;
    shared.add_globs2(rest);
    check_type(shared, name);
    ops::MimeGlobs older;
    older.add_mime_types(rest);
    check_type(older, name);
    return 0;
}
