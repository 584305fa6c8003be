package dev.plumbline.module.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.SheetModule;
import dev.plumbline.config.Config;
import dev.plumbline.lab.RegistryFixture;
import dev.plumbline.lab.RegistryResponses;
import dev.plumbline.lab.WhoisLab;
import dev.plumbline.probe.registry.RegistrationLookup;
import dev.plumbline.probe.registry.RegistrationRecord;
import dev.plumbline.probe.registry.RegistrationSource;
import dev.plumbline.probe.registry.WhoisProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorAction;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.TestCheckContext;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DomainRegistrationTest {
    private static final ModuleDefinition<RegistrationLookup> MODULE = SheetModule.load(new DomainRegistration());
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private RegistryFixture fixture;

    @BeforeEach
    void start(@TempDir Path folder) {
        fixture = new RegistryFixture(folder, "com");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private CheckResult check(String domain) {
        return check(domain, "auto");
    }

    private CheckResult check(String domain, String source) {
        return fixture.check(MODULE, domain, Map.of("source", source), 10_000);
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    @Test
    void usesRdapFirst() {
        fixture.page("/rdap/domain/example.com", 200, RegistryResponses.RDAP);

        CheckResult result = check("www.example.com");

        assertThat(result.fields())
                .containsEntry("registered", true)
                .containsEntry("registrable_domain", "example.com")
                .containsEntry("registrar", "Registrar Test, Inc.")
                .containsEntry("iana_id", 376)
                .containsEntry("expires", Instant.parse("2035-08-13T04:00:00Z"))
                .containsEntry("dnssec_signed", true)
                .containsEntry("abuse_email", "abuse@registrar.test")
                .containsEntry("source_used", "rdap")
                .containsEntry("supported", true);
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(fixture.iana().queries()).isEmpty();
    }

    @Test
    void reportsNotRegisteredIfRdapReturns404() {
        CheckResult result = check("example.com");

        assertThat(result.fields()).containsEntry("registered", false).containsEntry("supported", true);
        assertThat(codes(result)).containsExactly("not_registered");
        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
    }

    @Test
    void reservesMemoryForWhoisResponses() {
        MemoryHolder memory =
                new MemoryBudget(fixture.vertx(), MemoryBudget.CHECK_BYTES, 1).open("test", MemoryBudget.CHECK_BYTES);

        Await.value(Await.onLoop(fixture.vertx(), () -> fixture.whoisProbe()
                .lookup(TestCheckContext.create().withMemory(memory), "example.test")));

        assertThat(fixture.iana().queries()).containsExactly("test");
        assertThat(memory.peak()).isGreaterThan(WhoisProbe.MAX_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"co.uk", "com.br", "org.uk"})
    void rejectsPublicSuffixes(String ending) {
        CheckResult result = check(ending);

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.INVALID_TARGET);
        assertThat(result.error().message()).contains(ending + " is a public suffix", "Enter a domain below it");
        assertThat(fixture.rdapPaths()).isEmpty();
        assertThat(fixture.iana().queries()).isEmpty();
    }

    @Test
    void followsRdapRedirects() {
        fixture.page("/rdap/domain/example.com", request -> request.response()
                .setStatusCode(302)
                .putHeader("location", "/elsewhere/example.com")
                .end());
        fixture.page("/elsewhere/example.com", 200, RegistryResponses.RDAP);

        assertThat(check("example.com").fields()).containsEntry("source_used", "rdap");
    }

    @ParameterizedTest
    @ValueSource(strings = {"500", "429", "200 {}", "200 <html>", "200 other", "200 entity", "200 huge", "reset"})
    void usesWhoisIfRdapFails(String failure) {
        fixture.page("/rdap/domain/example.com", request -> {
            if (failure.equals("reset")) {
                request.connection().close();
                return;
            }
            String[] words = failure.split(" ");
            String body = words.length == 1 ? "" : words[1];
            body = switch (body) {
                case "huge" -> "[" + " ".repeat(400_000) + "]";
                case "other" -> RegistryResponses.RDAP.replace("EXAMPLE.COM", "EXAMPLE.NET");
                case "entity" -> RegistryResponses.RDAP.replaceFirst("\"domain\"", "\"entity\"");
                default -> body;
            };
            request.response().setStatusCode(Integer.parseInt(words[0])).end(body);
        });
        fixture.registry("com").respond("domain example.com", RegistryResponses.VERISIGN.formatted(""));

        CheckResult result = check("example.com");

        assertThat(result.fields())
                .containsEntry("source_used", "whois")
                .containsEntry("registrar", "Registrar Test, Inc.");
        assertThat(codes(result)).containsExactly("rdap_failed");
        assertThat(check("example.com", "rdap").error()).isNotNull();
    }

    @Test
    void usesOnlyWhoisIfSelected() {
        fixture.page("/rdap/domain/example.com", 200, RegistryResponses.RDAP);
        WhoisLab com = fixture.registry("com").respond("domain example.com", RegistryResponses.VERISIGN);

        assertThat(check("example.com", "whois").fields()).containsEntry("source_used", "whois");
        assertThat(check("example.com", "whois").fields()).containsEntry("source_used", "whois");

        assertThat(fixture.rdapPaths()).isEmpty();
        assertThat(com.queries()).containsExactly("domain example.com", "domain example.com");
        assertThat(fixture.iana().queries()).as("IANA is queried once").containsExactly("com");
    }

    @Test
    void followsTheReferralOfAThinRegistry() {
        WhoisLab registrar = fixture.whois("whois.registrar.test");
        String where = "whois.registrar.test:" + registrar.port();
        registrar.respond("example.com", RegistryResponses.REGISTRAR.formatted(where));
        fixture.registry("com").respond("domain example.com", RegistryResponses.VERISIGN.formatted(where));

        CheckResult result = check("example.com", "whois");

        assertThat(result.fields())
                .containsEntry("registrar", "Registrar Test, Inc.")
                .containsEntry("abuse_email", "abuse@registrar.test");
        assertThat(registrar.queries()).as("a referral to itself is ignored").hasSize(1);
    }

    @Test
    void stopsAtReferralLoops() {
        WhoisLab one = fixture.registry("one");
        WhoisLab other = fixture.whois("other.test");
        one.respond("a.one", "Domain Name: a.one\nRegistrar: A\nRegistrar WHOIS Server: other.test:" + other.port());
        one.respond("domain a.one", "unused");
        other.respond("a.one", "Registrar: B\nWhois Server: whois.one.test:" + one.port());

        CheckResult result = check("a.one");

        assertThat(result.fields()).containsEntry("registrar", "A");
        assertThat(one.queries()).hasSize(1);
        assertThat(other.queries()).hasSize(1);
    }

    @Test
    void ignoresReferralsToOtherPorts() {
        WhoisLab elsewhere = WhoisLab.start(fixture.vertx());
        fixture.name("elsewhere.test");
        String where = "elsewhere.test:" + elsewhere.port();
        fixture.registry("org")
                .respond("example.org", "Domain: example.org\nRegistrar: A\nWhois Server: " + where + "\n");
        fixture.iana().respond("net", "domain: NET\n\nwhois: " + where + "\n");

        assertThat(check("example.org").fields()).containsEntry("registrar", "A");
        assertThat(check("example.net").error().code()).isEqualTo(ErrorCode.UNSUPPORTED_TLD);
        assertThat(elsewhere.queries()).isEmpty();
    }

    @Test
    void waitsForTheWhoisRateLimitAfterRdapFailed(@TempDir Path folder) {
        try (RegistryFixture slow = new RegistryFixture(folder, new Config.OutboundLimit(1, 1), "com")) {
            slow.page("/rdap/domain/example.com", 500, "");
            slow.registry("com").respond("domain example.com", RegistryResponses.VERISIGN.formatted(""));
            slow.check(MODULE, "example.com", Map.of("source", "whois"), 10_000);

            CheckResult result = slow.checkWithoutWaiting(MODULE, "example.com", Map.of());

            assertThat(result.fields()).containsEntry("source_used", "whois");
            assertThat(slow.rdapPaths()).hasSize(1);
        }
    }

    /** The values of the registrar must not disappear because this service limits the queries to its server. */
    @Test
    void aReferralWaitsForTheRateLimitOrFailsTheCheck(@TempDir Path folder) {
        try (RegistryFixture slow = new RegistryFixture(folder, new Config.OutboundLimit(1, 1))) {
            WhoisLab registrar = slow.whois("whois.registrar.test");
            String where = "whois.registrar.test:" + registrar.port();
            registrar.respond("example.com", RegistryResponses.REGISTRAR.formatted(where));
            registrar.respond(
                    "example.net", RegistryResponses.REGISTRAR.formatted(where).replace(".com", ".net"));
            slow.registry("net")
                    .respond(
                            "domain example.net",
                            RegistryResponses.VERISIGN.formatted(where).replace(".COM", ".NET"));
            slow.registry("com").respond("domain example.com", RegistryResponses.VERISIGN.formatted(where));
            Map<String, String> whois = Map.of("source", "whois");
            slow.check(MODULE, "example.net", whois, 10_000);
            slow.check(MODULE, "example.com", whois, 10_000);

            CheckResult waited = slow.checkWithoutWaiting(MODULE, "example.net", whois);
            assertThat(waited.fields()).containsEntry("abuse_email", "abuse@registrar.test");

            assertThatThrownBy(() -> slow.check(MODULE, "example.com", whois, 400))
                    .hasCauseInstanceOf(OverloadFailure.class);
        }
    }

    /** A thin registry, whose expiry date only the registrar publishes. */
    private WhoisLab thinRegistry() {
        WhoisLab registrar = fixture.whois("whois.registrar.test");
        fixture.registry("com")
                .respond(
                        "domain example.com",
                        "Domain Name: EXAMPLE.COM\nRegistrar: Registrar Test, Inc.\nCreation Date: 2000-01-01T00:00:00Z\n"
                                + "Name Server: NS1.EXAMPLE.NET\nName Server: NS2.EXAMPLE.NET\n"
                                + "Registrar WHOIS Server: whois.registrar.test:" + registrar.port() + "\n");
        return registrar;
    }

    private static void assertReferralFailed(CheckResult result, String reason) {
        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("registered", true)
                .containsEntry("registrar", "Registrar Test, Inc.")
                .containsEntry("nameservers", List.of("ns1.example.net", "ns2.example.net"))
                .containsEntry("expires", null)
                .containsEntry("abuse_email", null);
        assertThat(codes(result)).containsExactly("referral_failed");
        assertThat(result.findings().get(0).message()).contains(reason);
    }

    /** The registry's response is complete, and only the values of the registrar are unknown. */
    @Test
    void keepsTheResponseOfTheRegistryIfTheRegistrarDoesNotRespond() {
        WhoisLab registrar = thinRegistry().behave("example.com", NetSocket::close);

        assertReferralFailed(check("example.com", "whois"), "whois.registrar.test closed the connection");
        registrar.respond("example.com", "WHOIS LIMIT EXCEEDED\n");
        assertReferralFailed(check("example.com", "whois"), "because of its rate limit");
        registrar.behave("example.com", silent -> {});
        assertReferralFailed(
                fixture.check(MODULE, "example.com", Map.of("source", "whois"), 1_500),
                "did not complete the response in time");
    }

    @Test
    void statesThatALimitOfTheServicePreventedAReferral() {
        WhoisLab registrar = thinRegistry();

        // IANA and the registry
        CheckResult result = fixture.checkWithRequests(MODULE, "example.com", Map.of("source", "whois"), 2);

        assertReferralFailed(result, "The check exceeded its limit of outbound requests.");
        assertThat(registrar.queries()).isEmpty();
    }

    @Test
    void ignoresReferralsToPrivateAddresses() {
        WhoisLab org = fixture.registry("org");
        org.respond("example.org", "Registrar: A\nCreation Date: 2000-01-01\nRegistrar WHOIS Server: 10.0.0.1:22\n");

        assertThat(check("example.org").fields())
                .containsEntry("registrar", "A")
                .containsEntry("source_used", "whois");
    }

    @ParameterizedTest
    @CsvSource({
        "example.org, example.org, ORG",
        "example.de, '-T dn,ace example.de', DE",
        "example.co.uk, example.co.uk, UK",
        "example.fr, example.fr, FR",
        "example.jp, example.jp/e, JP",
        "example.com.br, example.com.br, BR",
        "example.eu, example.eu, EU"
    })
    void usesTheQueryFormatOfEachRegistry(String domain, String question, String answer) throws Exception {
        String text = (String) RegistryResponses.class.getDeclaredField(answer).get(null);
        fixture.registry(domain.substring(domain.lastIndexOf('.') + 1)).respond(question, text);

        CheckResult result = check("www." + domain);

        assertThat(result.fields()).containsEntry("registrable_domain", domain).containsEntry("registered", true);
        assertThat((List<?>) result.fields().get("nameservers")).hasSize(2);
    }

    @Test
    void decodesLatin1IfNotUtf8() {
        byte[] latin = "Domain: example.org\nRegistrar: São Paulo Registros\n".getBytes(StandardCharsets.ISO_8859_1);
        fixture.registry("org").respond("example.org", latin);

        assertThat(check("example.org").fields()).containsEntry("registrar", "São Paulo Registros");
    }

    @Test
    void reportsUnsupportedTopLevelDomains() {
        fixture.iana().respond("nowhere", "% IANA WHOIS server\n\ndomain: NOWHERE\nstatus: ACTIVE\n");

        CheckResult result = check("example.nowhere");

        assertThat(result.error().code()).isEqualTo(ErrorCode.UNSUPPORTED_TLD);
        assertThat(result.fields())
                .containsEntry("supported", false)
                .containsEntry("source_used", "none")
                .containsEntry("registered", null);
    }

    @Test
    void reportsTheRateLimitOfTheServer() {
        fixture.registry("org").respond("example.org", "WHOIS LIMIT EXCEEDED\n");

        assertThat(check("example.org").error().code()).isEqualTo(ErrorCode.RATE_LIMITED);
    }

    /** The name is not the one that the user entered. */
    @Test
    void aRegistryServerWithoutAddressIsNotAnErrorOfTheDomain() {
        fixture.iana().respond("org", "domain: ORG\n\nwhois: missing.test\n");

        CheckError error = check("example.org").error();

        assertThat(error.code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        assertThat(error.code().targetFault()).isFalse();
        assertThat(error.message())
                .startsWith("The query to the registry server missing.test")
                .contains("The name missing.test does not exist");
        assertThat(ErrorAction.of(error.code())).doesNotContain("spelling");
    }

    @Tag("integration")
    @Test
    void limitsHostileServers() {
        WhoisLab org = fixture.registry("org");
        byte[] noise = new byte[100_000];
        new Random(1).nextBytes(noise);
        org.respond("noise.org", noise)
                .respond("empty.org", "")
                .endless("endless.org", () -> Buffer.buffer("Registrar: A\r\n".repeat(1_000)))
                .endless("line.org", WhoisLab::hugeLine)
                .dripping("slow.org")
                .behave("silent.org", socket -> {});

        assertThat(check("noise.org").error()).isNull();
        assertThat(codes(check("noise.org"))).containsExactly("response_unrecognized");
        assertThat(check("empty.org").error().code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        assertThat(check("endless.org").error().code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        assertThat(check("line.org").error().code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        for (String slow : List.of("slow.org", "silent.org")) {
            CheckResult result = fixture.check(MODULE, slow, Map.of(), 1_500);
            assertThat(result.error().code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        }
    }

    @Tag("integration")
    @Test
    void agreesWithTheWhoisClientOfDebian() throws Exception {
        Path whois = DebianTool.require("whois");
        WhoisLab org = fixture.registry("org").respond("example.org", RegistryResponses.ORG);
        Process process = new ProcessBuilder(whois.toString(), "-h", "127.0.0.2", "-p", "" + org.port(), "example.org")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();

        Map<String, Object> fields = check("example.org").fields();

        assertThat(output).contains("Registrar: " + fields.get("registrar") + "\n");
        assertThat(output).contains("Registrar IANA ID: " + fields.get("iana_id") + "\n");
        assertThat(output).contains("Registry Expiry Date: " + fields.get("expires") + "\n");
        assertThat(output.lines().filter(line -> line.startsWith("Name Server: ")))
                .hasSameSizeAs((List<?>) fields.get("nameservers"));
        assertThat(org.queries()).as("both send the same query").containsExactly("example.org", "example.org");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = '|',
            value = {
                "2030-01-01T00:00:00Z | clientTransferProhibited | a.x b.x | true | ",
                "2026-01-31T12:00:00Z | clientTransferProhibited | a.x b.x | true | ",
                "2026-01-31T11:00:00Z | clientTransferProhibited | a.x b.x | true | registration_expires_soon",
                "2026-01-01T11:00:00Z | clientTransferProhibited | a.x b.x | true | registration_expired",
                "- | clientTransferProhibited | a.x b.x | true | expiry_unknown",
                "2030-01-01T00:00:00Z | ok | a.x b.x | true | no_transfer_lock",
                "2030-01-01T00:00:00Z | connect | a.x b.x | true | ",
                "2030-01-01T00:00:00Z | clientHold serverTransferProhibited | a.x b.x | true | on_hold",
                "2030-01-01T00:00:00Z | redemptionPeriod | a.x b.x | true | about_to_be_deleted",
                "2030-01-01T00:00:00Z | connect | - | true | no_nameservers",
                "2030-01-01T00:00:00Z | connect | a.x | true | single_nameserver",
                "2030-01-01T00:00:00Z | connect | a.x b.x | false | dnssec_unsigned"
            })
    void evaluatesFindingsFromEvidence(
            @Nullable Instant expires,
            String statuses,
            @Nullable String nameservers,
            boolean signed,
            @Nullable String code) {
        RegistrationRecord registration = new RegistrationRecord(
                true,
                "R",
                1,
                null,
                null,
                expires,
                List.of(statuses.split(" ")),
                nameservers == null ? List.of() : List.of(nameservers.split(" ")),
                signed,
                null,
                EnumSet.allOf(RegistrationRecord.Part.class));

        assertThat(codes(registration, null)).isEqualTo(code == null ? List.of() : List.of(code));
        assertThat(codes(RegistrationRecord.UNKNOWN, new CheckError(ErrorCode.READ_TIMEOUT, "Timeout.")))
                .containsExactly("response_unrecognized", "rdap_failed");
    }

    @Test
    void doesNotReportAbsenceIfTheParserIsIncomplete() {
        RegistrationRecord registration = new RegistrationRecord(
                true, "R", 1, null, null, null, List.of("ok"), List.of("a.x"), null, null, Set.of());

        assertThat(codes(registration, null)).isEmpty();
        assertThat(codes(registration.or(RegistrationRecord.UNKNOWN), null)).isEmpty();
    }

    private static List<String> codes(RegistrationRecord registration, @Nullable CheckError rdapError) {
        return MODULE
                .evaluate(
                        new RegistrationLookup(
                                "example.com", NOW, registration, RegistrationSource.RDAP, rdapError, null),
                        Options.defaults(MODULE.description()))
                .findings()
                .stream()
                .map(Finding::code)
                .toList();
    }
}
