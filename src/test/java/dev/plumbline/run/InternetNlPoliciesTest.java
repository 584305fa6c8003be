package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.lab.ScriptedTlsServer;
import dev.plumbline.lab.domain.DomainOverview;
import dev.plumbline.lab.domain.DomainSpec;
import dev.plumbline.lab.domain.FaultCatalogue;
import dev.plumbline.lab.domain.PortState;
import dev.plumbline.policy.BuiltInPolicies;
import dev.plumbline.policy.ExpressionPrograms;
import dev.plumbline.policy.InvalidPolicyException;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.policy.PolicyReader;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.ReverseMap;

/** The policies for the subtests of internet.nl, for {@code overview} of a domain that passes them and of others. */
@Tag("integration")
class InternetNlPoliciesTest {
    private static final String PREFIX = "internet_nl_";
    private static final String NEXT_KEY = "_25._tcp.mail TLSA 3 1 1 " + "11".repeat(32);

    /** Authorizes AS64496 to announce the networks of the domains. */
    private static final String PAYLOADS =
            """
            {"roas": [{"asn": 64496, "prefix": "127.16.0.0/12", "maxLength": 12},
                      {"asn": 64496, "prefix": "fd00:19::/32", "maxLength": 32}]}
            """;

    private static final int AUTHORIZED = 64496;
    private static final int OTHER = 64497;
    private static final int TLS12 = 0x0303;
    private static final int ECDHE_ECDSA_AES_128_GCM = 0xc02b;
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    /** Changes of the domain that are not faults of other tests. */
    private static final Map<String, Consumer<DomainSpec>> CHANGES = Map.ofEntries(
            entry(
                    "no AAAA records of nameservers",
                    domain -> domain.zone().remove("ns1", "AAAA").remove("ns2", "AAAA")),
            entry("AAAA record of one nameserver", domain -> domain.zone().remove("ns2", "AAAA")),
            entry("no AAAA record of the mail server", domain -> domain.zone().remove("mail", "AAAA")),
            entry("port 25 closed over IPv6", domain -> domain.mail().ipv6(PortState.REFUSED)),
            entry("nginx", domain -> domain.site().nginx("")),
            entry("0-RTT", domain -> domain.site().nginx("ssl_protocols TLSv1.2 TLSv1.3; ssl_early_data on;")),
            entry("no extended master secret", domain -> domain.site()
                    .nginx("ssl_conf_command Options -ExtendedMasterSecret;")),
            entry("key exchange with SHA-1", domain -> domain.site()
                    .nginx("ssl_conf_command SignatureAlgorithms ECDSA+SHA256:ECDSA+SHA1;"
                            + " ssl_ciphers ECDHE+AESGCM:@SECLEVEL=0;")),
            entry("RSA key exchange", domain -> domain.site()
                    .certificate(spec -> spec.key("RSA-2048"))
                    .nginx("ssl_ciphers ECDHE+AESGCM:AES128-GCM-SHA256;")),
            entry("cipher suites in the order of the client", domain -> domain.site()
                    .nginx("ssl_prefer_server_ciphers off;"
                            + " ssl_ciphers ECDHE+AESGCM:ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA384;")),
            entry("insufficient key exchange group", domain -> domain.site()
                    .nginx("ssl_protocols TLSv1.2 TLSv1.3; ssl_ecdh_curve X25519:prime256v1:ffdhe2048;")),
            entry("stapled response tryLater", domain -> domain.site()
                    .nginx("ssl_stapling on; ssl_stapling_file FOLDER/staple.der;")),
            entry("certificate signed with SHA-1", domain -> domain.site().certificate(spec -> spec.digest("SHA1"))),
            entry("TLS compression", domain -> domain.site().scripted(scripted().compressing())),
            entry("no secure renegotiation", domain -> domain.site()
                    .scripted(scripted().extensions(ScriptedTlsServer.EXTENDED_MASTER_SECRET))),
            entry("client-initiated renegotiation", domain -> domain.site()
                    .openssl(
                            "-client_renegotiation",
                            "-tls1_2",
                            "-cipher",
                            "ECDHE+AESGCM",
                            "-curves",
                            "X25519:P-256",
                            "-serverpref")),
            entry("compression", domain -> domain.site().withCompression()),
            entry("TLS 1.0 of the mail server", domain -> domain.mail().withLegacyTls()),
            entry("insufficient key exchange group of the mail server", domain -> domain.mail()
                    .tls13(true)),
            entry("invalid route of the website", domain -> announce(domain, "@", OTHER)),
            entry("invalid route of the mail server", domain -> announce(domain, "mail", OTHER)),
            entry("invalid route of a nameserver", domain -> announce(domain, "ns2", OTHER)),
            entry("route of the website without ROA", domain -> announceWithoutRoa(domain, "@")),
            entry("route of the mail server without ROA", domain -> announceWithoutRoa(domain, "mail")),
            entry("route of a nameserver without ROA", domain -> announceWithoutRoa(domain, "ns2")),
            entry("CAA records removed", domain -> domain.zone().remove("@", "CAA")),
            entry("no X-Frame-Options", domain -> domain.site().header("x-frame-options", "")),
            entry("framing by all", domain -> domain.site().header("x-frame-options", "ALLOWALL")),
            entry("Referrer-Policy unsafe-url", domain -> domain.site().header("referrer-policy", "unsafe-url")),
            entry("no TLSA record", domain -> {
                domain.zone().remove("_25._tcp.mail", "TLSA");
                domain.mail().withoutTlsa();
            }),
            entry("one TLSA record", domain -> domain.zone().remove("_25._tcp.mail", "TLSA")));

