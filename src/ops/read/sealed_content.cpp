#include "ops/read/sealed_content.hpp"

#include "base/quantity.hpp"

namespace azlock::ops {

Error too_large(const std::string& what, std::uint64_t max_size) {
    return make_error(ErrorCode::data, what + " is larger than " + format_bytes(max_size),
                      "--max-size raises the limit");
}

Result<SealedContent> SealedContent::make(std::uint64_t max_size) {
    auto file = ContentFile::create_in_memory();
    if (!file) return fail(file.error());
    return SealedContent(std::move(*file), max_size);
}

Status SealedContent::write(ByteView data) {
    if (data.size() > max_size_ - file_->appended()) return fail(too_large("the blob", max_size_));
    return file_->append(data);
}

Status SealedContent::seal() {
    auto mapped = file_->seal();
    if (!mapped) return fail(mapped.error());
    mapped_ = std::move(*mapped);
    return {};
}

}  // namespace azlock::ops
