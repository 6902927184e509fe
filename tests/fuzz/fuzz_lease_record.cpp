// Records of lease holders in a blob's metadata: any metadata can be read, a description is one line, and a record that
// was written can be sent as headers and is read back unchanged.
#include "azure/names.hpp"
#include "base/encoding.hpp"
#include "fuzz_support.hpp"
#include "ops/lease/foreign_record.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/lease/quarantine_mark.hpp"

using namespace azlock;
using namespace azlock::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = as_text(data, size);
    azure::Metadata metadata;
    std::string first;
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            first = line;
            continue;
        }
        metadata.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    const WallTime now(std::chrono::seconds(1'800'000'000));
    const ops::OwnerRecord record = ops::read_owner_record(metadata);
    require(is_one_line(ops::describe_owner(record, now)), "a holder is told in one line");
    if (const auto foreign = ops::read_foreign_record(metadata)) {
        require(!foreign->tool.empty(), "a foreign record names its tool");
        require(is_one_line(ops::describe_foreign(*foreign, now)), "a foreign holder is told in one line");
    }
    (void)ops::holder_is_dead(metadata);
    if (const auto quarantine = ops::read_quarantine_mark(metadata)) {
        const auto back = ops::read_quarantine_mark(ops::with_quarantine_mark(metadata, *quarantine));
        require(back && back->until == quarantine->until, "a mark that was read can be written");
    }

    ops::OwnerRecord ours;
    ours.owner = first;
    ours.command = first;
    ours.run = first;
    const azure::Metadata written = ops::with_owner_record(metadata, ours);
    for (const char* name : {"azl_owner", "azl_command", "azl_run"}) {
        const auto it = written.find(name);
        if (it == written.end()) continue;
        require(azure::check_metadata_value(name, it->second).has_value(), "what is written can be sent", it->second);
    }
    const ops::OwnerRecord back = ops::read_owner_record(written);
    require(first.size() > 80 || !is_utf8(first) || back.owner == first, "a short text comes back", first);
    const bool marked = ops::holder_is_dead(ops::with_dead_mark(written));
    require(marked == !back.empty(), "a mark is read where there is a record");
    return 0;
}
