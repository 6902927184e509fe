// Streaming XML for the service's answers, over expat. Made for hostile input: no DTD, bounded depth and text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/encoding.hpp"
#include "base/result.hpp"

namespace azlock::azure {

// Give the document to feed() in pieces of any size, then call finish(). The visitor is called at the start and at the
// end of every element, with the path of names from the root ("BlockList/CommittedBlocks/Block/Name"); at the end also
// with the text of the element. Not thread-safe. All errors are ErrorCode::unavailable with TransportFault::malformed.
// After an error, every further call returns it again.
class XmlReader {
  public:
    struct Visitor {
        virtual ~Visitor() = default;
        virtual void start(std::string_view path) = 0;
        // `encoded`: the element has Encoded="true" (the text is percent-encoded).
        virtual void end(std::string_view path, const std::string& text, bool encoded) = 0;
    };

    explicit XmlReader(Visitor& visitor);
    ~XmlReader();
    XmlReader(const XmlReader&) = delete;
    XmlReader& operator=(const XmlReader&) = delete;

    [[nodiscard]] Status feed(ByteView data);
    [[nodiscard]] Status finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace azlock::azure
