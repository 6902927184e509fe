// Put Block, Put Block List and Get Block List of the fake service.
#include <map>

#include "base/encoding.hpp"
#include "base/text.hpp"
#include "support/fake_handlers.hpp"
#include "support/fake_integrity.hpp"

namespace azlock::test::fake {
namespace {

constexpr std::size_t kMaxIdBytes = 64;

struct Entry {
    std::string kind;  // Committed, Uncommitted, Latest
    std::string id;
};

// Just enough XML for a block list: elements without attributes, no entities (Base64 has none), blanks between them.
class ListReader {
  public:
    explicit ListReader(std::string_view text) : rest_(text) {}

    std::optional<std::vector<Entry>> read() {
        skip("\xEF\xBB\xBF");
        blanks();
        if (rest_.starts_with("<?xml")) rest_.remove_prefix(std::min(rest_.size(), rest_.find("?>")));
        skip("?>");
        blanks();
        std::vector<Entry> out;
        if (skip("<BlockList/>") || skip("<BlockList />")) return at_end() ? std::optional(out) : std::nullopt;
        if (!skip("<BlockList>")) return std::nullopt;
        while (true) {
            blanks();
            if (skip("</BlockList>")) return at_end() ? std::optional(out) : std::nullopt;
            Entry entry;
            if (!element(entry)) return std::nullopt;
            out.push_back(std::move(entry));
        }
    }

