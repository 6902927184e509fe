// Every kind of error has the exit code of the table, and --help shows that table.
#include <map>
#include <set>

#include "cli/output/exit_code.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

const std::map<ErrorCode, int> kTable{
    {ErrorCode::usage, 64},       {ErrorCode::data, 65},      {ErrorCode::input_missing, 66},
    {ErrorCode::unavailable, 69}, {ErrorCode::internal, 70},  {ErrorCode::precondition, 73},
    {ErrorCode::io, 74},          {ErrorCode::busy, 75},      {ErrorCode::auth, 77},
    {ErrorCode::config, 78},      {ErrorCode::not_found, 79}, {ErrorCode::not_modified, 80},
};

}  // namespace

TEST_CASE("each error code has its own exit code, whatever signal came meanwhile") {
    std::set<int> codes;
    for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
        const auto code = static_cast<ErrorCode>(i);
        CAPTURE(i, to_string(code));
        if (code == ErrorCode::cancelled) continue;
        REQUIRE(kTable.contains(code));
        CHECK(exit_code(make_error(code, "x"), 0) == kTable.at(code));
        CHECK(exit_code(make_error(code, "x"), 15) == kTable.at(code));
        CHECK(codes.insert(exit_code(make_error(code, "x"), 0)).second);
    }
    CHECK(codes.size() == kTable.size());
}

TEST_CASE("who is stopped by a signal ends with 128 and its number") {
    CHECK(exit_code(make_error(ErrorCode::cancelled, "x"), 2) == 130);
    CHECK(exit_code(make_error(ErrorCode::cancelled, "x"), 15) == 143);
    CHECK(exit_code(make_error(ErrorCode::cancelled, "x"), 0) == kExitBug);  // cancelled without a signal
}

TEST_CASE("whatever showed that a lease is lost, the exit code is 122") {
    for (const ErrorCode code : {ErrorCode::precondition, ErrorCode::busy, ErrorCode::unavailable}) {
        Error error = make_error(code, "x");
        error.lost = true;
        CHECK(exit_code(error, 0) == 122);
        CHECK(exit_code(error, 15) == 122);
    }
}

TEST_CASE("the table for help has every exit code once") {
    std::set<std::string_view> codes;
    for (const ExitCode& row : exit_codes_of("")) CHECK(codes.insert(row.code).second);
    for (const auto& [code, number] : kTable) {
        CAPTURE(number);
        CHECK(codes.contains(std::to_string(number)));
    }
    for (const char* other : {"0", "76", "122", "123", "124", "125", "126", "127", "128+N"})
        CHECK(codes.contains(other));
}

}  // namespace azlock::cli
