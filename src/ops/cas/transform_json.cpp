#include "ops/cas/transform_json.hpp"

#include "base/text.hpp"
#include "ops/cas/json_document.hpp"

namespace azlock::ops {
namespace {

using Change = std::function<Result<Document>(const Document& before)>;

CasTransform change_document(Change change) {
    return [change = std::move(change)](const CasInput& input, const azure::Call&) -> Result<CasOutput> {
        const std::string_view text = input.text();
        auto before = text.empty() ? Result<Document>(Document::object()) : read_document(text, "the blob's content");
        if (!before) return fail(before.error());
        auto after = change(*before);
        if (!after) return fail(after.error());
        if (!text.empty() && is_identical(*after, *before)) return CasOutput{false, std::string(text)};
        return CasOutput{false, write_document(*after, text)};
    };
}

// The library's message without its prefix, as in "[json.exception.out_of_range.403] key 'a' not found".
std::string reason(const Document::exception& error) {
    const std::string text = error.what();
    const std::size_t end = text.find("] ");
    return end == std::string::npos ? text : text.substr(end + 2);
}

using Pointer = Document::json_pointer;

tl::unexpected<Error> does_not_fit(const std::string& patch_name, const std::string& why) {
    return fail(ErrorCode::data, patch_name + " does not fit the blob's content: " + printable(why));
}

bool contains(const Pointer& outer, Pointer inner) {
    while (inner != outer && !inner.empty()) inner = inner.parent_pointer();
    return inner == outer;
}

// Applies one operation. The library checks the parts of the operation. It does not check that the target's parent is
// an object or array, so that is done here. Throws Document::exception or returns an error.
Status apply(Document& document, const Document& operation, const std::string& patch_name) {
    const std::string kind = operation.is_object() ? operation.value("op", "") : "";
    if (kind == "test") {
        const std::string path = operation.at("path");
        const Pointer pointer(path);
        const Document& value = operation.at("value");
        if (document.contains(pointer) && is_equal(document.at(pointer), value)) return {};
        return fail(ErrorCode::precondition,
                    patch_name + ": its test of " + in_quotes(path) + " does not hold; nothing was written");
    }
    if (kind == "move") {
        // As RFC 6902 says: a removal, then an addition to what the removal has left.
        const std::string from = operation.at("from");
        const std::string path = operation.at("path");
        const Document value = document.at(Pointer(from));
        if (Pointer(from) == Pointer(path)) return {};
        if (contains(Pointer(from), Pointer(path))) {
            return does_not_fit(patch_name, "'" + from + "' cannot be moved into itself");
        }
        if (auto ok = apply(document, {{"op", "remove"}, {"path", from}}, patch_name); !ok) return ok;
        return apply(document, {{"op", "add"}, {"path", path}, {"value", value}}, patch_name);
    }
    if (kind == "add" || kind == "copy" || kind == "remove") {
        const Pointer pointer(operation.at("path").get<std::string>());
        if (!pointer.empty() && document.at(pointer.parent_pointer()).is_primitive()) {
            const char* const what = kind == "remove" ? "there is nothing at '" : "nothing can be put at '";
            return does_not_fit(patch_name, what + pointer.to_string() + "'");
        }
    }
    document.patch_inplace(Document::array({operation}));
    return {};
}

}  // namespace

Result<CasTransform> merge_patch(const std::string& patch, const std::string& patch_name) {
    auto read = read_document(patch, patch_name);
    if (!read) return fail(read.error());
    return change_document([read = std::move(*read)](const Document& before) -> Result<Document> {
        Document after = before;
        after.merge_patch(read);
        return after;
    });
}

Result<CasTransform> json_patch(const std::string& patch, const std::string& patch_name) {
    auto read = read_document(patch, patch_name);
    if (!read) return fail(read.error());
    if (!read->is_array()) return fail(ErrorCode::data, patch_name + " is not a JSON patch: it must be an array");
    return change_document([read = std::move(*read), patch_name](const Document& before) -> Result<Document> {
        Document after = before;
        try {
            for (const Document& operation : read) {
                if (auto ok = apply(after, operation, patch_name); !ok) return fail(ok.error());
            }
        } catch (const Document::exception& error) {
            return does_not_fit(patch_name, reason(error));
        }
        return after;
    });
}

}  // namespace azlock::ops
