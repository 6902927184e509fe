#include "ops/write/body_checksum.hpp"

#include "base/crc64.hpp"
#include "base/digest.hpp"

namespace azlock::ops {

using azure::Checksum;

Checksum::Kind first_checksum_kind(const azure::Endpoint& endpoint) {
    return endpoint.account == "devstoreaccount1" ? Checksum::Kind::md5 : Checksum::Kind::crc64;
}

bool refuses_crc64(const Error& error) {
    return error.service_code == "FeatureNotSupported" || error.service_code == "UnsupportedHeader" ||
           error.service_code == "InvalidHeaderValue";
}

// The emulator answers InvalidOperation [azurite 3].
bool is_checksum_mismatch(const Error& error) {
    return error.service_code == "Md5Mismatch" || error.service_code == "Crc64Mismatch" ||
           (error.service_code == "InvalidOperation" && error.http_status == 400);
}

Checksum checksum_of(ByteView bytes, Checksum::Kind kind) {
    switch (kind) {
        case Checksum::Kind::crc64: return {kind, crc64_header(crc64(bytes))};
        case Checksum::Kind::md5: return {kind, base64_encode(md5(bytes))};
        case Checksum::Kind::none: break;
    }
    return {};
}

}  // namespace azlock::ops
