// Puts a task into a queue, at most once.
#pragma once

#include <functional>
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
    bool arriving = false;  // it does not count yet (Moving)
};

struct WrittenTask {
    std::string etag;
    azure::Metadata metadata;
};

// nullopt: a task with this id and priority exists already. The put is not sent again once it may have been carried
// out. After a lost answer azlock looks at the blob. If it is missing, the task may be finished already, and if the
// look fails, nobody can tell: the error is unavailable with may_have_applied. Nobody finishes a task that does not
// count: if that one is missing, it is put again.
[[nodiscard]] Result<std::optional<WrittenTask>> put_task(const Queue& queue, const NewTask& task,
                                                          const std::shared_ptr<const http::Body>& content,
                                                          const azure::Call& call);

// Gets each task that was put. `existed`: it was not put because the id was taken. An error ends the work.
using PutReport = std::function<Status(const std::string& id, bool existed)>;

}  // namespace azlock::ops
