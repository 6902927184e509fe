// azure/connection_string: the whole grammar, and errors that name the key and never show a value.
#include "azure/connection_string.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

constexpr std::string_view kKey = "Zm9vYmFyYmF6cXV4";
constexpr std::string_view kSas = "sv=2023-11-03&sp=rw&sig=abc%3D";
// Is in every value of every bad string. No error may show it.
constexpr std::string_view kMarker = "MARKER";

std::string key_part() {
    return "AccountKey=" + std::string(kKey);
}
std::string sas_part() {
    return "SharedAccessSignature=" + std::string(kSas);
}

ConnectionSettings good(const std::string& text) {
    INFO(text);
    const auto settings = parse_connection_string(text);
    if (!settings) FAIL(settings.error().message);
    return *settings;
}

// Checks that the text is refused, with `named` and without any value in the message.
void bad(const std::string& text, std::string_view named) {
    INFO(text);
    const auto settings = parse_connection_string(text);
    REQUIRE_FALSE(settings);
    const Error& error = settings.error();
    CHECK(error.code == ErrorCode::config);
    CHECK(error.message.find(named) != std::string::npos);
    for (const std::string_view secret : {kMarker, kKey, std::string_view("abc%3D")}) {
        CHECK(error.message.find(secret) == std::string::npos);
        CHECK(error.hint.find(secret) == std::string::npos);
    }
}

}  // namespace

TEST_CASE("account and key make the endpoint") {
    const auto plain = good("AccountName=acct;" + key_part());
    CHECK(plain.endpoint.to_string() == "https://acct.blob.core.windows.net");
    CHECK(plain.account == "acct");
    CHECK(plain.endpoint.account == "acct");
    CHECK(plain.key.reveal() == kKey);
    CHECK(plain.sas.empty());
    const auto full =
        good("DefaultEndpointsProtocol=http;AccountName=acct;" + key_part() + ";EndpointSuffix=core.chinacloudapi.cn");
    CHECK(full.endpoint.to_string() == "http://acct.blob.core.chinacloudapi.cn");
}

TEST_CASE("order, case, blanks and empty parts do not matter; values keep their '='") {
    const auto settings = good(" ;;" + std::string("accountKEY = ") +
                               "Zm9vYmFyYg==" + "; ACCOUNTNAME=acct ;;DEFAULTENDPOINTSPROTOCOL=HTTPS;\n");
    CHECK(settings.key.reveal() == "Zm9vYmFyYg==");
    CHECK(settings.account == "acct");
    CHECK(settings.endpoint.origin.tls);
    CHECK(good("AccountName=acct;" + sas_part()).sas.reveal() == kSas);
    CHECK(good("AccountName=acct;SharedAccessSignature=?" + std::string(kSas)).sas.reveal() == kSas);
}

TEST_CASE("an explicit endpoint comes before the derived one") {
    const auto both = good("AccountName=acct;" + key_part() + ";BlobEndpoint=http://127.0.0.1:10000/acct;");
    CHECK(both.endpoint.to_string() == "http://127.0.0.1:10000/acct");
    CHECK(both.endpoint.account == "acct");
    const auto custom = good("BlobEndpoint=https://files.example.com/;AccountName=acct;" + key_part());
    CHECK(custom.endpoint.to_string() == "https://files.example.com");
    CHECK(custom.endpoint.account == "acct");
    const auto dotted = good("BlobEndpoint=http://azurite.svc.local:10000/acct;AccountName=acct;" + key_part());
    CHECK(dotted.endpoint.to_string() == "http://azurite.svc.local:10000/acct");
    CHECK(dotted.endpoint.base_path == "/acct");
}

TEST_CASE("an explicit endpoint alone takes a SAS or nobody's credential") {
    const auto sas = good("BlobEndpoint=https://acct.blob.core.windows.net/;" + sas_part());
    CHECK(sas.sas.reveal() == kSas);
    CHECK(sas.account.empty());
    CHECK(sas.endpoint.account == "acct");
    const auto anonymous = good("BlobEndpoint=https://acct.blob.core.windows.net");
    CHECK(anonymous.key.empty());
    CHECK(anonymous.sas.empty());
}

