#include "ops/lock/name.hpp"

#include "azure/names.hpp"
#include "base/text.hpp"

namespace azlock::ops {

Result<LockName> make_lock_name(const std::string& given, bool is_target, const azure::BlobAddress& address,
                                std::uint64_t slots) {
    if (address.is_container()) return fail(ErrorCode::usage, "'" + printable(given) + "' names no blob to lock");
    if (!address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be locked");
    LockName out{address, slots};
    if (is_target) out.base.blob += ".azlock";
    const azure::BlobAddress longest = out.slot(slots - 1);
    if (auto ok = azure::check_blob_name(longest.blob); !ok) return fail(ok.error());
    return out;
}

}  // namespace azlock::ops
