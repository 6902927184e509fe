#include "ops/read/look.hpp"

#include "ops/read/etag_file.hpp"

namespace azlock::ops {

Status look(azure::BlobClient& client, const azure::BlobAddress& target, const azure::Conditions& conditions,
            const std::string& etag_file, const std::function<Status(const Seen& seen)>& take,
            const azure::Call& call) {
    if (target.is_container()) {
        if (conditions.any() || !etag_file.empty()) return fail(ErrorCode::usage, "conditions need a blob");
        auto found = client.get_container_properties(target.container, conditions.lease_id, call);
        return found ? take(std::move(*found)) : fail(found.error());
    }
    auto head = client.get_properties(target, conditions, call);
    if (!head) return fail(head.error());
    const std::string etag = head->properties.etag;
    auto taken = take(std::move(head->properties));
    return taken && !etag_file.empty() ? save_etag_file(etag_file, etag) : taken;
}

}  // namespace azlock::ops
