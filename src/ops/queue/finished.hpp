// How an attempt to end a claim came out.
#pragma once

namespace azlock::ops {

enum class Finished {
    done,
    lost,    // somebody else has the lease, or the task is gone: it is not ours any more
    unknown  // there was no answer until the lease ended
};

}  // namespace azlock::ops
