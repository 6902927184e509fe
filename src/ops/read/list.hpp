// Lists the blobs of a container, or the containers of an account, page after page.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "azure/client.hpp"
#include "base/ordered.hpp"

namespace azlock::ops {

// An error of a visitor ends the listing and is returned.
using PrefixVisitor = std::function<Status(const std::string& prefix)>;
using BlobVisitor = std::function<Status(const azure::ListedBlob& blob)>;
using ContainerVisitor = std::function<Status(const azure::ListedContainer& container)>;

// The blobs of `where.container` whose names start with `where.blob` or with `options.prefix`, with their metadata.
// `uncommitted`: also those that have only staged blocks. `prefix` gets what options.delimiter folds; of each page the
// prefixes come first. Errors: usage (both prefixes are given); those of the requests.
[[nodiscard]] Status list_blobs(azure::BlobClient& client, const azure::BlobAddress& where, azure::ListOptions options,
                                bool uncommitted, const PrefixVisitor& prefix, const BlobVisitor& visit,
                                const azure::Call& call);

// The account's containers, with their metadata. Errors: usage (a delimiter or `uncommitted`, which only blobs have);
// those of the requests.
[[nodiscard]] Status list_containers(azure::BlobClient& client, azure::ListOptions options, bool uncommitted,
                                     const ContainerVisitor& visit, const azure::Call& call);

// The orders of --sort: "size" (the largest first), "modified" (the latest first), "name" (that of the service, empty).
inline constexpr std::array kListOrders{"name", "size", "modified"};
[[nodiscard]] Less<azure::ListedBlob> blob_order(std::string_view key);
// Containers have no size.
[[nodiscard]] Less<azure::ListedContainer> container_order(std::string_view key);

}  // namespace azlock::ops
