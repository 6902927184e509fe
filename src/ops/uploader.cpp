#include "ops/uploader.hpp"

#include "base/digest.hpp"
#include "ops/guarded_write.hpp"
#include "ops/stager.hpp"

namespace azlock::ops {
namespace {

using azure::Call;
using azure::Conditions;

// Bases that may change under us before we give up, where the user gave no condition.
constexpr int kMaxRounds = 3;

// Somebody else wrote the blob after we looked; a list of blocks that they discarded says so too.
bool base_changed(const Error& error) {
    return error.service_code == "ConditionNotMet" || error.service_code == "BlobAlreadyExists" ||
           error.service_code == "InvalidBlockList";
}

class Upload {
  public:
    Upload(azure::BlobClient& client, const azure::BlobAddress& blob, std::shared_ptr<const SourceFile> source,
           const UploadOptions& options, const Call& call)
        : client_(client), blob_(blob), source_(std::move(source)), options_(options), call_(call) {}

    Result<UploadReport> run() {
        const std::uint64_t limit = options_.block_size.value_or(default_block_size(source_->size()));
        auto blocks = plan_blocks(source_->size(), limit);
        if (!blocks) return fail(blocks.error());
        auto written = source_->size() <= limit ? put_whole() : put_blocks(std::move(*blocks), limit);
        if (!written) return fail(written.error());
        return UploadReport{written->etag, source_->size(), block_count_, written->recognised};
    }

  private:
    Status create_container() {
        auto created = client_.create_container(blob_.container, {}, {}, call_);
        if (!created && created.error().service_code != "ContainerAlreadyExists") return created;
        return {};
    }

    bool lacks_container(const Error& error) const {
        return options_.create_container && error.service_code == "ContainerNotFound";
    }

    // The blob as it is, with the user's conditions held against it before a byte is sent.
    Result<BlobBase> look_with_conditions() {
        Conditions conditions = options_.conditions;
        const bool must_be_absent = conditions.if_none_match == "*";
        if (must_be_absent) conditions.if_none_match.clear();  // the service takes no '*' on reads
        auto base = look(client_, blob_, conditions, call_);
        const bool no_container = !base && lacks_container(base.error());
        if (no_container) base = BlobBase{};
        if (!base) {
            Error error = base.error();
            if (error.http_status == 304) {
                error.code = ErrorCode::precondition;
                error.message = "the condition is not met: the blob is not as expected";
            }
            return fail(std::move(error));
        }
        if (must_be_absent && base->exists) return refuse(ErrorCode::precondition, "the blob already exists");
        if (!base->exists && (!options_.conditions.if_match.empty() || !options_.conditions.lease_id.empty())) {
            return refuse(ErrorCode::precondition, "the condition is not met: the blob does not exist");
        }
        if (no_container) {
            if (auto created = create_container(); !created) return fail(created.error());
        }
        return base;
    }

    tl::unexpected<Error> refuse(ErrorCode code, std::string message) const {
        Error error = make_error(code, std::move(message));
        error.target = blob_.to_string();
        return fail(std::move(error));
    }

    azure::Metadata metadata_with(const WriteRing& ring) const {
        azure::Metadata metadata = options_.metadata;
        ring.write(metadata);
        return metadata;
    }

    // Runs `write` over the base; without conditions of the user a base that changed meanwhile is replaced as well.
    Result<Written> write_rounds(BlobBase base, std::uint64_t write_id, const GuardedWriteFunction& write) {
        for (int round = 1;; ++round) {
            auto written = write_over(client_, blob_, base, write_id, options_.conditions.lease_id, call_, write);
            if (written || round == kMaxRounds) return written;
            if (!base_changed(written.error()) || written.error().may_have_applied || options_.conditions.any()) {
                return written;
            }
            auto present = look(client_, blob_, {}, call_);
            if (!present) return fail(present.error());
            if (auto ours = find_write(*present, write_id)) return *ours;  // an unguarded try that arrived late
            base = std::move(*present);
            write_id = client_.random().next();
        }
    }

