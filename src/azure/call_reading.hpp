// Shared by the methods of the client: send an operation and read its answer.
#pragma once

#include "azure/pipeline.hpp"

namespace azlock::azure {

// `read` is a function of responses.hpp from http::Response to Result<T>. Its errors get the context of the operation.
// They come after a successful answer: a write was carried out, although its answer cannot be read.
template <typename Reader>
[[nodiscard]] auto send_and_read(Pipeline& pipeline, Operation op, const Call& call, Reader read)
    -> decltype(read(std::declval<const http::Response&>())) {
    const std::string_view name = op.name;
    const std::string target = op.target;
    const bool write = is_write(op);
    auto answer = pipeline.send(std::move(op), call);
    if (!answer) return fail(answer.error());
    auto value = read(*answer);
    if (!value) {
        Error error = value.error();
        error.operation = name;
        error.target = target;
        error.http_status = answer->status;
        error.request_id = answer->headers.get("x-ms-request-id");
        error.client_request_id = answer->headers.get("x-ms-client-request-id");
        error.may_have_applied = write;
        return fail(std::move(error));
    }
    return value;
}

[[nodiscard]] inline Status send_only(Pipeline& pipeline, Operation op, const Call& call) {
    auto answer = pipeline.send(std::move(op), call);
    if (!answer) return fail(answer.error());
    return {};
}

}  // namespace azlock::azure
