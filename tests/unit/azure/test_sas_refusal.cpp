// azure/sas_refusal: why the service refuses a SAS, as far as the SAS tells it.
#include "azure/service_error.hpp"
#include "base/http_date.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

http::Response refusal(const std::string& code, int status = 403) {
    http::Response out;
    out.status = status;
    out.headers.set("x-ms-request-id", "req-1");
    out.headers.set("Date", "Fri, 26 Jun 2015 23:39:12 GMT");
    if (!code.empty()) out.headers.set("x-ms-error-code", code);
    return out;
}

Error error_of(const http::Response& response, const std::string& operation, const std::string& sas) {
    Operation op;
    op.name = operation;
    op.request.method = http::Method::put;
    op.request.secret_query = Secret(sas);
    op.expected = 201;
    op.target = "box/b";
    return to_error(op, response, *parse_http_date("Fri, 26 Jun 2015 23:39:12 GMT"));
}

// Of a valid SAS that is refused for a permission.
std::string lacks(const std::string& operation, const std::string& sas) {
    const Error error =
        error_of(refusal("AuthorizationPermissionMismatch"), operation, "sv=2023-11-03&" + sas + "&sig=MARKER");
    CHECK(error.code == ErrorCode::auth);
    return error.message;
}

}  // namespace

TEST_CASE("a SAS that has ended, or is not valid yet, is said to be") {
    auto response = refusal("AuthenticationFailed");
    const auto told = [&](const std::string& times) {
        return error_of(response, "Put Blob", "sv=2023-11-03&" + times + "&sp=rw&sig=MARKER");
    };
    const Error ended = told("st=2015-06-25&se=2015-06-26T23%3A39%3A00Z");
    CHECK(ended.code == ErrorCode::auth);
    CHECK(ended.message == "the SAS ended at 2015-06-26T23:39:00Z (the service's time is 2015-06-26T23:39:12Z)");
    CHECK(ended.hint == "get a new SAS, then run the command again");
    CHECK(told("se=2015-06-26").message.find("the SAS ended at 2015-06-26T00:00:00Z") == 0);
    CHECK(told("se=2015-06-26T23:39Z").message.find("the SAS ended at 2015-06-26T23:39:00Z") == 0);
    CHECK(told("st=2015-06-27&se=2015-06-28").message.find("the SAS is valid only from 2015-06-27T00:00:00Z") == 0);
    for (const char* times : {"se=2015-06-27", "se=soon", "sr=b", "se="}) {
        CHECK(told(times).message.find("signature or SAS") != std::string::npos);
    }
    for (const auto& [status, code] :
         {std::pair(403, "AuthorizationFailure"), std::pair(401, "InvalidAuthenticationInfo"), std::pair(403, ""),
          std::pair(403, "SomethingNew")}) {
        CAPTURE(status, code);
        response = refusal(code, status);
        CHECK(told("se=2015-06-26").message.find("the SAS ended at") == 0);
    }
    response = refusal("AuthorizationPermissionMismatch");
    CHECK(told("se=2015-06-26").message.find("permission") != std::string::npos);
}

