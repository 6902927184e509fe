// Runs one upload with its progress on display, and reports it: for every form of upload and for resume.
#pragma once

#include "cli/flags/transfer_flags.hpp"

namespace azlock::cli {

struct ShownUpload {
    Context& context;
    TransferContext& transfer_context;
    const Opened& opened;
    bool json_progress = false;
    std::string file;    // the progress ends at its size; empty: at the total that the transfer_context has
    std::string hint;    // advice after a stop, if a part of the source is already in the blob
    bool begun = false;  // it is there already
};

// Prints the ETag and a notice, or JSON.
[[nodiscard]] Status show_upload(const ShownUpload& shown, const std::function<Result<ops::UploadReport>()>& upload);

// The members "requests", "retries" and "seconds" (since `start`).
[[nodiscard]] Json costs_json(Context& context, BootTime start);

}  // namespace azlock::cli
