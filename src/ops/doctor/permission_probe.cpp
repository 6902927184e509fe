#include "ops/doctor/permission_probe.hpp"

#include "azure/refusals.hpp"
#include "http/message.hpp"

namespace azlock::ops {
namespace {

using azure::BlobAddress;
using azure::BlobClient;
using azure::Call;
using azure::Conditions;

constexpr const char* kNoVersion = "\"0x0000000000000000\"";
constexpr const char* kContent = "azlock doctor";
constexpr int kLeaseSeconds = 15;

// The error is about the state of the container. It says nothing about the permission.
bool is_about_container(const Error& error) {
    return error.service_code.starts_with("Container") && !azure::is_existing_container(error);
}

// The service's answer to a caller that may not see a private container at all.
bool is_hidden(const Error& error) {
    return error.service_code == "ResourceNotFound" || error.service_code == "PublicAccessNotPermitted";
}

template <typename T>
Probe judge(std::string permission, const Result<T>& outcome) {
    if (outcome) return {std::move(permission), Probe::Outcome::allowed};
    const Error& error = outcome.error();
    if (error.code == ErrorCode::auth || is_hidden(error))
        return {std::move(permission), Probe::Outcome::refused, {}, error};
    const bool looked_at =
        error.code == ErrorCode::not_found || error.code == ErrorCode::precondition || error.code == ErrorCode::busy;
    if (!looked_at || is_about_container(error)) return {std::move(permission), Probe::Outcome::unknown, {}, error};
    return {std::move(permission), Probe::Outcome::allowed};
}

azure::PutBlobOptions small_blob() {
    azure::PutBlobOptions options;
    options.content.type = "text/plain";
    return options;
}

class TextSink final : public http::BodySink {
  public:
    [[nodiscard]] bool begin(const http::Response&) override {
        text.clear();
        return true;
    }
    [[nodiscard]] Status write(ByteView data) override {
        text.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }
    std::string text;
};

Probe probe_write(BlobClient& client, const BlobAddress& blob, const Call& call) {
    azure::PutBlobOptions options = small_blob();
    options.conditions.if_match = kNoVersion;
    return judge("write", client.put_blob(blob, http::make_body(""), options, call));
}

Probe probe_list(BlobClient& client, const BlobAddress& blob, const Call& call) {
    azure::ListOptions options;
    options.prefix = blob.blob;
    options.max_results = 1;
    return judge("list", client.list_blobs(blob.container, options, call));
}

Status read_back(BlobClient& client, const BlobAddress& blob, const Call& call) {
    TextSink sink;
    auto got = client.get_blob(blob, std::nullopt, {}, sink, call);
    if (!got) return fail(got.error());
    if (sink.text == kContent) return {};
    return fail(ErrorCode::data, "the blob does not hold what was written");
}

// A name that nobody uses.
std::string probe_name(Random& random) {
    return "azlock-doctor-" + random.uuid();
}

}  // namespace

Probe probe_read(BlobClient& client, const BlobAddress& target, const Call& call) {
    BlobAddress blob = target;
    if (blob.is_container()) blob.blob = probe_name(client.random());
    const auto outcome = client.get_properties(blob, {}, call);
    Probe probe = judge("read", outcome);
    if (!target.is_container() && probe.outcome == Probe::Outcome::allowed && !outcome) {
        probe.note = "there is no blob " + target.to_string();
    }
    return probe;
}

std::vector<Probe> probe_permissions(BlobClient& client, const std::string& container, const Call& call) {
    const BlobAddress blob{container, probe_name(client.random()), {}};
    std::vector<Probe> out;
    out.push_back(probe_list(client, blob, call));
    out.push_back(probe_write(client, blob, call));  // if it is carried out after all, the delete below removes it
    const std::string lease = client.random().uuid();
    out.push_back(judge("lease", client.acquire_lease(blob, kLeaseSeconds, lease, {}, call)));
    out.push_back(judge("delete", client.delete_blob(blob, {}, {}, call)));
    out.push_back(judge("create_container", client.create_container(container, {}, {}, call)));
    return out;
}

std::vector<Probe> probe_with_blob(BlobClient& client, const std::string& container, const Call& call,
                                   const std::function<Call()>& last_call) {
    const BlobAddress blob{container, probe_name(client.random()), {}};
    azure::PutBlobOptions options = small_blob();
    options.conditions.if_none_match = "*";
    const auto put = client.put_blob(blob, http::make_body(kContent), options, call);
    std::vector<Probe> out;
    Conditions holder;
    out.push_back(judge("write", put));
    if (put) {
        out.push_back(judge("read", read_back(client, blob, call)));
        const std::string lease = client.random().uuid();
        const auto leased = client.acquire_lease(blob, kLeaseSeconds, lease, {}, call);
        if (leased) holder.lease_id = lease;
        out.push_back(judge("lease", leased));
    } else if (!put.error().may_have_applied) {
        return out;
    }
    const Status deleted = client.delete_blob(blob, {}, holder, last_call());
    if (!put && deleted) return out;
    Probe gone = judge("delete", deleted);
    const bool left = !deleted && deleted.error().code != ErrorCode::not_found;
    if (left) gone.note = blob.to_string() + " may be left behind";
    out.push_back(std::move(gone));
    return out;
}

}  // namespace azlock::ops
