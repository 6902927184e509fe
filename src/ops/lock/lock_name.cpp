#include "ops/lock/lock_name.hpp"

#include "azure/names.hpp"
#include "azure/url.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

bool is_target(const std::string& given) {
    return istarts_with(given, "az://") || azure::looks_like_url(given);
}

}  // namespace

std::string lock_target(const std::string& given, const std::string& container) {
    return is_target(given) ? given : container + "/" + given;
}

Result<LockName> make_lock_name(const std::string& given, const azure::BlobAddress& address, std::uint64_t slots) {
    if (address.is_container()) return fail(ErrorCode::usage, "'" + printable(given) + "' names no blob to lock");
    if (!address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be locked");
    LockName out{address, slots};
    if (is_target(given)) out.first.blob += ".azlock";
    const azure::BlobAddress longest = out.slot(slots - 1);
    if (auto ok = azure::check_blob_name(longest.blob); !ok) return fail(ok.error());
    return out;
}

}  // namespace azlock::ops