  private:
    void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
    bool skip(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    bool at_end() {
        blanks();
        return rest_.empty();
    }
    bool element(Entry& entry) {
        for (const char* kind : {"Committed", "Uncommitted", "Latest"}) {
            if (!skip("<" + std::string(kind) + ">")) continue;
            const auto end = rest_.find('<');
            if (end == std::string_view::npos) return false;
            entry = {kind, std::string(rest_.substr(0, end))};
            rest_.remove_prefix(end);
            return skip("</" + std::string(kind) + ">");
        }
        return false;
    }

    std::string_view rest_;
};

// Puts the blocks that the entries name into `out`, or returns what is wrong. `blob` may be null.
Check resolve(const Blob* blob, const std::vector<Entry>& entries, std::vector<Block>& out) {
    std::map<std::string, const Block*> committed;
    if (blob != nullptr) {
        for (const Block& block : blob->content) {
            if (!block.id.empty()) committed.emplace(block.id, &block);
        }
    }
    std::map<std::string, std::string> kinds;
    for (const Entry& entry : entries) {
        if (kinds.emplace(entry.id, entry.kind).first->second != entry.kind) return refusal(400, "InvalidBlockList");
        const Block* found = nullptr;
        if (entry.kind != "Committed" && blob != nullptr) {
            const auto staged = blob->staged.find(entry.id);
            if (staged != blob->staged.end()) found = &staged->second;
        }
        if (found == nullptr && entry.kind != "Uncommitted") {
            const auto kept = committed.find(entry.id);
            if (kept != committed.end()) found = kept->second;
        }
        if (found == nullptr) return refusal(400, "InvalidBlockList");
        out.push_back(*found);
    }
    return std::nullopt;
}

Check read_block_id(const Call& call, std::string& id, std::size_t& length) {
    id = call.parameter("blockid").value_or("");
    if (id.empty()) return Refusal{400, "MissingRequiredQueryParameter", "QueryParameterName", "blockid"};
    const auto raw = base64_decode(id);
    if (!raw) return refusal(400, "InvalidBlockId");
    if (raw->size() > kMaxIdBytes) return refusal(400, "OutOfRangeInput");
    length = raw->size();
    return std::nullopt;
}

std::string block_xml(const std::string& id, const Data& bytes) {
    return "<Block><Name>" + id + "</Name><Size>" + std::to_string(bytes->size()) + "</Size></Block>";
}

}  // namespace

Reply put_block(Store& store, const Call& call) {
    std::string id;
    std::size_t length = 0;
    if (auto no = read_block_id(call, id, length)) return *no;
    if (call.body->empty()) return bad_header("Content-Length", "0");
    if (auto no = check_integrity(call)) return *no;
    Container* container = store.find_container(call.container);
    if (container == nullptr) return refusal(404, "ContainerNotFound");
    Blob* blob = store.find_blob(call);
    const Lease none("Blob");
    if (auto no = (blob != nullptr ? blob->lease : none).allows_write(call)) return *no;
    if (blob != nullptr && blob->type != BlobType::block) return refusal(409, "InvalidBlobType");
    if (blob != nullptr && !blob->staged.empty()) {
        const auto other = base64_decode(blob->staged.begin()->first);
        if (other && other->size() != length) return refusal(400, "InvalidBlobOrBlock");
        const bool grows = !blob->staged.contains(id);
        if (grows && blob->staged.size() >= store.limits.uncommitted_blocks)
            return refusal(409, "BlockCountExceedsLimit");
    }
    if (blob == nullptr) blob = &container->blobs[call.blob];
    blob->staged.insert_or_assign(id, Block{id, call.body});
    blob->last_staged = call.now;
    blob->lease.note_write(call.now);
    Reply out(201);
    confirm_integrity(call, out);
    out.headers.set("x-ms-request-server-encrypted", "true");
    return out;
}

Reply put_block_list(Store& store, const Call& call) {
    Blob fresh;
    if (auto no = check_integrity(call)) return *no;
    if (auto no = read_metadata(call, store.limits, fresh.metadata)) return *no;
    const auto entries = ListReader(*call.body).read();
    if (!entries) return refusal(400, "InvalidXmlDocument");
    if (entries->size() > store.limits.committed_blocks) return refusal(400, "BlockListTooLong");
    if (auto no = check_blob_write(store, call, Star::already_exists)) return *no;
    const Blob* old = store.find_blob(call);
    if (old != nullptr && old->type != BlobType::block) return refusal(409, "InvalidBlobType");
    if (auto no = resolve(old, *entries, fresh.content)) return *no;
    if (old != nullptr) {
        fresh.lease = old->lease;
        fresh.tier = old->tier;
    }
    fresh.committed = true;
    fresh.created = old != nullptr && old->committed ? old->created : call.wall;
    fresh.properties = read_properties(call, false);
    fresh.tags = std::string(call.header("x-ms-tags"));
    if (call.has("x-ms-access-tier")) fresh.tier = std::string(call.header("x-ms-access-tier"));
    fresh.lease.note_write(call.now);
    touch(store, fresh, call.wall);
    Reply out(201);
    write_version(fresh.etag, fresh.last_modified, out.headers);
    confirm_integrity(call, out);
    out.headers.set("x-ms-request-server-encrypted", "true");
    store.find_container(call.container)->blobs.insert_or_assign(call.blob, std::move(fresh));
    return out;
}

Reply get_block_list(Store& store, const Call& call) {
    const std::string type = to_lower(call.parameter("blocklisttype").value_or("committed"));
    if (type != "committed" && type != "uncommitted" && type != "all") return bad_query("blocklisttype", type);
    if (store.find_container(call.container) == nullptr) return refusal(404, "ContainerNotFound");
    const Blob* blob = store.find_blob(call);
    if (blob == nullptr) return refusal(404, "BlobNotFound");
    if (auto no = blob->lease.allows_read(call)) return *no;
    if (blob->type != BlobType::block) return refusal(409, "InvalidBlobType");
    Reply out(200);
    out.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
    if (type != "uncommitted") {
        out.body += "<CommittedBlocks>";
        for (const Block& block : blob->content) {
            if (!block.id.empty()) out.body += block_xml(block.id, block.bytes);
        }
        out.body += "</CommittedBlocks>";
    }
    if (type != "committed") {
        out.body += "<UncommittedBlocks>";
        for (const auto& [id, block] : blob->staged) out.body += block_xml(id, block.bytes);
        out.body += "</UncommittedBlocks>";
    }
    out.body += "</BlockList>";
    out.headers.set("Content-Type", "application/xml");
    out.headers.set("x-ms-blob-content-length", std::to_string(blob->size()));
    if (blob->committed) write_version(blob->etag, blob->last_modified, out.headers);
    return out;
}

}  // namespace azlock::test::fake
