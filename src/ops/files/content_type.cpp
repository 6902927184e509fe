#include "ops/files/content_type.hpp"

#include <cstdlib>

#include "base/file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLargestFile = 8 * 1024 * 1024;

// The types that build machines without a database upload most often, in the format of mime.types.
constexpr std::string_view kBuiltIn =
    "application/gzip gz tgz\n"
    "application/java-archive jar war\n"
    "application/json json map\n"
    "application/pdf pdf\n"
    "application/vnd.android.package-archive apk\n"
    "application/vnd.apache.parquet parquet\n"
    "application/vnd.debian.binary-package deb\n"
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx\n"
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document docx\n"
    "application/wasm wasm\n"
    "application/x-7z-compressed 7z\n"
    "application/x-bzip2 bz2\n"
    "application/x-rpm rpm\n"
    "application/x-tar tar\n"
    "application/x-xz xz txz\n"
    "application/xml xml xsd xsl\n"
    "application/yaml yaml yml\n"
    "application/zip zip\n"
    "application/zstd zst\n"
    "audio/mpeg mp3\n"
    "audio/ogg ogg oga\n"
    "audio/wav wav\n"
    "font/otf otf\n"
    "font/ttf ttf\n"
    "font/woff woff\n"
    "font/woff2 woff2\n"
    "image/avif avif\n"
    "image/bmp bmp\n"
    "image/gif gif\n"
    "image/jpeg jpg jpeg\n"
    "image/png png\n"
    "image/svg+xml svg\n"
    "image/tiff tif tiff\n"
    "image/vnd.microsoft.icon ico\n"
    "image/webp webp\n"
    "text/css css\n"
    "text/csv csv\n"
    "text/html html htm\n"
    "text/javascript js mjs\n"
    "text/markdown md\n"
    "text/plain txt log conf ini toml\n"
    "video/mp4 mp4 m4v\n"
    "video/mpeg mpeg mpg\n"
    "video/webm webm\n";

std::string read_if_possible(const std::string& path) {
    const auto fd = open_whole_input(path);
    if (!fd) return {};
    const auto identity = identify(fd->get(), path);
    if (!identity || !identity->regular || identity->size > kLargestFile) return {};
    std::string text(identity->size, '\0');
    const auto got = read_full(fd->get(), std::as_writable_bytes(std::span<char>(text.data(), text.size())), path);
    text.resize(got ? *got : 0);
    return text;
}

}  // namespace

ContentTypeFiles system_content_type_files(const std::function<const char*(const char*)>& variable) {
    const auto value = [&variable](const char* name) {
        const char* text = variable(name);
        return std::string(text == nullptr ? "" : text);
    };
    std::string own = value("XDG_DATA_HOME");
    if (const std::string home = value("HOME"); own.empty() && !home.empty()) own = home + "/.local/share";
    std::string shared = value("XDG_DATA_DIRS");
    if (shared.empty()) shared = "/usr/local/share:/usr/share";

    ContentTypeFiles files;
    files.mime_types = "/etc/mime.types";
    const std::string directories = own + ":" + shared;
    for (const std::string_view directory : split(directories, ':')) {
        // The XDG specification says that relative paths must be ignored.
        if (directory.starts_with('/')) files.globs2.push_back(std::string(directory) + "/mime/globs2");
    }
    return files;
}

std::string ContentTypes::of(std::string_view path) const {
    std::call_once(once_, [this] {
        for (const std::string& file : files_.globs2) tables_[0].add_globs2(read_if_possible(file));
        tables_[1].add_mime_types(read_if_possible(files_.mime_types));
        tables_[2].add_mime_types(kBuiltIn);
    });
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (const MimeGlobs& table : tables_) {
        if (auto type = table.find(name)) return *type;
    }
    return std::string(kUnknownContentType);
}

void fill_content_type(std::string& type, std::string_view path) {
    if (type.empty()) type = ContentTypes(system_content_type_files(std::getenv)).of(path);
}

}  // namespace azlock::ops