TEST_CASE("a SAS that lacks a permission is said to, with what it permits and what is needed") {
    CHECK(lacks("Set Blob Metadata", "sr=c&sp=rl") == "the SAS permits rl; this needs w");
    CHECK(lacks("Append Block", "ss=b&srt=sco&sp=rl") == "the SAS permits rl; this needs a or w");
    CHECK(lacks("Put Blob", "sr=b&sp=r") == "the SAS permits r; this needs c or w");
    CHECK(lacks("Put Blob", "sr=b&sp=rc") == "the SAS permits rc; this needs w, because the blob exists");
    CHECK(lacks("Get Blob", "sr=b&sp=w") == "the SAS permits w; this needs r");
    Operation tagged;
    tagged.name = "Put Blob";
    tagged.request.headers.set("x-ms-tags", "a=b");
    tagged.request.secret_query = Secret("sr=b&sp=c&sig=MARKER");
    CHECK(to_error(tagged, refusal("AuthorizationPermissionMismatch"), {}).message ==
          "the SAS permits c; this needs t for the tags");
    const std::string unknown = "the credential lacks the permission for this";
    CHECK(lacks("Get Blob", "sr=b&si=policy") == unknown);
    CHECK(lacks("Get Blob", "sr=b&sp=w&si=policy") == unknown);
    CHECK(lacks("Get Blob", "sr=b&sp=r") == unknown);
    CHECK(lacks("Some Other", "sr=b&sp=r") == unknown);
    CHECK(lacks("Get Blob", "skoid=a&sr=b&sp=r") ==
          "the SAS permits this, but the role of the user who made it does not");
}

TEST_CASE("what only an account SAS can do is told of another SAS, whatever the code of the refusal is") {
    for (const char* code : {"AuthorizationPermissionMismatch", "AuthorizationFailure", "AuthenticationFailed"}) {
        for (const char* operation : {"Create Container", "Delete Container", "Get Container Properties",
                                      "Set Container Metadata", "Lease Container", "List Containers"}) {
            CAPTURE(code, operation);
            const Error error = error_of(refusal(code), operation, "sr=c&sp=racwdl&sig=MARKER");
            CHECK(error.message == "a SAS of a container or blob is not enough for this");
            CHECK(error.hint == "use an account SAS or the account key");
        }
        CHECK(error_of(refusal(code), "List Blobs", "sr=b&sp=r&sig=MARKER").message ==
              "the SAS is for one blob, not for a listing");
    }
    CHECK(lacks("Create Container", "ss=b&srt=sco&sp=r") == "the SAS permits r; this needs c or w");
    CHECK(lacks("List Blobs", "sr=c&sp=r") == "the SAS permits r; this needs l");
}

TEST_CASE("a SAS for other resources, addresses or protocols is said to be") {
    const auto told = [](const std::string& code, const std::string& sas) {
        return error_of(refusal(code), "Get Blob", sas + "&sig=MARKER").message;
    };
    CHECK(told("AuthorizationResourceTypeMismatch", "ss=b&srt=sc&sp=r") ==
          "the account SAS is for the resource types sc; this needs o");
    CHECK(told("AuthorizationServiceMismatch", "ss=fq&srt=sco&sp=r") == "the account SAS is not for blobs");
    CHECK(told("AuthorizationSourceIPMismatch", "sr=b&sp=r&sip=198.51.100.7-198.51.100.9") ==
          "the SAS is only for requests from 198.51.100.7-198.51.100.9");
    CHECK(told("AuthorizationProtocolMismatch", "sr=b&sp=r&spr=https") == "the SAS is only for https");
}

TEST_CASE("a signature that does not fit is most often that of a SAS for something else") {
    const auto hint = [](const std::string& code, const std::string& sas) {
        return error_of(refusal(code), "Get Blob", sas + "&sig=MARKER").hint;
    };
    CHECK(hint("AuthenticationFailed", "sr=b&sp=r") == "check that the SAS is complete, and is for this blob");
    CHECK(hint("AuthenticationFailed", "sr=c&sp=r") == "check that the SAS is complete, and is for this container");
    CHECK(hint("AuthorizationFailure", "ss=b&srt=o&sp=r") ==
          "check that the SAS is complete, and is for this account; check the account's firewall");
}

TEST_CASE("no refusal of a SAS shows its signature") {
    for (const char* code :
         {"AuthenticationFailed", "AuthorizationPermissionMismatch", "AuthorizationProtocolMismatch"}) {
        const Error error = error_of(refusal(code), "Put Block", "sr=b&sp=r&sig=MARKER");
        CHECK((error.message + error.hint).find("MARKER") == std::string::npos);
    }
}
