// Puts a task into a queue, at most once.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ops/queue/task.hpp"

namespace azlock::ops {

struct NewTask {
    std::string id;
    int priority = kDefaultPriority;
    azure::Metadata metadata;
    std::string key;  // a new one for every put
    std::optional<WallTime> due;
};

// False: a task with this id and priority exists already. The put is not sent again once it may have been carried out.
// After a lost answer azlock looks at the blob. If it is missing, the task may be finished already: the error is
// unavailable with may_have_applied.
[[nodiscard]] Result<bool> put_task(const Queue& queue, const NewTask& task,
                                    const std::shared_ptr<const http::Body>& content, const azure::Call& call);

}  // namespace azlock::ops