    // One request, unless a condition or a lost answer asks for more.
    Result<Written> put_whole() {
        std::string bytes(source_->size(), '\0');
        if (auto ok = source_->read(0, std::as_writable_bytes(std::span(bytes))); !ok) return fail(ok.error());
        if (auto same = source_->check_unchanged(); !same) return fail(same.error());
        azure::PutBlobOptions put;
        put.content = options_.content;
        put.tags = options_.tags;
        put.access_tier = options_.access_tier;
        put.checksum = {azure::Checksum::Kind::md5, base64_encode(md5(as_bytes(bytes)))};
        const auto body = http::make_body(std::move(bytes));
        const auto write = [&](const Conditions& conditions, const WriteRing& ring) {
            put.conditions = conditions;
            put.metadata = metadata_with(ring);
            auto result = client_.put_blob(blob_, body, put, call_);
            if (!result && lacks_container(result.error())) {
                if (auto created = create_container(); !created) {
                    return Result<azure::WriteResult>(fail(created.error()));
                }
                result = client_.put_blob(blob_, body, put, call_);
            }
            return result;
        };

        const std::uint64_t write_id = client_.random().next();
        const Conditions& wanted = options_.conditions;
        if (wanted.if_none_match == "*") return write_rounds(BlobBase{}, write_id, write);
        if (wanted.any()) {
            auto base = look_with_conditions();
            if (!base) return fail(base.error());
            return write_rounds(std::move(*base), write_id, write);
        }
        WriteRing ring;
        ring.add(write_id);
        Conditions unconditional;
        unconditional.lease_id = wanted.lease_id;
        auto result = write(unconditional, ring);
        if (result) return Written{result->etag, false};
        if (!result.error().may_have_applied || result.error().code == ErrorCode::cancelled)
            return fail(result.error());
        return write_over_what_is_seen(write_id, result.error(), write);
    }

    // After a lost answer: a blind repeat could put these bytes over a later version of somebody else.
    Result<Written> write_over_what_is_seen(std::uint64_t write_id, Error failure, const GuardedWriteFunction& write) {
        auto present = look(client_, blob_, {}, call_);
        if (!present && lacks_container(present.error())) present = BlobBase{};  // `write` creates it
        if (!present && present.error().code == ErrorCode::not_found) return fail(present.error());
        if (!present) return fail(undecided(std::move(failure), present.error()));
        if (auto ours = find_write(*present, write_id)) return *ours;
        return write_rounds(std::move(*present), write_id, write);
    }

    Result<Written> put_blocks(std::vector<BlockRange> blocks, std::uint64_t block_size) {
        auto base = look_with_conditions();
        if (!base) return fail(base.error());
        if (base->exists && base->blob_type != "BlockBlob") {
            return refuse(ErrorCode::precondition, "the blob is of another type (" + base->blob_type + ")");
        }
        Stager stager(client_, blob_, source_, std::move(blocks),
                      {options_.concurrency, options_.conditions.lease_id, fixed_plan_tag(block_size)});
        block_count_ = stager.block_count();
        if (auto staged = stager.stage_all(call_); !staged) return fail(staged.error());
        if (auto same = source_->check_unchanged(); !same) return fail(same.error());

        azure::PutBlockListOptions commit;
        commit.content = options_.content;
        commit.tags = options_.tags;
        commit.access_tier = options_.access_tier;
        const auto entries = stager.entries();
        return write_rounds(std::move(*base), client_.random().next(),
                            [&](const Conditions& conditions, const WriteRing& ring) {
                                commit.conditions = conditions;
                                commit.metadata = metadata_with(ring);
                                return commit_list(stager, entries, commit);
                            });
    }

    // Somebody's commit between ours and the staging discards staged blocks: they are staged again.
    Result<azure::WriteResult> commit_list(Stager& stager, const std::vector<azure::BlockListEntry>& entries,
                                           const azure::PutBlockListOptions& commit) {
        for (int round = 1;; ++round) {
            auto result = client_.put_block_list(blob_, entries, commit, call_);
            if (result || result.error().service_code != "InvalidBlockList" || result.error().may_have_applied ||
                round == kMaxRounds) {
                return result;
            }
            if (auto staged = stager.stage_missing(call_); !staged) return fail(staged.error());
            if (auto same = source_->check_unchanged(); !same) return fail(same.error());
        }
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    std::shared_ptr<const SourceFile> source_;
    const UploadOptions& options_;
    const Call& call_;
    std::size_t block_count_ = 0;
};

}  // namespace

Result<UploadReport> upload_file(azure::BlobClient& client, const azure::BlobAddress& blob, const std::string& path,
                                 const UploadOptions& options, const azure::Call& call) {
    auto source = SourceFile::open(path);
    if (!source) return fail(source.error());
    return Upload(client, blob, std::move(*source), options, call).run();
}

}  // namespace azlock::ops
