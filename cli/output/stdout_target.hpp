// A download to standard output, where nothing can be taken back.
#pragma once

#include "cli/output/output.hpp"
#include "ops/read/download.hpp"

namespace azlock::cli {

class StdoutTarget final : public ops::DownloadTarget {
  public:
    explicit StdoutTarget(Output& output) : output_(output) {}
    [[nodiscard]] Status write(ByteView data) override {
        written_ = written_ || !data.empty();
        return output_.bytes(data);
    }
    [[nodiscard]] bool restart() override { return !written_; }

  private:
    Output& output_;
    bool written_ = false;
};

}  // namespace azlock::cli
