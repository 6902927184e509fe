// Other tools' records of who holds a lease.
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "ops/lease/foreign_record.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

const WallTime kCreated = parse_iso8601("2026-11-21T08:00:00Z").value();

azure::Metadata terraform(std::string_view json) {
    return {{"terraformlockid", base64_encode(as_bytes(json))}};
}

constexpr std::string_view kLock =
    R"({"ID":"aaaaaaaa-1111-2222-3333-444444444444","Operation":"OperationTypeApply","Info":"","Who":"deploy@ci-7",)"
    R"("Version":"1.9.5","Created":"2026-11-21T08:00:00.123456789Z","Path":"tfstate/prod.tfstate"})";

}  // namespace

TEST_CASE("Terraform's record names the holder, and its id is the lease id") {
    auto metadata = terraform(kLock);
    metadata["other"] = "x";
    const auto record = read_foreign_record(metadata);
    REQUIRE(record);
    CHECK(record->tool == "terraform");
    CHECK(record->lease_id == "aaaaaaaa-1111-2222-3333-444444444444");
    CHECK(record->since == kCreated);
    CHECK(describe_foreign(*record, kCreated + std::chrono::minutes(12)) ==
          "Terraform 1.9.5: deploy@ci-7 for 12 min, OperationTypeApply");
    CHECK(read_foreign_record({{"TerraformLockID", metadata.at("terraformlockid")}}));
}

TEST_CASE("a Terraform record that cannot be read is still Terraform's") {
    std::string deep(7000, '[');
    for (const std::string& json : {std::string("[]"), std::string("{"), std::string("17"), std::string("{\"ID\":17}"),
                                    std::string("\xff\xfe"), deep, std::string("{\"Created\":\"yesterday\"}")}) {
        const auto record = read_foreign_record(terraform(json));
        REQUIRE(record);
        CHECK(record->tool == "terraform");
        CHECK(record->lease_id.empty());
        CHECK(!record->since);
        CHECK(describe_foreign(*record, kCreated) == "Terraform (its record cannot be read)");
    }
    CHECK(read_foreign_record({{"terraformlockid", "no base64"}})->lease_id.empty());
}

TEST_CASE("WebJobs' record is an instance id") {
    const auto record = read_foreign_record({{"FunctionInstance", "0000000000000000000000005F3A1B2C"}});
    REQUIRE(record);
    CHECK(record->tool == "webjobs");
    CHECK(describe_foreign(*record, {}) == "WebJobs or Functions: instance 0000000000000000000000005F3A1B2C");
}

TEST_CASE("metadata of nobody's tool is no record") {
    CHECK(!read_foreign_record({}));
    CHECK(!read_foreign_record({{"job", "17"}, {"azl_owner", "deploy"}}));
    CHECK(!read_foreign_record({{"terraformlockid", ""}}));  // what Terraform leaves behind on some versions
}

}  // namespace azlock::ops
