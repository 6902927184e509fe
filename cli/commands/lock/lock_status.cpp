#include "cli/commands/lock/lock_status.hpp"

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/watch_flag.hpp"
#include "cli/output/table.hpp"
#include "ops/lease/concern.hpp"
#include "ops/lock/lock_name.hpp"
#include "ops/lock/lock_view.hpp"

namespace azlock::cli {
namespace {

const std::vector<Column> kColumns{{"STATE", 9}, {"HELD FOR", 14}, {"SLOT"}, {"HOLDER", 0, false, "  ", true}};

Row row(const ops::ListedLease& slot) {
    const ops::LeaseView& view = slot.view;
    const std::string concern = ops::concern_of(view, ops::kExpectedHold);
    const auto held = view.held_for();
    const std::string holder = view.is_taken() ? view.holder() : "";
    const std::string note = concern.empty() ? "" : (holder.empty() ? "" : " ") + ("(" + concern + ")");
    return {{view.lease.state, held ? format_duration(*held) : "-", printable(slot.name), holder + note},
            concern.empty() ? Tone::plain : Tone::alarm};
}

Json json_of(const ops::LockView& lock, WallTime seen) {
    Json slots = Json::array();
    for (const auto& [name, view] : lock.slots) {
        slots.push_back(Json{{"target", name},
                             {"state", or_null(view.lease.state)},
                             {"holder", view.is_taken() ? Json(view.holder()) : Json()},
                             {"fence", view.owner.fence},
                             {"held_seconds", seconds_or_null(view.held_for())}});
    }
    return {{"seen", format_iso8601(seen)}, {"slots", lock.count}, {"held", lock.held()}, {"each", std::move(slots)}};
}

Result<ops::Sight> look_at(const Opened& opened, Context& context, const Screen& screen) {
    const auto lock = ops::look_at_lock(opened.client(), opened.address, context.call());
    if (!lock) return fail(lock.error());
    ops::Sight out;
    std::vector<Row> rows;
    for (const ops::ListedLease& slot : lock->slots) {
        out.state += ops::version_of(slot);
        rows.push_back(row(slot));
    }
    const std::string total = std::to_string(lock->held()) + " of " + format_count(lock->count, "slot") + " held";
    out.text =
        context.output().json() ? json_of(*lock, context.clock().wall()).dump() : table(kColumns, rows, total, screen);
    return out;
}

}  // namespace

Status show_lock_status(const LockOptions& lock, const std::string& watch, Context& context) {
    const std::string& name = lock.request.run.name;
    context.tune({.impatient = true});
    auto opened = context.open(ops::lock_target(name, lock.container));
    if (!opened) return fail(opened.error());
    const auto blobs = ops::make_lock_name(name, opened->address, 1);
    if (!blobs) return fail(blobs.error());
    opened->address = blobs->first;
    const auto look = [&](const Screen& screen) { return look_at(*opened, context, screen); };
    if (!watch.empty()) return show_live(context, watch, look);
    Output& output = context.output();
    const auto sight = look(output.json() ? Screen{} : stdout_screen(context.color()));
    if (!sight) return fail(sight.error());
    return output.json() ? output.line(sight->text) : output.bytes(as_bytes(sight->text));
}

}  // namespace azlock::cli
