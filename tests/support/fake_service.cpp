// Admission, dispatch, the log and the back door of the fake service.
#include "support/fake_service.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "support/fake_handlers.hpp"
#include "support/fake_limits.hpp"

namespace azlock::test {
namespace {

using fake::Call;
using fake::Check;
using fake::Reply;
using fake::Store;

using Handler = Reply (*)(Store&, const Call&);

const std::map<std::string, Handler, std::less<>>& handlers() {
    static const std::map<std::string, Handler, std::less<>> table = {
        {"Put Blob", fake::put_blob},
        {"Put Block", fake::put_block},
        {"Put Block List", fake::put_block_list},
        {"Get Block List", fake::get_block_list},
        {"Append Block", fake::append_block},
        {"Append Blob Seal", fake::seal_blob},
        {"Get Blob", fake::get_blob},
        {"Get Blob Properties", fake::get_properties},
        {"Get Blob Tags", fake::get_tags},
        {"Get Blob Metadata", fake::get_metadata},
        {"Set Blob Metadata", fake::set_metadata},
        {"Set Blob Properties", fake::set_properties},
        {"Delete Blob", fake::delete_blob},
        {"Lease Blob", fake::lease_blob},
        {"Create Container", fake::create_container},
        {"Delete Container", fake::delete_container},
        {"Get Container Properties", fake::get_container},
        {"Get Container Metadata", fake::get_container},
        {"Set Container Metadata", fake::set_container_metadata},
        {"Lease Container", fake::lease_container},
        {"List Blobs", fake::list_blobs},
        {"List Containers", fake::list_containers},
        {"Get User Delegation Key", fake::get_user_key},
    };
    return table;
}

Error no_answer(ErrorCode code, TransportFault fault, std::string message) {
    Error out = make_error(code, std::move(message));
    out.fault = fault;
    out.retryable = fault != TransportFault::local_body;
    return out;
}

Result<std::string> read_body(const http::Request& request) {
    std::string out(request.content_length(), '\0');
    std::size_t done = 0;
    while (done < out.size()) {
        const std::size_t piece = std::min<std::size_t>(out.size() - done, 256 * 1024);
        const auto got = request.body->read_at(done, std::as_writable_bytes(std::span(out).subspan(done, piece)));
        if (!got) return fail(got.error());
        if (*got == 0) break;
        done += *got;
    }
    if (done < out.size())
        return fail(no_answer(ErrorCode::data, TransportFault::local_body, "the body ended too early"));
    return out;
}

}  // namespace

FakeService::FakeService(const Clock& clock, FakeOptions options)
    : clock_(clock), options_(std::move(options)), random_(options_.seed) {
    store_.limits = options_.limits;
    store_.container_deletion = options_.container_deletion;
    store_.list_page_limit = options_.list_page_limit;
    store_.list_starts_empty = options_.list_starts_empty;
    store_.staged_blocks_refuse_create = options_.staged_blocks_refuse_create;
}

Call FakeService::make_call(const http::Request& request) {
    Call call;
    call.request = &request;
    call.operation = std::string(fake::operation_of(request));
    call.query = fake::query_of(request);
    call.version = std::string(request.headers.get("x-ms-version"));
    call.fresh_id = random_.uuid();
    call.now = clock_.now();
    call.wall = clock_.wall() + options_.wall_ahead;
    return call;
}

// The checks before any byte of the body is read. The address is known already.
Check FakeService::admit(const Call& call) {
    if (options_.check_auth && !fake::is_public_read(store_, call)) {
        if (auto no = fake::authenticate(call, {options_.account, options_.key, options_.sas, options_.bearer}))
            return no;
    }
    if (auto no = fake::check_version(call)) return no;
    if (call.operation.empty()) return fake::bad_query("comp", call.parameter("comp").value_or(""));
    const auto timeout = call.parameter("timeout");
    if (timeout && !parse_u64(*timeout)) return fake::bad_query("timeout", *timeout);
    const bool writes = call.request->method == http::Method::put || call.request->method == http::Method::del;
    if (call.secondary && writes) return fake::refusal(403, "InsufficientAccountPermissions");
    return fake::check_body_size(call, options_.limits);
}

Result<Reply> FakeService::answer(Call& call, bool& early) {
    const http::Request& request = *call.request;
    const Check bad_address = fake::read_address(request, call);
    if (call.account != options_.account) {
        if (fake::is_path_style(request.origin.host)) return Reply(fake::refusal(404, "ResourceNotFound"));
        return fail(no_answer(ErrorCode::unavailable, TransportFault::resolve, "no such host: " + request.origin.host));
    }
    Check no = bad_address;
    if (!no) {
        const std::lock_guard lock(mutex_);
        no = admit(call);
    }
    if (no) {
        early = request.content_length() > 0;
        return Reply(*no);
    }
    auto body = read_body(request);
    if (!body) {
        Error error = body.error();
        error.fault = TransportFault::local_body;
        return fail(error);
    }
    call.body = std::make_shared<const std::string>(std::move(*body));
    const std::lock_guard lock(mutex_);
    return handlers().find(call.operation)->second(store_, call);
}

Result<http::Response> FakeService::send(const http::Request& request, Deadline deadline, std::stop_token stop) {
    if (stop.stop_requested()) return fail(no_answer(ErrorCode::cancelled, TransportFault::other, "cancelled"));
    if (clock_.now() >= deadline) {
        return fail(no_answer(ErrorCode::unavailable, TransportFault::timeout, "no time left for the request"));
    }
    Call call = make_call(request);
    bool early = false;
    auto reply = answer(call, early);
    if (!reply) return fail(reply.error());
    http::Response response = fake::render(call, std::move(*reply), call.fresh_id);
    response.early = early;
    record(call, response);
    return fake::deliver(request, std::move(response));
}

void FakeService::record(const Call& call, const http::Response& response) {
    const http::Request& request = *call.request;
    const std::lock_guard lock(mutex_);
    log_.push_back({call.operation, request.method, request.loggable_target(), request.headers,
                    request.content_length(), response.status, std::string(response.headers.get("x-ms-error-code"))});
}

std::size_t FakeService::requests() const {
    const std::lock_guard lock(mutex_);
    return log_.size();
}

std::size_t FakeService::requests(std::string_view operation) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        log_.begin(), log_.end(), [&](const LoggedRequest& line) { return line.operation == operation; }));
}

std::vector<LoggedRequest> FakeService::log() const {
    const std::lock_guard lock(mutex_);
    return log_;
}

std::vector<std::string> FakeService::operations() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const LoggedRequest& line : log_) out.push_back(line.operation);
    return out;
}

void FakeService::clear_log() {
    const std::lock_guard lock(mutex_);
    log_.clear();
}

}  // namespace azlock::test
