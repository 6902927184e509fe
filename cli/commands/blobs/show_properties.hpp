// Prints the properties of a blob or container, for `show` and `container show`.
#pragma once

#include <string>

#include "cli/output/describe_blob.hpp"
#include "cli/program/context.hpp"

namespace azlock::cli {

// `Properties`: azure::BlobProperties or azure::ContainerProperties.
template <typename Properties>
[[nodiscard]] Status show_properties(Output& output, const std::string& target, const Properties& properties) {
    if (output.json()) {
        Json out;
        out["target"] = target;
        out.update(to_json(properties));
        return output.object(out);
    }
    for (const std::string& line : describe(properties)) {
        if (auto ok = output.line(line); !ok) return ok;
    }
    return {};
}

[[nodiscard]] inline Status show_container(Context& context, const Opened& opened, const std::string& lease_id) {
    const auto found = opened.client().get_container_properties(opened.address.container, lease_id, context.call());
    if (!found) return fail(found.error());
    return show_properties(context.output(), opened.address.container, *found);
}

}  // namespace azlock::cli