    @TempDir
    static Path folder;

    private static DomainOverview overview;

    @BeforeAll
    static void start() throws Exception {
        Path payloads = Files.writeString(folder.resolve("payloads.json"), PAYLOADS);
        overview = new DomainOverview(
                folder,
                Map.of(
                        "PLUMBLINE_RPKI_VALIDATOR",
                        payloads.toString(),
                        "PLUMBLINE_ASN_ZONES",
                        "ipv4=origin.lab,ipv6=origin6.lab"));
    }

    @AfterAll
    static void stop() {
        if (overview != null) {
            overview.close();
        }
    }

    /** A server with TLS 1.2 and one cipher suite. */
    private static ScriptedTlsServer scripted() {
        return ScriptedTlsServer.create().accepts(TLS12, ECDHE_ECDSA_AES_128_GCM);
    }

    private static Map.Entry<String, Consumer<DomainSpec>> entry(String name, Consumer<DomainSpec> change) {
        return Map.entry(name, change);
    }

    private static ModuleDescription module(String name) {
        ModuleDefinition<?> found = MODULES.find(name);
        return found == null ? null : found.description();
    }

    private static PolicyEvaluation.Evaluated evaluate(String policy, CheckResult result)
            throws InvalidPolicyException {
        PolicyReader reader = new PolicyReader(InternetNlPoliciesTest::module, new ExpressionPrograms());
        return new PolicyEvaluation(
                        Objects.requireNonNull(module("overview")),
                        reader.read(policy, BuiltInPolicies.yaml(policy)),
                        List.of(),
                        LocalDate.EPOCH)
                .apply(result);
    }

