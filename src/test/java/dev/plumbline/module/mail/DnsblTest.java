package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.Dnsbl.Evidence;
import dev.plumbline.probe.dns.DnsblLookup;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Rcode;

class DnsblTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Dnsbl());

    /** 2001:db8::25 and the positive test entry of IPv6 (RFC 5782 sections 2.4 and 5). */
    private static final String V6 = "5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.";

    private static final String V6_TEST = "2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.";

    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
        fixture.dns()
                .address("clean.test", "192.0.2.1")
                .address("bad.test", "192.0.2.1", "192.0.2.66")
                .address("six.test", "2001:db8::25")
                .address("hidden.test", "10.1.2.3")
                .empty("nothing.test")
                .behave("lame.test", DnsFaults.rcode(Rcode.SERVFAIL))
                // bl.test and second.test: in service
                .record("2.0.0.127.bl.test. 60 IN A 127.0.0.2")
                .record(V6_TEST + "bl.test. 60 IN A 127.0.0.2")
                .record("66.2.0.192.bl.test. 60 IN A 127.0.0.2")
                .record("66.2.0.192.bl.test. 60 IN A 127.0.0.10")
                .record("66.2.0.192.bl.test. 60 IN TXT \"https://bl.test/\" \"?192.0.2.66\"")
                .record(V6 + "bl.test. 60 IN A 127.0.0.3")
                .record("2.0.0.127.second.test. 60 IN A 127.0.0.2")
                // all.test lists each address, refusing.test returns an error code, foreign.test another address
                .record("2.0.0.127.all.test. 60 IN A 127.0.0.2")
                .record("1.0.0.127.all.test. 60 IN A 127.0.0.2")
                .record("1.2.0.192.all.test. 60 IN A 127.0.0.2")
                .record("1.2.0.192.refusing.test. 60 IN A 127.255.255.254")
                .record("1.2.0.192.refusing.test. 60 IN TXT \"Error: open resolver\"")
                .record("2.0.0.127.foreign.test. 60 IN A 127.0.0.2")
                .record("1.2.0.192.foreign.test. 60 IN A 10.9.8.7")
                .behave("1.2.0.192.broken.test", DnsFaults.rcode(Rcode.SERVFAIL));
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "clean.test, 'bl.test,second.test', PASS, -, ''",
                "192.0.2.1, bl.test, PASS, -, ''",
                "192.0.2.66, bl.test, FAIL, -, listed",
                "bad.test, 'bl.test,second.test', FAIL, -, listed",
                "six.test, bl.test, FAIL, -, listed",
                "2001:db8::25, BL.test., FAIL, -, listed",
                "2001:db8::26, bl.test, PASS, -, ''",
                "2001:db8::26, 'bl.test,second.test', PASS, -, zone_not_in_service",
                "clean.test, 'bl.test,dead.test', PASS, -, zone_not_in_service",
                "clean.test, 'bl.test,all.test', PASS, -, zone_not_reliable",
                "clean.test, 'bl.test,refusing.test', PASS, -, queries_refused",
                "clean.test, 'bl.test,foreign.test', PASS, -, zone_not_reliable",
                "clean.test, 'bl.test,broken.test', PASS, -, zone_failed",
                "clean.test, refusing.test, WARN, -, queries_refused no_reliable_response",
                "clean.test, broken.test, ERROR, dns_servfail, zone_failed",
                "clean.test, other.example, WARN, -, unknown_zones",
                "clean.test, 'bl.test,other.example', WARN, -, unknown_zones",
                "hidden.test, bl.test, ERROR, target_blocked, ''",
                "10.1.2.3, bl.test, ERROR, target_blocked, ''",
                "127.0.0.2, bl.test, ERROR, target_blocked, ''",
                "host.corp.example, bl.test, ERROR, target_blocked, ''",
                "missing.test, bl.test, ERROR, dns_nxdomain, ''",
                "nothing.test, bl.test, ERROR, dns_no_data, ''",
                "lame.test, bl.test, ERROR, dns_servfail, ''",
            })
    void reportsTheFindingsOfEachHost(
            String host, String zones, Verdict verdict, @Nullable String error, String codes) {
        CheckResult result = fixture.check(MODULE, host, "zones=" + zones);

        assertThat(codes(result.findings())).isEqualTo(codes.isEmpty() ? List.of() : Arrays.asList(codes.split(" ")));
        assertThat(result.error() == null ? null : result.error().code().id()).isEqualTo(error);
        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.fields().toString()).doesNotContain("10.9.8.7");
    }

    @Test
    void queriesAllZonesOfTheOperatorByDefault() {
        CheckResult result = fixture.check(MODULE, "bad.test", "");

        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("listed", true)
                .containsEntry("listed_count", 1)
                .containsEntry("checked_count", 2)
                .containsEntry("unanswered_count", 5);
        assertThat(String.valueOf(result.fields().get("results")))
                .startsWith("[{zone=bl.test, listed=true, codes=[127.0.0.10, 127.0.0.2],"
                        + " reason=https://bl.test/?192.0.2.66}, {zone=second.test, listed=false, codes=[], reason=null},"
                        + " {zone=dead.test, listed=null, codes=[], reason=null}");
        assertThat(result.findings().get(0).message())
                .isEqualTo("bl.test lists 192.0.2.66 with 127.0.0.2, 127.0.0.10.");
    }

    /** The operator of a blocklist must not receive private addresses. */
    @Test
    void doesNotSendPrivateAddresses() {
        fixture.check(MODULE, "hidden.test", "");
        fixture.check(MODULE, "10.1.2.3", "");

        for (String zone : DnsFixture.BLOCKLISTS) {
            assertThat(fixture.dns().queries("3.2.1.10." + zone)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.2, listed",
        "127.0.1.2, listed",
        "127.1.0.1, listed",
        "127.0.0.1, zone_not_reliable",
        "192.0.2.1, zone_not_reliable",
        "127.255.255.252, queries_refused",
        "127.255.255.255, queries_refused",
    })
    void interpretsCodes(String code, String finding) {
        Evaluation evaluation = evaluate(List.of(address(code)), List.of("x"), true, 1);

        assertThat(codes(evaluation.findings())).first().isEqualTo(finding);
        assertThat(evaluation.fields()).containsEntry("listed", finding.equals("listed"));
    }

    @Test
    void recognizesARefusalAmongOtherCodes() {
        Evaluation evaluation =
                evaluate(List.of(address("127.0.0.2"), address("127.255.255.254")), List.of("x"), true, 1);

        assertThat(codes(evaluation.findings())).containsExactly("queries_refused", "no_reliable_response");
    }

    @Test
    void doesNotReportAFailedLookupAsNotListed() {
        assertThat(fixture.check(MODULE, "clean.test", "zones=broken.test").fields())
                .containsEntry("listed", null)
                .containsEntry("unanswered_count", 1);
        assertThat(fixture.check(MODULE, "clean.test", "zones=bl.test,broken.test")
                        .fields())
                .containsEntry("listed", false)
                .containsEntry("unanswered_count", 1);
    }

    @Test
    void shortensAndCleansTheReason() {
        Evaluation evaluation =
                evaluate(List.of(address("127.0.0.2")), List.of("a\u0000\n" + "b".repeat(10_000)), true, 1);

        String results = String.valueOf(evaluation.fields().get("results"));
        assertThat(results).contains("reason=a. bbb").hasSizeLessThan(600);
    }

    @Test
    void reportsAddressesThatWereNotLookedUp() {
        assertThat(codes(evaluate(List.of(), List.of(), true, 7).findings())).containsExactly("addresses_omitted");
    }

    @Test
    void reportsThatTheOperatorDidNotConfigureAZone() {
        Evaluation evaluation = MODULE.evaluate(
                new Evidence(List.of(address("192.0.2.1")), true, List.of(), List.of(), List.of()),
                Options.defaults(MODULE.description()));

        assertThat(codes(evaluation.findings())).containsExactly("no_zones");
        assertThat(evaluation.fields()).containsEntry("checked_count", 0).containsEntry("listed", false);
    }

    /** The entries of BIND's zone, as dig reports them for the reversed addresses. */
    @Tag("integration")
    @Test
    void agreesWithDig(@TempDir Path folder) throws Exception {
        String zone =
                """
                2.0.0.127 60 IN A 127.0.0.2
                2.0.0.127 60 IN TXT "test entry"
                *.66.2.0 60 IN A 127.0.0.9
                66.2.0.192 60 IN A 127.0.0.4
                66.2.0.192 60 IN TXT "listed" " here"
                67.2.0.192 60 IN CNAME 66.2.0.192
                """;
        try (NamedServer named = NamedServer.start(folder, Map.of("bl.test", zone))) {
            for (int last = 65; last <= 68; last++) {
                CheckResult result = fixture.check(MODULE, named.address(), "192.0.2." + last, "zones=bl.test");
                String name = last + ".2.0.192.bl.test";
                List<String> codes = Dig.query(named.port(), "+short", name, "A").stream()
                        .filter(line -> !line.endsWith("."))
                        .toList();
                List<String> texts = Dig.texts(named.port(), name).stream()
                        .filter(line -> !line.endsWith("."))
                        .toList();
                assertThat(result.fields().get("results").toString())
                        .isEqualTo("[{zone=bl.test, listed=%s, codes=%s, reason=%s}]"
                                .formatted(!codes.isEmpty(), codes, texts.isEmpty() ? null : texts.get(0)));
            }
        }
    }

    private static Evaluation evaluate(List<InetAddress> codes, List<String> texts, boolean reliable, int addresses) {
        InetAddress address = address("192.0.2.1");
        List<InetAddress> all = IntStream.rangeClosed(1, addresses)
                .mapToObj(last -> address("192.0.2." + last))
                .toList();
        return MODULE.evaluate(
                new Evidence(
                        all,
                        true,
                        List.of(),
                        List.of("bl.test"),
                        Collections.singletonList(new DnsblLookup("bl.test", address, codes, texts, reliable, null))),
                Options.defaults(MODULE.description()));
    }

    private static InetAddress address(String text) {
        return IpAddressText.parse(text);
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }
}
