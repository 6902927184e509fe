#include "cli/commands/blobs/show_container.hpp"

#include "cli/output/describe_blob.hpp"

namespace azlock::cli {

Status show_container(Context& context, const Opened& opened, const std::string& lease_id) {
    auto properties = opened.client().get_container_properties(opened.address.container, lease_id, context.call());
    if (!properties) return fail(properties.error());
    Output& output = context.output();
    if (output.json()) {
        Json out;
        out["target"] = opened.address.container;
        out.update(to_json(*properties));
        return output.object(out);
    }
    for (const std::string& line : describe(*properties)) {
        if (auto ok = output.line(line); !ok) return ok;
    }
    return {};
}

}  // namespace azlock::cli
