// How tests change the fake service and look into it without requests.
#include "support/fake_integrity.hpp"
#include "support/fake_service.hpp"

namespace azlock::test {

fake::Call FakeService::own_call(const std::string& container, const std::string& blob) {
    fake::Call call;
    call.container = container;
    call.blob = blob;
    call.now = clock_.now();
    call.wall = clock_.wall() + options_.wall_ahead;
    return call;
}

void FakeService::make_container(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (store_.containers.contains(name)) return;
    fake::Container& fresh = store_.containers[name];
    const auto call = own_call(name, {});
    fresh.etag = store_.next_etag(call.wall);
    fresh.last_modified = call.wall;
}

void FakeService::put(const std::string& container, const std::string& blob, std::string content) {
    make_container(container);
    const std::lock_guard lock(mutex_);
    const auto call = own_call(container, blob);
    fake::Blob fresh;
    fresh.committed = true;
    fresh.created = call.wall;
    fresh.properties.content_md5 = fake::md5_header(content);
    if (!content.empty()) fresh.content.push_back({"", std::make_shared<const std::string>(std::move(content))});
    if (const fake::Blob* old = store_.find_blob(call)) fresh.lease = old->lease;
    fresh.lease.note_write(call.now);
    fake::touch(store_, fresh, call.wall);
    store_.containers[container].blobs.insert_or_assign(blob, std::move(fresh));
}

void FakeService::stage(const std::string& container, const std::string& blob, const std::string& block_id,
                        std::string content) {
    make_container(container);
    const std::lock_guard lock(mutex_);
    fake::Blob& target = store_.containers[container].blobs[blob];
    target.staged.insert_or_assign(block_id,
                                   fake::Block{block_id, std::make_shared<const std::string>(std::move(content))});
    target.last_staged = clock_.now();
}

void FakeService::erase(const std::string& container, const std::string& blob) {
    const std::lock_guard lock(mutex_);
    if (fake::Container* found = store_.find_container(container)) found->blobs.erase(blob);
}

std::optional<FakeBlobView> FakeService::peek(const std::string& container, const std::string& blob) {
    const std::lock_guard lock(mutex_);
    const fake::Blob* found = store_.find_blob(own_call(container, blob));
    if (found == nullptr) return std::nullopt;
    FakeBlobView out;
    out.committed = found->committed;
    out.append = found->type == fake::BlobType::append;
    out.content = found->read(0, found->size());
    out.etag = found->etag;
    out.metadata.insert(found->metadata.begin(), found->metadata.end());
    out.properties = found->properties;
    for (const fake::Block& block : found->content) {
        if (!block.id.empty()) out.committed_ids.push_back(block.id);
    }
    for (const auto& [id, block] : found->staged) out.staged_ids.push_back(id);
    out.lease_state = std::string(to_string(found->lease.state(clock_.now())));
    out.lease_id = found->lease.id();
    return out;
}

std::optional<std::string> FakeService::content(const std::string& container, const std::string& blob) {
    const auto view = peek(container, blob);
    if (!view || !view->committed) return std::nullopt;
    return view->content;
}

}  // namespace azlock::test
