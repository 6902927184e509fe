// A blob that is deleted, while others may write it.
#pragma once

#include "ops/write/delete_blob.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

struct Deletion {
    Deletion() {
        rig.service.put("box", "data", "old");
        rig.clock.advance(std::chrono::seconds(60));
    }
    Status run(const azure::Call& call = {}) { return ops::delete_blob(rig.us.client(), rig.blob, options, call); }
    [[nodiscard]] std::string etag() { return '"' + rig.view().etag + '"'; }
    // Somebody creates the blob again.
    void again() { rig.service.put("box", "data", "new"); }

    Rig rig;
    ops::DeleteOptions options;
};

}  // namespace azlock::test
