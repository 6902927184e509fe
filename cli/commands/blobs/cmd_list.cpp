// `azlock list [CONTAINER[/PREFIX]]`: lists the blobs of a container, or the account's containers.
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/list_flags.hpp"
#include "cli/output/describe_blob.hpp"
#include "cli/output/list_printer.hpp"
#include "cli/program/command.hpp"
#include "cli/program/show_progress.hpp"
#include "ops/read/list.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    azure::ListOptions list;
    bool uncommitted = false;
    bool bytes = false;
    ListFlags shown;
};

std::vector<Column> columns(bool more) {
    std::vector<Column> out{{"SIZE", 15, true}, {"LAST MODIFIED", 20}, {"LEASE", 9}};
    if (more) out.insert(out.end(), {{"TYPE", 10}, {"TIER", 8}, {"CREATED", 20}, {"CONTENT TYPE", 24}});
    out.push_back({"NAME"});
    return out;
}

// What has no value for a column has an empty cell there.
Row row(std::vector<std::string> cells, const std::vector<std::string>& more, const Options& o,
        const std::string& name) {
    if (o.shown.more) cells.insert(cells.end(), more.begin(), more.end());
    cells.push_back(printable(name));
    return {std::move(cells)};
}

// Empty for a lease that nobody has, as most are.
std::string lease_column(const azure::LeaseInfo& lease) {
    return lease.state == "available" ? "" : lease.state;
}

// The listing, as it is printed.
class Listing {
  public:
    Listing(const Options& o, Context& context)
        : o_(o),
          output_(context.output()),
          screen_(stdout_screen(context.color())),
          printer_(output_, columns(o.shown.more), screen_) {}

    Status add(const std::string& prefix) {
        ++prefixes_;
        if (output_.json()) return output_.object(Json{{"prefix", prefix}});
        return printer_.add(row({"", "", ""}, {"", "", "", ""}, o_, prefix));
    }

    Status add(const azure::ListedBlob& blob) {
        const azure::BlobProperties& p = blob.properties;
        ++blobs_;
        bytes_ += p.content_length;
        if (!output_.json()) {
            return printer_.add(row(
                {blob.uncommitted_only ? "staged" : size(p.content_length), short_date(p.last_modified),
                 lease_column(p.lease)},
                {p.blob_type, p.access_tier, short_date(p.creation_time), printable(p.content.type)}, o_, blob.name));
        }
        Json out;
        out["name"] = blob.name;
        if (!blob.snapshot.empty()) out["snapshot"] = blob.snapshot;
        if (blob.uncommitted_only) out["uncommitted"] = true;
        out.update(to_json(p));
        return output_.object(out);
    }

    Status add(const azure::ListedContainer& container) {
        const azure::ContainerProperties& p = container.properties;
        ++containers_;
        if (!output_.json()) {
            return printer_.add(
                row({"", short_date(p.last_modified), lease_column(p.lease)}, {"", "", "", ""}, o_, container.name));
        }
        Json out;
        out["name"] = container.name;
        out.update(to_json(p));
        return output_.object(out);
    }

    Status end_blobs() {
        const std::string folded = prefixes_ > 0 ? format_count(prefixes_, "prefix", "prefixes") + ", " : "";
        return end(folded + format_count(blobs_, "blob") + ", " + size(bytes_) + (o_.bytes ? " bytes" : ""));
    }
    Status end_containers() { return end(format_count(containers_, "container")); }

  private:
    Status end(const std::string& total) { return output_.json() ? Status() : printer_.end(total); }
    [[nodiscard]] std::string size(std::uint64_t bytes) const {
        return screen_.terminal && !o_.bytes ? format_bytes(bytes) : std::to_string(bytes);
    }

    const Options& o_;
    Output& output_;
    Screen screen_;
    ListPrinter printer_;
    std::uint64_t prefixes_ = 0;
    std::uint64_t blobs_ = 0;
    std::uint64_t containers_ = 0;
    std::uint64_t bytes_ = 0;
};

Status list_blobs(const Options& o, Context& context) {
    auto opened = context.open_prefix(o.target);
    if (!opened) return fail(opened.error());
    Listing listing(o, context);
    EntryProgress progress(context, opened->address.to_string(), "blob");
    Ordered<azure::ListedBlob> blobs(ops::blob_order(o.shown.sort),
                                     [&](const azure::ListedBlob& blob) { return listing.add(blob); });
    const auto prefix = [&](const std::string& name) {
        progress.count();
        return listing.add(name);
    };
    const auto visit = [&](const azure::ListedBlob& blob) {
        progress.count();
        return blobs.add(blob);
    };
    return progress.end(
        ops::list_blobs(opened->client(), opened->address, o.list, o.uncommitted, prefix, visit, context.call())
            .and_then([&] { return blobs.end(); })
            .and_then([&] { return listing.end_blobs(); }));
}

Status list_containers(const Options& o, Context& context) {
    auto opened = context.open_account();
    if (!opened) return fail(opened.error());
    Listing listing(o, context);
    Ordered<azure::ListedContainer> containers(
        ops::container_order(o.shown.sort),
        [&](const azure::ListedContainer& container) { return listing.add(container); });
    EntryProgress progress(context, {}, "container");
    const auto visit = [&](const azure::ListedContainer& container) {
        progress.count();
        return containers.add(container);
    };
    return progress.end(ops::list_containers(opened->client(), o.list, o.uncommitted, visit, context.call())
                            .and_then([&] { return containers.end(); })
                            .and_then([&] { return listing.end_containers(); }));
}

}  // namespace

void register_list(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("list", "List the blobs of a container, or the account's containers");
    cmd->add_option("TARGET", o->target, "CONTAINER[/PREFIX], az://... or URL (default: all containers)");
    cmd->add_option("--prefix", o->list.prefix, "Only names that start with this")->type_name("TEXT");
    cmd->add_option("--delimiter", o->list.delimiter, "Fold names at this text (usually /) into prefixes")
        ->type_name("TEXT");
    cmd->add_option("--page-size", o->list.max_results, "Entries asked for per request (default 5000)")
        ->type_name("N")
        ->range(1, 5000);
    cmd->add_flag("--uncommitted", o->uncommitted, "Also list blobs that have only staged blocks");
    add_list_flags(*cmd, o->shown, {ops::kListOrders.begin(), ops::kListOrders.end()},
                   "Also type, tier, time of creation and content type");
    cmd->add_flag("--bytes", o->bytes, "Sizes in bytes on a terminal, too");
    cmd->footer(
        "Columns: size in bytes, last modified, lease state unless available, name. On a\n"
        "terminal with titles, sizes such as 1.5 MiB, and totals.\n\nExamples:\n"
        "  azlock list artifacts/2026/ --delimiter /\n  azlock list artifacts --json | jq -r 'select(.size > "
        "1e9).name'\n  azlock list artifacts --sort size --bytes\n");
    commands.add(cmd, [o](Context& context) {
        return o->target.empty() ? list_containers(*o, context) : list_blobs(*o, context);
    });
}

}  // namespace azlock::cli
