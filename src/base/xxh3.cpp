#include "base/xxh3.hpp"

#include <cstring>
#include <stdexcept>

#include <xxhash.h>

#include "base/needs_memory.hpp"

namespace azlock {
namespace {

// A failure here is a bug: the library refuses only null pointers.
void require_xxh(bool ok) {
    if (!ok) throw std::runtime_error("xxHash refused a hash operation");
}

Xxh3Sum canonical(XXH128_hash_t hash) {
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, hash);
    Xxh3Sum sum{};
    static_assert(sizeof bytes.digest == sizeof sum);
    std::memcpy(sum.data(), bytes.digest, sum.size());
    return sum;
}

}  // namespace

void Xxh3::Free::operator()(XXH3_state_t* state) const {
    XXH3_freeState(state);
}

Xxh3Sum xxh3(ByteView data) {
    return canonical(XXH3_128bits(data.data(), data.size()));
}

Xxh3::Xxh3() : state_(needs_memory(XXH3_createState())) {
    require_xxh(XXH3_128bits_reset(state_.get()) == XXH_OK);
}

void Xxh3::update(ByteView data) {
    // Older versions of the library treat null data as a mistake, even if the length is 0.
    if (data.empty()) return;
    require_xxh(XXH3_128bits_update(state_.get(), data.data(), data.size()) == XXH_OK);
}

Xxh3Sum Xxh3::finish() {
    return canonical(XXH3_128bits_digest(state_.get()));
}

}  // namespace azlock