TEST_CASE("what is meant for other services is known and not used") {
    const auto settings =
        good("AccountName=acct;" + key_part() +
             ";AccountKeyName=key1;QueueEndpoint=https://q;QueueSecondaryEndpoint=https://q2;TableEndpoint=https://t;"
             "TableSecondaryEndpoint=https://t2;FileEndpoint=https://f;FileSecondaryEndpoint=https://f2;"
             "BlobEndpoint=https://b.example.com;BlobSecondaryEndpoint=https://b2.example.com");
    CHECK(settings.endpoint.to_string() == "https://b.example.com");
}

TEST_CASE("development storage is the emulator") {
    for (const char* text :
         {"UseDevelopmentStorage=true", "usedevelopmentstorage=TRUE;", ";UseDevelopmentStorage=true;"}) {
        const auto settings = good(text);
        CHECK(settings.endpoint.to_string() == "http://127.0.0.1:10000/devstoreaccount1");
        CHECK(settings.account == "devstoreaccount1");
        CHECK(settings.key.reveal() ==
              "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==");
    }
    const auto proxied = good("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=https://azurite.test");
    CHECK(proxied.endpoint.to_string() == "https://azurite.test:10000/devstoreaccount1");
    const auto wild = good(
        "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=" + development_storage().key.reveal() +
        ";BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;");
    CHECK(wild.endpoint == development_storage().endpoint);
}

TEST_CASE("bad development storage") {
    bad("UseDevelopmentStorage=MARKER", "UseDevelopmentStorage");
    bad("UseDevelopmentStorage=false", "UseDevelopmentStorage");
    bad("UseDevelopmentStorage=", "UseDevelopmentStorage");
    bad("DevelopmentStorageProxyUri=http://MARKER", "UseDevelopmentStorage");
    bad("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=MARKER", "DevelopmentStorageProxyUri");
    bad("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://h:MARKER", "DevelopmentStorageProxyUri");
    bad("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://a:MARKER@h", "DevelopmentStorageProxyUri");
    bad("UseDevelopmentStorage=true;AccountKey=MARKER", "UseDevelopmentStorage");
}

TEST_CASE("bad parts are named by number, or by a name that is surely none of the values") {
    bad("", "empty");
    bad(" ;; ", "empty");
    bad("MARKER", "part 1");
    bad("AccountName=acct;MARKER", "part 2");
    bad("AccountName=acct;=MARKER", "part 2");
    bad("AccountNam=MARKER;" + key_part(), "'AccountNam'");
    bad("AccountName=acct;Account Key=MARKER", "part 2");
    bad("AccountName=acct;x1MARKER=MARKER", "part 2");
    bad(std::string(33, 'x') + "MARKER=MARKER", "part 1");
    bad("AccountName=acct;accountname=MARKER;" + key_part(), "'accountname'");
    bad("AccountName=acct;AccountKey=MARKER;AccountKey=MARKER", "'AccountKey'");
}

TEST_CASE("a value with quotation marks or the name of a file is told what to do") {
    for (const auto& [text, hint] : {std::pair{"\"AccountName=a;AccountKey=YWJj\"", "remove the quotation marks"},
                                     std::pair{"'AccountName=a'", "remove the quotation marks"},
                                     std::pair{"./conn.txt", "--connection-string-file"},
                                     std::pair{"/etc/azlock/connection", "--connection-string-file"}}) {
        INFO(text);
        const auto settings = parse_connection_string(text);
        REQUIRE_FALSE(settings);
        CHECK(settings.error().code == ErrorCode::config);
        CHECK(settings.error().hint.find(hint) != std::string::npos);
        CHECK(settings.error().message.find(text) == std::string::npos);
    }
}

