// The outputs of tasks' commands as blobs below a prefix (--output-to).
#pragma once

#include <memory>

#include "ops/queue/task.hpp"

namespace azlock::ops {

// Where outputs go. The client must outlive this.
struct OutputPlace {
    azure::BlobClient& client;
    azure::BlobAddress prefix;  // its blob is without a slash at its end
};

// `address`: CONTAINER/PREFIX, with or without a slash at its end. Error (usage): it has no prefix, a prefix
// that leaves no room for names, or a folder of the queue itself.
[[nodiscard]] Result<OutputPlace> output_place(const Queue& queue, azure::BlobClient& client,
                                               const azure::BlobAddress& address);

// Asks the service whether a blob can be written there; writes none. Errors: why it cannot be, such as not_found (no
// container) or auth.
[[nodiscard]] Status check_output(const OutputPlace& place, const azure::Call& call);

// Uploads the output of the task's last started attempt as PREFIX/ID.ATTEMPT. If an earlier task with this id has left
// a blob of that name, the name is PREFIX/ID.KEY.ATTEMPT. An id of another tool is cut there if no blob could have that
// name. Succeeds also if an earlier request of the same attempt was carried out and its answer lost. Never replaces a
// blob.
[[nodiscard]] Status upload_output(const OutputPlace& place, const QueueTask& task,
                                   const std::shared_ptr<const http::Body>& body, const azure::Call& call);

}  // namespace azlock::ops