    /** The subtests that are not passed. */
    private static Set<String> failed(String policy, CheckResult result) throws InvalidPolicyException {
        return evaluate(policy, result).result().findings().stream()
                .map(Finding::code)
                .filter(code -> code.startsWith(PREFIX))
                .map(code -> code.substring(PREFIX.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static CheckResult check(Consumer<DomainSpec> change) {
        return overview.check(List.of(InternetNlPoliciesTest::passAllSubtests, change))
                .result();
    }

    private static void announce(DomainSpec domain, String host, int asn) {
        announce(domain, host, asn, "127.16.0.0/12", "fd00:19::/32");
    }

    /** A prefix of which the ROA contains only a part. */
    private static void announceWithoutRoa(DomainSpec domain, String host) {
        announce(domain, host, AUTHORIZED, "127.0.0.0/8", "fd00::/16");
    }

    /** Changes the origin AS and the prefix of the addresses of a host, in the form of the zones of Team Cymru. */
    private static void announce(DomainSpec domain, String host, int asn, String ipv4, String ipv6) {
        for (String ip : domain.zone().addressesOf(host)) {
            InetAddress address = Objects.requireNonNull(IpAddressText.parse(ip));
            boolean v4 = address.getAddress().length == 4;
            String zone = v4 ? "origin.lab" : "origin6.lab";
            String name =
                    ReverseMap.fromAddress(address).toString().replaceFirst("\\.(in-addr|ip6)\\.arpa\\.$", "." + zone);
            overview.resolver()
                    .removeRecords(name)
                    .record("%s. 60 IN TXT \"%d | %s | | |\"".formatted(name, asn, v4 ? ipv4 : ipv6));
        }
    }

    /** Changes what internet.nl reports, but what is not a fault. */
    private static void passAllSubtests(DomainSpec domain) {
        domain.site().withoutCompression().withoutTls13();
        domain.mail().tls13(false);
        domain.zone().record(NEXT_KEY);
        List.of("@", "mail", "ns1", "ns2").forEach(host -> announce(domain, host, AUTHORIZED));
    }

    @Test
    void domainWithoutFaultsPassesAllSubtests() throws InvalidPolicyException {
        CheckResult result = check(domain -> {});

        assertThat(failed("internet-nl-website", result)).isEmpty();
        assertThat(failed("internet-nl-mail", result)).isEmpty();
        assertThat(evaluate("internet-nl-website", result).policy().text()).isEqualTo("36 of 36");
        assertThat(evaluate("internet-nl-mail", result).policy().text()).isEqualTo("37 of 37");
    }

    /** A subtest is not passed, too, if it was not determined because of the fault. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no AAAA record                                   | web_aaaa web_ipv46 web_reach | ",
                "no response over IPv6                            | web_ipv46 web_reach    | ",
                "no AAAA records of nameservers | ns_aaaa ns_reach | ns_aaaa ns_reach",
                "AAAA record of one nameserver                    | ns_aaaa                | ns_aaaa",
                "silent nameserver                                | ns_reach               | ns_reach",
                "no AAAA record of the mail server                |                        | mx_aaaa mx_reach",
                "port 25 closed over IPv6                         |                        | mx_reach",
                "zone not signed | dnssec_exists | dnssec_exists dnssec_mx_exists",
                "HTTP without redirect to HTTPS                   | https_forced           | ",
                "no HSTS                                          | https_hsts             | ",
                "short HSTS                                       | https_hsts             | ",
                "no CSP                                           | http_csp               | ",
                "CSP with inline scripts                          | http_csp               | ",
                "no X-Content-Type-Options                        | http_x_content_type    | ",
                "no X-Frame-Options                               | http_x_frame           | ",
                "framing by all                                   | http_x_frame           | ",
                "Referrer-Policy unsafe-url                       | http_referrer_policy   | ",
                "no security.txt                                  | http_securitytxt       | ",
                "CAA records removed                              | web_caa                | mail_caa",
                "invalid route of the website                     | web_rpki_valid         | ",
                "invalid route of the mail server                 |                        | mail_rpki_valid",
                "invalid route of a nameserver | ns_rpki_valid | mail_mx_ns_rpki_valid ns_rpki_valid",
                "route of the website without ROA | web_rpki_exists web_rpki_valid | ",
                "route of the mail server without ROA | | mail_rpki_exists mail_rpki_valid",
                "route of a nameserver without ROA | ns_rpki_exists ns_rpki_valid | "
                        + "mail_mx_ns_rpki_exists mail_mx_ns_rpki_valid ns_rpki_exists ns_rpki_valid",
                "compression                                      | http_compression       | ",
                "nginx                                            |                        | ",
                "0-RTT                                            | zero_rtt               | ",
                "no extended master secret                        | extended_master_secret | ",
                "key exchange with SHA-1                          | kex_hash_func          | ",
                "RSA key exchange                                 | tls_ciphers            | ",
                "cipher suites in the order of the client         | tls_cipher_order       | ",
                "insufficient key exchange group                  | fs_params              | ",
                "stapled response tryLater                        | ocsp_stapling          | ",
                "weak key                                         | cert_pubkey            | ",
                "certificate signed with SHA-1                    | cert_signature         | ",
                "TLS compression                                  | tls_compression        | ",
                "no secure renegotiation            | renegotiation_client renegotiation_secure | ",
                "client-initiated renegotiation                   | renegotiation_client   | ",
                "TLS 1.0 enabled                                  | kex_hash_func tls_ciphers tls_version | ",
                "certificate of another host                      | cert_hostmatch         | ",
                "certificate of an unknown CA                     | cert_trust             | ",
                "TLS 1.0 of the mail server |  | kex_hash_func tls_ciphers tls_version",
                "insufficient key exchange group of the mail server |  | fs_params",
                "no STARTTLS |  | starttls_exists cert_hostmatch cert_pubkey cert_signature cert_trust dane_valid",
                "certificate of the mail server for another host  |                        | cert_hostmatch",
                "self-signed certificate of the mail server       |                        | cert_trust",
                "no TLSA record                                   |                        | dane_exists",
                "one TLSA record                                  |                        | dane_rollover",
                "TLSA record of another key                       |                        | dane_valid",
                "no SPF record                                    |                        | spf spf_policy",
                "two SPF records |  | spf spf_policy",
                "SPF allows everyone                              |                        | spf_policy",
                "no DMARC record                                  |                        | dmarc dmarc_policy",
                "DMARC policy none                                |                        | dmarc_policy",
                "no DKIM key                                      |                        | dkim",
            })
    void eachFaultFailsItsSubtests(String fault, String website, String mail) throws InvalidPolicyException {
        Consumer<DomainSpec> change = CHANGES.get(fault);
        CheckResult result = check(change == null ? FaultCatalogue.fault(fault) : change);

        assertThat(failed("internet-nl-website", result)).isEqualTo(names(website));
        assertThat(failed("internet-nl-mail", result)).isEqualTo(names(mail));
    }

    /** Other subtests are not determined without HTTPS or DNS. */
    @ParameterizedTest
    @CsvSource({"port 443 closed, https_exists, ", "DS record of another key, dnssec_valid, dnssec_valid"})
    void faultsThatPreventOtherSubtestsFailTheirOwn(String fault, String website, @Nullable String mail)
            throws InvalidPolicyException {
        CheckResult result = check(FaultCatalogue.fault(fault));

        assertThat(failed("internet-nl-website", result)).contains(website).doesNotContain("dnssec_exists");
        assertThat(failed("internet-nl-mail", result)).containsAll(names(mail)).doesNotContain("dnssec_exists");
    }

    private static Set<String> names(String list) {
        return list == null ? Set.of() : new TreeSet<>(List.of(list.split(" ")));
    }
}