TEST_CASE("missing and contradicting parts") {
    bad("AccountName=MARKER", "AccountKey or SharedAccessSignature");
    bad(key_part(), "AccountName");
    bad(sas_part(), "AccountName or BlobEndpoint");
    bad(key_part() + ";BlobEndpoint=https://MARKER", "AccountName");
    bad("AccountName=MARKER;" + key_part() + ";" + sas_part(), "SharedAccessSignature");
    bad("AccountName=MARKER;" + key_part() + ";BlobSecondaryEndpoint=https://MARKER", "BlobSecondaryEndpoint");
    bad("AccountName=MARKER;AccountKey=", "AccountKey");
    bad("AccountName=MARKER;SharedAccessSignature=", "SharedAccessSignature");
    bad("AccountName=MARKER;BlobEndpoint=", "AccountKey or SharedAccessSignature");
    bad("AccountName=;" + key_part(), "AccountName");
}

TEST_CASE("values that cannot be used") {
    bad("AccountName=acct;AccountKey=MARKER!", "AccountKey");
    bad("AccountName=acct;AccountKey=MARKER", "AccountKey");
    bad("AccountName=acct;AccountKey=MARK MARKER==", "AccountKey");
    bad("AccountName=MARKER/x;" + key_part(), "AccountName");
    bad("AccountName=MARKER x;" + key_part(), "AccountName");
    bad("AccountName=MARKER\nx;" + key_part() + ";BlobEndpoint=https://h", "AccountName");
    bad("AccountName=acct;DefaultEndpointsProtocol=MARKER;" + key_part(), "DefaultEndpointsProtocol");
    bad("AccountName=acct;EndpointSuffix=MARKER/x;" + key_part(), "EndpointSuffix");
    bad("AccountName=acct;EndpointSuffix=MARKER:80;" + key_part(), "EndpointSuffix");
    bad("AccountName=acct;EndpointSuffix=MARKER?x;" + key_part(), "EndpointSuffix");
    bad("AccountName=acct;EndpointSuffix=a..MARKER;" + key_part(), "EndpointSuffix");
    bad("AccountName=acct;SharedAccessSignature=MARKER", "SharedAccessSignature");
    bad("AccountName=acct;SharedAccessSignature=sv=1&sig=", "SharedAccessSignature");
    bad("AccountName=acct;SharedAccessSignature=sig=MAR KER&x=MARKER", "SharedAccessSignature");
    for (const char* endpoint : {"MARKER", "ftp://MARKER", "https://h:MARKER", "https://u:MARKER@h",
                                 "https://h/MARKER/x", "https://h?sig=MARKER", "https://[MARKER]", "https://h#MARKER",
                                 "http://127.0.0.1", "http://127.0.0.1/MARKER%0A"}) {
        bad("AccountName=acct;" + key_part() + ";BlobEndpoint=" + endpoint, "BlobEndpoint");
    }
}

TEST_CASE("an account of the service has the service's name, and one behind an endpoint its own") {
    bad("AccountName=MyAccount;" + key_part(), "AccountName: this is not the name of a storage account");
    bad("AccountName=ab;" + sas_part(), "AccountName");
    CHECK(good("AccountName=My-account_1;" + key_part() + ";BlobEndpoint=http://127.0.0.1:1/My-account_1").account ==
          "My-account_1");
    bad("AccountName=acct;AccountKey=REDACTED", "AccountKey: the account key was removed");
    bad("AccountName=acct;SharedAccessSignature=sv=MARKER&sig=***", "SharedAccessSignature: the signature was removed");
}

TEST_CASE("no cut of a good string crashes or shows the key") {
    const std::string text = "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=" + std::string(kKey) +
                             ";EndpointSuffix=core.windows.net";
    for (std::size_t from = 0; from < text.size(); ++from) {
        for (const std::string& piece : {text.substr(from), text.substr(0, from)}) {
            const auto settings = parse_connection_string(piece);
            if (settings) continue;
            INFO(piece);
            CHECK(settings.error().message.find(kKey.substr(0, 6)) == std::string::npos);
            CHECK(settings.error().message.find(kKey.substr(kKey.size() - 6)) == std::string::npos);
        }
    }
}
