// The fake's own signer against published and computed vectors, so that it can check the client's signer.
#include "support/catch.hpp"
#include "support/fake_auth.hpp"
#include "support/fake_integrity.hpp"
#include "support/fake_service.hpp"

namespace azlock::test {
namespace {

http::Request request(http::Method method, std::string path) {
    http::Request out;
    out.method = method;
    out.path = std::move(path);
    out.headers.set("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT");
    out.headers.set("x-ms-version", "2023-11-03");
    return out;
}

std::string sign(const http::Request& what) {
    return fake::signature(kFakeKey, fake::string_to_sign(what, kFakeAccount));
}

}  // namespace

TEST_CASE("the fake's signature is an HMAC-SHA256 in Base64 (published vectors)") {
    std::string teapot = "POST\n";
    for (int i = 0; i < 11; ++i) teapot += "foo\n";
    teapot += "x-ms-imateapot:teapot\nx-ms-reserve-spaces:two  speces\nx-ms-shortandstout:True\n/account-name/resource";
    CHECK(fake::signature("YWNjZXNzLWtleQ==", teapot) == "TVilUAfUwtHIVp+eonglFDXfS5r0/OE0/vVX3GHcaxU=");
    const std::string get = "GET" + std::string(12, '\n') +
                            "x-ms-date:Fri, 23 Sep 2011 01:37:34 GMT\nx-ms-version:2015-12-11\n"
                            "/devstoreaccount1container\nrestype:container";
    CHECK(fake::signature(kFakeKey, get) == "NcwivCxw8cocF574jVXvZhhRw63VtDIAF2IUobuj52k=");
}

TEST_CASE("the fake signs whole requests as the computed vectors do") {
    auto list = request(http::Method::get, "/devstoreaccount1/");
    list.query = {{"comp", "list"}};
    CHECK(sign(list) == "RzzDqcNP6qssT8+Ce48duH5d9u2U9PsfNpmDKx3RLsE=");

    auto create = request(http::Method::put, "/devstoreaccount1/c1");
    create.query = {{"restype", "container"}};
    CHECK(sign(create) == "DwGPpEL8naU57INMAVV+LDYsc8d64Tg9lLnf1KPpuos=");

    auto block = request(http::Method::put, "/devstoreaccount1/c1/b.bin");
    block.query = {{"comp", "block"}, {"blockid", "MDAwMDAwMDA="}};
    block.body = http::make_body("twelve bytes");
    CHECK(sign(block) == "69DWBLDHnYXGH18exusPBZwF8gky/Q3mxLl5ojr5k48=");

    auto lease = request(http::Method::put, "/devstoreaccount1/c1/b.bin");
    lease.query = {{"comp", "lease"}};
    lease.headers.set("x-ms-lease-action", "acquire");
    lease.headers.set("x-ms-lease-duration", "15");
    lease.headers.set("x-ms-proposed-lease-id", "11111111-2222-3333-4444-555555555555");
    CHECK(sign(lease) == "gf5dBfpxCTdLrxcOFMVL4vOdSBAbCMymtWxIhE07DSs=");

    auto named = request(http::Method::put, "/devstoreaccount1/c1/dir/a%20b%2Bc%C3%A9.txt");
    named.headers.set("Content-MD5", "Pz8543xut4RVSbb2g52Mww==");
    named.headers.set("Content-Type", "text/plain; charset=utf-8");
    named.headers.set("If-None-Match", "*");
    named.headers.set("x-ms-blob-type", "BlockBlob");
    named.headers.set("x-ms-meta-owner", "a b");
    named.body = http::make_body("Hello Azure!");
    CHECK(sign(named) == "eIOAX9KVxb4Q/LyQhQoaMgm3hdq2Wgd/umSGtQ7W9x0=");

    auto page = request(http::Method::get, "/devstoreaccount1/c1");
    page.query = {{"restype", "container"},
                  {"comp", "list"},
                  {"prefix", "logs/a b"},
                  {"timeout", "20"},
                  {"include", "metadata,uncommittedblobs"}};
    CHECK(sign(page) == "Q7u6jjkGOrKw8qWbdVODyDLum4L5aZEdCjOUKMQVkvI=");

    auto host_style = request(http::Method::get, "/c1/b.bin");
    host_style.headers.set("If-Match", "\"0x8D1234567890ABC\"");
    host_style.headers.set("x-ms-range", "bytes=0-4194303");
    CHECK(sign(host_style) == "mSd1/7iZUCVwSOmpWC0hZxaf94XaqTwtw0w5c/13dEw=");

    auto order = request(http::Method::put, "/devstoreaccount1/c1/b.bin");
    order.query = {{"comp", "metadata"}};
    order.headers.set("x-ms-meta-i0", "a");
    order.headers.set("x-ms-meta-i_", "b");
    CHECK(sign(order) == "n8yVKdsmQD1kuZ3ZtCAoJfDihhndZxsKScsUQhcyCYY=");

    auto empty = request(http::Method::put, "/devstoreaccount1/c1/b.bin");
    empty.query = {{"comp", "metadata"}};
    empty.headers.set("x-ms-meta-empty", "");
    CHECK(sign(empty) == "JCNyHk/uDGjlLfhnUR7ioQ7bGbTbVRM9mhsjpUNcl7A=");
}

TEST_CASE("a zero length is signed as 0 by old versions and as nothing by new ones") {
    auto old = request(http::Method::put, "/a/c");
    old.headers.set("x-ms-version", "2014-02-14");
    CHECK(fake::string_to_sign(old, "a").starts_with("PUT\n\n\n0\n"));
    CHECK(fake::string_to_sign(request(http::Method::put, "/a/c"), "a").starts_with("PUT\n\n\n\n"));
}

TEST_CASE("the fake's CRC-64/NVME agrees with the published values") {
    CHECK(fake::crc64_header("") == "AAAAAAAAAAA=");
    CHECK(fake::crc64_header("Hello Azure!") == "DtjZpL9/o8c=");
    CHECK(fake::crc64("123456789") == 0xae8b14860a799888ULL);
    CHECK(fake::crc64_header(std::string(1024, '\0')) == "iknlm7CyG2k=");
}

}  // namespace azlock::test
