// Runs one upload with its progress on display, and reports it: for every form of upload and for resume.
#pragma once

#include "cli/flags/transfer_flags.hpp"
#include "ops/upload/upload_options.hpp"

namespace azlock::cli {

struct ShownUpload {
    Context& context;
    TransferContext& transfer_context;
    Opened& opened;
    std::string file;       // the progress ends at its size; empty: at the total that the transfer_context has
    std::string hint = {};  // what to do after a stop, if a part of the source is in the blob
    bool resuming = false;  // a part was there before
};

// Prints the ETag and a notice, or JSON.
[[nodiscard]] Status show_upload(const ShownUpload& shown, const std::function<Result<ops::UploadReport>()>& upload);

// The same for the upload of the one file, which gives the blob its name if the address has none.
[[nodiscard]] Status upload_one(ShownUpload shown, ops::UploadOptions options);

// Gives the error of an upload that can be continued (ops/upload/request.hpp) the hint.
[[nodiscard]] Error with_hint(Error error, bool resuming, const ops::Progress& progress, const std::string& hint);

// Says why nothing was reused (UploadReport::unseen). `target`: a blob or a container.
void tell_unseen(Output& output, const std::string& target);

}  // namespace azlock::cli
