// What the client's methods share: send an operation and read its answer with one of the readers.
#pragma once

#include "azure/pipeline.hpp"

namespace azlock::azure {

// `read` is a function of responses.hpp from http::Response to Result<T>; its errors get the operation's context. They
// come after an answer of success: a write was carried out, although what it says cannot be read.
template <typename Reader>
[[nodiscard]] auto send_and_read(Pipeline& pipeline, Operation op, const Call& call, Reader read)
    -> decltype(read(std::declval<const http::Response&>())) {
    const std::string_view name = op.name;
    const std::string target = op.target;
    const bool write = is_write(op);
    auto answer = pipeline.send(std::move(op), call);
    if (!answer) return fail(answer.error());
    auto value = read(answer->response);
    if (!value) {
        Error error = value.error();
        error.operation = name;
        error.target = target;
        error.http_status = answer->response.status;
        error.request_id = answer->response.headers.get("x-ms-request-id");
        error.client_request_id = answer->response.headers.get("x-ms-client-request-id");
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
