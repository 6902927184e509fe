// Whole command lines of upload, resume and verify.
#pragma once

#include "unit/cli/command_rig.hpp"

namespace azlock::test {

// The display of progress waits on a thread of its own; on a fake clock that would move the time for the requests.
struct UploadCommandRig : CommandRig {
    UploadCommandRig() : CommandRig(Time::real) {}
};

}  // namespace azlock::test
