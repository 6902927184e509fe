// Prints the properties of a blob or container, for `show` and `container show`.
#pragma once

#include <string>

#include "cli/output/describe_blob.hpp"
#include "cli/program/context.hpp"
#include "ops/read/look.hpp"

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

// For ops::look(): prints what was seen. Both arguments must outlive it.
[[nodiscard]] inline auto shown(Context& context, const Opened& opened) {
    return [&](const ops::Seen& seen) {
        const std::string target = opened.address.to_string();
        return std::visit([&](const auto& found) { return show_properties(context.output(), target, found); }, seen);
    };
}

}  // namespace azlock::cli
