#include "ops/append/input/spool_format.hpp"

#include "base/crc64.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint64_t kHeadMagic = 0x316C6F6F70737A61;    // "azspool1"
constexpr std::uint64_t kStateMagic = 0x3165746174737A61;   // "azstate1"
constexpr std::uint64_t kRecordMagic = 0x3168637461627A61;  // "azbatch1"

class Writer {
  public:
    void number(std::uint64_t value) {
        for (unsigned shift = 0; shift < 64; shift += 8) out_.push_back(static_cast<std::byte>(value >> shift));
    }
    void text(std::string_view value) {
        number(value.size());
        const ByteView bytes = as_bytes(value);
        out_.insert(out_.end(), bytes.begin(), bytes.end());
    }
    // The bytes and their checksum, filled up to kSpoolBlock. nullopt: they do not fit.
    std::optional<Bytes> block() {
        Bytes out = bytes();
        if (out.size() > kSpoolBlock) return std::nullopt;
        out.resize(kSpoolBlock);
        return out;
    }
    Bytes bytes() {
        number(crc64(out_));
        return std::move(out_);
    }

  private:
    Bytes out_;
};

// Reads what a Writer wrote. After the first value that does not fit, all values are 0 or empty.
class Reader {
  public:
    explicit Reader(ByteView data) : data_(data) {}
    std::uint64_t number() {
        if (data_.size() - at_ < 8) return broken();
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 8) value |= std::to_integer<std::uint64_t>(data_[at_++]) << shift;
        return value;
    }
    std::string text() {
        const std::uint64_t size = number();
        if (size > data_.size() - at_) {
            broken();
            return {};
        }
        std::string out(size, '\0');
        for (char& c : out) c = static_cast<char>(data_[at_++]);
        return out;
    }
    // True if nothing was missing and the checksum that follows is right.
    bool whole() {
        const std::uint64_t sum = crc64(data_.first(at_));
        return number() == sum && ok_;
    }

  private:
    std::uint64_t broken() {
        ok_ = false;
        at_ = data_.size();
        return 0;
    }
    ByteView data_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

}  // namespace

std::optional<Bytes> encode_spool_head(std::string_view destination) {
    Writer out;
    out.number(kHeadMagic);
    out.text(destination);
    return out.block();
}

std::optional<std::string> decode_spool_head(ByteView block) {
    Reader in(block);
    const bool ours = in.number() == kHeadMagic;
    std::string destination = in.text();
    if (!ours || !in.whole()) return std::nullopt;
    return destination;
}

std::optional<Bytes> encode_spool_state(const SpoolState& state) {
    Writer out;
    out.number(kStateMagic);
    for (const std::uint64_t value :
         {state.generation, state.confirmed, state.first, state.sending, state.mark.position}) {
        out.number(value);
    }
    out.text(state.mark.blob);
    out.text(state.mark.lease_id);
    return out.block();
}

std::optional<SpoolState> decode_spool_state(ByteView block) {
    Reader in(block);
    const bool ours = in.number() == kStateMagic;
    SpoolState state;
    for (std::uint64_t* value :
         {&state.generation, &state.confirmed, &state.first, &state.sending, &state.mark.position}) {
        *value = in.number();
    }
    state.mark.blob = in.text();
    state.mark.lease_id = in.text();
    if (!ours || !in.whole()) return std::nullopt;
    return state;
}

Bytes encode_spool_record(const SpoolRecord& record) {
    Writer out;
    for (const std::uint64_t value : {kRecordMagic, record.number, record.size, record.lines, record.crc})
        out.number(value);
    return out.bytes();
}

std::optional<SpoolRecord> decode_spool_record(ByteView bytes) {
    Reader in(bytes);
    const bool ours = in.number() == kRecordMagic;
    SpoolRecord record;
    for (std::uint64_t* value : {&record.number, &record.size, &record.lines, &record.crc}) *value = in.number();
    if (!ours || !in.whole()) return std::nullopt;
    return record;
}

}  // namespace azlock::ops
