#include "ops/queue/output.hpp"

#include "azure/metadata.hpp"
#include "azure/names.hpp"
#include "azure/refusals.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

// No version of a blob has this ETag, so the service refuses the write after it has checked everything else.
constexpr const char* kNoVersion = "\"0x0\"";

// The longest ".KEY.ATTEMPT".
constexpr std::size_t kLongestEnd = 38;

azure::BlobAddress output_blob(const OutputPlace& place, const std::string& name) {
    azure::BlobAddress out = place.prefix;
    out.blob += "/" + name;
    return out;
}

bool is_possible(const azure::BlobAddress& blob) {
    return azure::check_blob_name(blob.blob).has_value();
}

azure::PutBlobOptions output_options() {
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    return options;
}

// A blob may have that name: the service says so (some answer 412 if it has a lease), or its answer is not known.
bool may_be_there(const Error& error) {
    if (error.may_have_applied) return error.code != ErrorCode::cancelled;
    return error.http_status == 409 || error.http_status == 412;
}

// False: another blob has that name.
Result<bool> put_output(const OutputPlace& place, const azure::BlobAddress& blob, const std::string& claim,
                        const std::shared_ptr<const http::Body>& body, const azure::Call& call) {
    azure::PutBlobOptions options = output_options();
    options.metadata[kTaskClaimName] = claim;
    options.conditions.if_none_match = "*";
    const auto put = place.client.put_blob(blob, body, options, call);
    if (put) return true;
    if (!may_be_there(put.error())) return fail(put.error());
    const auto head = place.client.get_properties(blob, {}, call);
    if (!head) return fail(azure::is_missing(head.error()) ? put.error() : head.error());
    return azure::find_metadata(head->properties.metadata, kTaskClaimName) == claim;
}

}  // namespace

Result<OutputPlace> output_place(const Queue& queue, azure::BlobClient& client, const azure::BlobAddress& address) {
    OutputPlace out{client, address};
    while (out.prefix.blob.ends_with('/')) out.prefix.blob.pop_back();
    if (out.prefix.blob.empty()) return fail(ErrorCode::usage, "--output-to: give it as CONTAINER/PREFIX");
    const std::string folder = out.prefix.blob + "/";
    const QueueName& name = queue.name;
    const bool of_queue = folder == name.tasks() || folder == name.dead_letters() || folder == name.batches();
    if (of_queue && out.prefix.container == name.container &&
        client.endpoint().to_string() == queue.many.endpoint().to_string()) {
        return fail(ErrorCode::usage, "--output-to: " + in_quotes(out.prefix.to_string()) +
                                          " is a folder of the queue itself, where an output could become a task");
    }
    if (!is_possible(output_blob(out, std::string(kLongestEnd, 'x')))) {
        return fail(ErrorCode::usage, "--output-to: the prefix leaves no room for the names of outputs");
    }
    return out;
}

Status check_output(const OutputPlace& place, const azure::Call& call) {
    const azure::BlobAddress blob = output_blob(place, new_task_key(place.client.random()));
    azure::PutBlobOptions options = output_options();
    options.conditions.if_match = kNoVersion;
    const auto put = place.client.put_blob(blob, http::make_body(""), options, call);
    if (put || azure::is_condition_not_met(put.error()) || azure::is_missing_blob(put.error())) return {};
    return fail(put.error());
}

Status upload_output(const OutputPlace& place, const QueueTask& task, const std::shared_ptr<const http::Body>& body,
                     const azure::Call& call) {
    const std::string attempt = "." + std::to_string(task.attempts);
    const azure::BlobAddress plain = output_blob(place, task.id + attempt);
    auto put = is_possible(plain) ? put_output(place, plain, task.claim, body, call) : Result<bool>(false);
    if (put && !*put) {
        const std::string end = "." + task.key + attempt;
        std::string id = task.id;
        while (!id.empty() && !is_possible(output_blob(place, id + end))) id.pop_back();
        put = put_output(place, output_blob(place, id + end), task.claim, body, call);
    }
    if (!put) return fail(put.error());
    if (!*put) return fail(ErrorCode::precondition, "another blob has its name");
    return {};
}

}  // namespace azlock::ops
