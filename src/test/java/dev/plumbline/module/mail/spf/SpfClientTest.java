package dev.plumbline.module.mail.spf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.spf.Spf.Evidence;
import dev.plumbline.module.mail.spf.SpfLookups.Question;
import dev.plumbline.module.mail.spf.SpfLookups.Response;
import dev.plumbline.module.mail.spf.SpfLookups.Status;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.NamedServer;
import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** The evaluation of a record for a client (RFC 7208 section 4). */
class SpfClientTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Spf());

    /** The zones of RFC 7208 appendix A. */
    private static final List<String> RECORDS = List.of(
            "example.com. 60 IN MX 10 mail-a.example.com.",
            "example.com. 60 IN MX 20 mail-b.example.com.",
            "example.org. 60 IN MX 10 mail-c.example.org.",
            "10.2.0.192.in-addr.arpa. 60 IN PTR example.com.",
            "65.2.0.192.in-addr.arpa. 60 IN PTR amy.example.com.",
            "66.2.0.192.in-addr.arpa. 60 IN PTR bob.example.com.",
            "140.2.0.192.in-addr.arpa. 60 IN PTR mail-c.example.org.",
            // a name that does not have the address
            "77.2.0.192.in-addr.arpa. 60 IN PTR bob.example.com.");

    private DnsFixture fixture;

    @BeforeEach
    void start() {
        fixture = DnsFixture.start();
        fixture.dns()
                .address("example.com", "192.0.2.10", "192.0.2.11")
                .address("amy.example.com", "192.0.2.65")
                .address("bob.example.com", "192.0.2.66")
                .address("mail-a.example.com", "192.0.2.129")
                .address("mail-b.example.com", "192.0.2.130")
                .address("mail-c.example.org", "192.0.2.140");
        RECORDS.forEach(fixture.dns()::record);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void text(String domain, String text) {
        fixture.dns().record(domain + ". 60 IN TXT \"" + text + '"');
    }

    private CheckResult check(String record, String options) {
        text("example.com", record);
        return fixture.check(MODULE, "example.com", options);
    }

    private static @Nullable Object result(CheckResult result) {
        return result.fields().get("result");
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                // RFC 7208 appendix A.1
                "v=spf1 +all, 198.51.100.1, pass, +all",
                "v=spf1 a -all, 192.0.2.10, pass, a",
                "v=spf1 a -all, 192.0.2.11, pass, a",
                "v=spf1 a -all, 192.0.2.12, fail, -all",
                "v=spf1 a:example.org -all, 192.0.2.140, fail, -all",
                "v=spf1 mx -all, 192.0.2.130, pass, mx",
                "v=spf1 mx:example.org -all, 192.0.2.140, pass, mx:example.org",
                "v=spf1 mx mx:example.org -all, 192.0.2.140, pass, mx:example.org",
                "v=spf1 mx/30 mx:example.org/30 -all, 192.0.2.131, pass, mx/30",
                "v=spf1 mx/30 mx:example.org/30 -all, 192.0.2.143, pass, mx:example.org/30",
                "v=spf1 mx/30 mx:example.org/30 -all, 192.0.2.132, fail, -all",
                "v=spf1 ptr -all, 192.0.2.65, pass, ptr",
                "v=spf1 ptr -all, 192.0.2.10, pass, ptr",
                "v=spf1 ptr -all, 192.0.2.140, fail, -all",
                "v=spf1 ptr -all, 192.0.2.77, fail, -all",
                "v=spf1 ptr -all, 192.0.2.200, fail, -all",
                "v=spf1 ip4:192.0.2.128/28 -all, 192.0.2.129, pass, ip4:192.0.2.128/28",
                "v=spf1 ip4:192.0.2.128/28 -all, 192.0.2.65, fail, -all",
                // others
                "v=spf1 ip4:192.0.2.128/28 -all, ::ffff:192.0.2.129, pass, ip4:192.0.2.128/28",
                "v=spf1 ip6:2001:db8::/33 ~all, 2001:db8:7fff::1, pass, ip6:2001:db8::/33",
                "v=spf1 ip6:2001:db8::/33 ~all, 2001:db8:8000::1, softfail, ~all",
                "v=spf1 a//0 -all, 2001:db8::1, fail, -all",
                "v=spf1 ip4:192.0.2.1, 192.0.2.2, neutral, none",
                "v=spf1 ?ip4:192.0.2.2 -all, 192.0.2.2, neutral, ?ip4:192.0.2.2",
                "v=spf1 redirect=other.example, 192.0.2.7, pass, ip4:192.0.2.7",
                "v=spf1 include:other.example -all, 192.0.2.7, pass, include:other.example",
                "v=spf1 include:other.example -all, 192.0.2.8, fail, -all",
                "v=spf1 include:none.example -all, 192.0.2.8, permerror, none",
                "v=spf1 ip4:192.0.2.8 nonsense -all, 192.0.2.8, permerror, none",
                "v=spf1 ip4:192.0.2.8 include:none.example -all, 192.0.2.8, pass, ip4:192.0.2.8",
                "v=spf1 a:lame.example -all, 192.0.2.8, temperror, none",
                "v=spf1 exists:%{p}.named.example -all, 192.0.2.65, pass, exists:%{p}.named.example",
                "v=spf1 exists:%{p}.named.example -all, 192.0.2.200, pass, exists:%{p}.named.example",
                "v=spf1 exists:%{p}.named.example -all, 192.0.2.66, fail, -all",
            })
    void evaluatesRecordsForAClient(String record, String ip, String result, @Nullable String matched) {
        text("other.example", "v=spf1 ip4:192.0.2.7 -all");
        fixture.dns()
                .behave("lame.example", DnsFaults.rcode(Rcode.SERVFAIL))
                .address("amy.example.com.named.example", "192.0.2.1")
                .address("unknown.named.example", "192.0.2.1");

        CheckResult checked = check(record, "client_ip=" + ip);

        assertThat(checked.fields()).containsEntry("result", result).containsEntry("matched", matched);
        assertThat(codes(checked)).contains("client_" + result);
    }

    @ParameterizedTest
    @CsvSource({
        "mary@example.com, 192.0.2.200, pass",
        "fred@example.com, 192.0.2.200, pass",
        "joel@example.com, 192.168.15.15, pass",
        "joel@example.com, 192.168.15.17, fail",
        "example.com, 192.0.2.200, fail",
    })
    void evaluatesTheExampleWithUsers(String sender, String ip, String result) {
        // RFC 7208 appendix A.3
        text("mobile-users._spf.example.com", "v=spf1 exists:%{l1r+}.%{d}");
        text("remote-users._spf.example.com", "v=spf1 exists:%{ir}.%{l1r+}.%{d}");
        fixture.dns()
                .address("mary.mobile-users._spf.example.com", "127.0.0.2")
                .address("fred.mobile-users._spf.example.com", "127.0.0.2")
                .address("15.15.168.192.joel.remote-users._spf.example.com", "127.0.0.2");

        CheckResult checked = check(
                "v=spf1 mx include:mobile-users._spf.%{d} include:remote-users._spf.%{d} -all",
                "client_ip=" + ip + "&sender=" + sender);

        assertThat(result(checked)).isEqualTo(result);
    }

    @Test
    void evaluatesTheExampleWithSeveralRequirements() {
        // RFC 7208 appendix A.4
        text("ip4._spf.example.com", "v=spf1 -ip4:192.0.2.0/24 +all");
        text("ptr._spf.example.com", "v=spf1 -ptr:example.com +all");
        String record = "v=spf1 -include:ip4._spf.%{d} -include:ptr._spf.%{d} +all";

        assertThat(result(check(record, "client_ip=192.0.2.65"))).isEqualTo("pass");
        assertThat(result(fixture.check(MODULE, "example.com", "client_ip=192.0.2.140")))
                .isEqualTo("fail");
        assertThat(result(fixture.check(MODULE, "example.com", "client_ip=198.51.100.1")))
                .isEqualTo("fail");
    }

    @ParameterizedTest
    @CsvSource({
        "%{s}, strong-bad@email.example.com",
        "%{o}, email.example.com",
        "%{d4}, email.example.com",
        "%{l}.x.test, strong-bad.x.test",
        "%{l-}.x.test, strong.bad.x.test",
        "%{lr}.x.test, strong-bad.x.test",
        "%{lr-}.x.test, bad.strong.x.test",
        "%{l1r-}.x.test, strong.x.test",
        "%{ir}.%{v}._spf.%{d2}, 3.2.0.192.in-addr._spf.example.com",
        "%{lr-}.lp._spf.%{d2}, bad.strong.lp._spf.example.com",
        "%{lr-}.lp.%{ir}.%{v}._spf.%{d2}, bad.strong.lp.3.2.0.192.in-addr._spf.example.com",
        "%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}, 3.2.0.192.in-addr.strong.lp._spf.example.com",
        "%{d2}.trusted-domains.example.net, example.com.trusted-domains.example.net",
        "%{S}.x.test, strong-bad%40email.example.com.x.test",
        "%{h}.x.test, mx.example.net.x.test"
    })
    void expandsTheMacrosOfRfc7208(String spec, String name) {
        // RFC 7208 section 7.4
        assertThat(firstLookup("192.0.2.3", spec)).isEqualTo(name);
    }

    @Test
    void expandsIpv6AddressesToDigits() {
        assertThat(firstLookup("2001:db8::cb01", "%{ir}.%{v}._spf.%{d2}"))
                .isEqualTo("1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com");
    }

    private static String firstLookup(String ip, String spec) {
        String domain = "email.example.com";
        SpfLookups responses = new SpfLookups();
        responses.add(
                new Question(domain, Type.TXT),
                new Response(Status.SUCCESS, List.of("v=spf1 exists:" + spec), List.of(), List.of()));
        SpfClient client = SpfClient.of(address(ip), "strong-bad@" + domain, "mx.example.net", domain);
        SpfLookups.MissingException missing = catchThrowableOfType(
                SpfLookups.MissingException.class, () -> SpfEvaluator.evaluate(domain, client, responses));
        return missing.questions().iterator().next().name();
    }

    private static InetAddress address(String text) {
        return Objects.requireNonNull(IpAddressText.parse(text));
    }

    @ParameterizedTest
    @CsvSource({"10, pass", "11, permerror"})
    void limitsTheNumberOfLookups(int lookups, String result) {
        StringBuilder record = new StringBuilder("v=spf1");
        for (int i = 1; i < lookups; i++) {
            record.append(" a:h").append(i).append(".example.org");
            fixture.dns().address("h" + i + ".example.org", "192.0.2.1");
        }

        CheckResult checked = check(record + " a:example.com -all", "client_ip=192.0.2.10");

        assertThat(result(checked)).isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource({"2, pass", "3, permerror"})
    void limitsTheNumberOfVoidLookups(int voids, String result) {
        StringBuilder record = new StringBuilder("v=spf1");
        for (int i = 0; i < voids; i++) {
            record.append(" a:none").append(i).append(".example.org");
        }

        assertThat(result(check(record + " a -all", "client_ip=192.0.2.10"))).isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource({"10, pass", "11, permerror"})
    void limitsTheNumberOfMxRecords(int hosts, String result) {
        for (int i = 1; i <= hosts; i++) {
            fixture.dns()
                    .record("many.example.org. 60 IN MX 10 h" + i + ".example.org.")
                    .address("h" + i + ".example.org", "192.0.2." + i);
        }

        assertThat(result(check("v=spf1 mx:many.example.org -all", "client_ip=192.0.2.10")))
                .isEqualTo(result);
    }

    @Test
    void usesOnlyTenPtrRecords() {
        for (int i = 0; i < 40; i++) {
            fixture.dns().record("9.2.0.192.in-addr.arpa. 60 IN PTR p" + i + ".example.net.");
        }

        assertThat(result(check("v=spf1 ptr -all", "client_ip=192.0.2.9"))).isEqualTo("fail");
        long queried = 0;
        for (int i = 0; i < 40; i++) {
            queried += fixture.dns().queries("p" + i + ".example.net");
        }
        assertThat(queried).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({
        "include:split.example.org, 192.0.2.1",
        "a:split.example.org, 192.0.2.1",
        "exists:split.example.org, 192.0.2.1",
        "exists:mail.corp.example, 192.0.2.1",
        "ptr, 10.1.2.3",
        "exists:%{p}.example.org, 10.1.2.3"
    })
    void doesNotUsePrivateNamesAndAddresses(String mechanism, String ip) {
        fixture.dns()
                .address("split.example.org", "10.1.2.3")
                .record("3.2.1.10.in-addr.arpa. 60 IN PTR secret.example.org.");
        text("split.example.org", "v=spf1 ip4:192.0.2.1 -all");

        CheckResult checked = check("v=spf1 " + mechanism + " -all", "client_ip=" + ip);

        assertThat(checked.fields()).containsEntry("result", null).containsEntry("matched", null);
        assertThat(codes(checked)).contains("client_not_evaluated");
        assertThat(checked.toString()).doesNotContain("secret");
        assertThat(fixture.dns().queries("3.2.1.10.in-addr.arpa")).isZero();
        assertThat(fixture.dns().queries("mail.corp.example")).isZero();
    }

    @Test
    void doesNotConnectToAPrivateClient() {
        CheckResult checked = check("v=spf1 ip4:10.0.0.0/8 -all", "client_ip=10.1.2.3");

        assertThat(result(checked)).isEqualTo("pass");
        assertThat(checked.findings())
                .extracting(Finding::message)
                .contains("10.1.2.3 is authorized to send mail for the domain. It matches ip4:10.0.0.0/8.");
    }

    @Test
    void evaluatesTheRecordWithoutClient() {
        CheckResult plain = check("v=spf1 mx -all", "");
        CheckResult incomplete = fixture.check(MODULE, "example.com", "sender=a@example.com");
        CheckResult foreign = fixture.check(MODULE, "example.com", "client_ip=192.0.2.129&sender=a@example.net");

        assertThat(plain.fields()).containsEntry("result", null).containsEntry("matched", null);
        assertThat(plain.findings()).isEmpty();
        assertThat(codes(incomplete)).containsExactly("client_ip_missing");
        assertThat(codes(foreign)).containsExactly("client_pass", "sender_domain_differs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client_ip=192.0.2",
                "client_ip=192.0.2.256",
                "client_ip=example.com",
                "sender=a b@example.com",
                "sender=a@b@example.com",
                "sender=a\\046b@example.com",
                "sender=a@example..com",
                "sender=",
                "helo=a b",
                "helo=a\\b",
                "helo=-"
            })
    void rejectsInvalidOptions(String option) {
        String[] parts = option.split("=", 2);
        Options.Parsed parsed = Options.parse(MODULE.description(), Map.of(parts[0], parts[1]));

        assertThat(parsed.faults()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"2001:DB8:0::1, 2001:db8::1", "192.0.2.1, 192.0.2.1"})
    void normalizesTheClientAddress(String text, String normalized) {
        Options.Parsed parsed = Options.parse(MODULE.description(), Map.of("client_ip", text));

        assertThat(Objects.requireNonNull(parsed.options()).optionalText("client_ip"))
                .isEqualTo(normalized);
    }

    @Provide
    Arbitrary<String> records() {
        Arbitrary<String> name = Arbitraries.of(
                "a.test",
                "b.test",
                "%{d}",
                "%{i}.b.test",
                "%{p}.a.test",
                "%{l1r-}.%{o}",
                "%{h}",
                "x..test",
                "%{S}.test");
        Arbitrary<String> term = Arbitraries.of(
                        "a",
                        "mx",
                        "ptr",
                        "include:",
                        "exists:",
                        "a:",
                        "mx:",
                        "ptr:",
                        "redirect=",
                        "-all",
                        "ip4:192.0.2.1/8",
                        "ip6::/0",
                        "nonsense")
                .flatMap(kind -> name.map(spec -> kind.endsWith(":") || kind.endsWith("=") ? kind + spec : kind));
        return term.list().ofMaxSize(12).map(terms -> "v=spf1 " + String.join(" ", terms));
    }

    @Property(tries = 500)
    void endsForAnyRecords(
            @ForAll("records") String first,
            @ForAll("records") String second,
            @ForAll Status status,
            @ForAll int seed) {
        SpfClient client = SpfClient.of(address("192.0.2.1"), "x-y@a.test", "b.test", "a.test");
        SpfLookups responses = new SpfLookups();
        SpfEvaluator.@Nullable Outcome outcome = null;
        int lookups = 0;
        while (outcome == null) {
            try {
                outcome = SpfEvaluator.evaluate("a.test", client, responses);
            } catch (SpfLookups.MissingException missing) {
                for (Question question : missing.questions()) {
                    lookups++;
                    responses.add(question, response(question, first, second, status, seed));
                }
                assertThat(lookups).isLessThan(150);
            }
        }
        assertThat(outcome.result() == null)
                .isEqualTo(outcome.matched() == null && outcome.detail() != null && isUndetermined(outcome.detail()));
    }

    private static boolean isUndetermined(String detail) {
        return detail.contains("private network") || detail.contains("limit of DNS queries");
    }

    private static Response response(Question question, String first, String second, Status status, int seed) {
        List<String> hosts = List.of("h1.test", "h2.a.test", "h3.test");
        int hash = Math.abs((question.name().hashCode() ^ seed) % 4);
        return switch (question.type()) {
            case Type.TXT ->
                new Response(
                        Status.SUCCESS,
                        List.of(question.name().equals("a.test") ? first : second),
                        List.of(),
                        List.of());
            case Type.MX, Type.PTR -> new Response(Status.SUCCESS, List.of(), List.of(), hosts.subList(0, hash));
            default ->
                hash == 0
                        ? Response.of(status)
                        : new Response(Status.SUCCESS, List.of(), List.of(address("192.0.2." + hash)), List.of());
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {" exists:%{s}%{s}%{s}.test", " include:b.test", " a", " ip4:192.0.2.9", " ptr:%{p}.test"})
    void evaluatesTheLongestRecordsInSeconds(String term) {
        String record = "v=spf1" + term.repeat(4_000 / term.length());
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            for (int i = 0; i < 20; i++) {
                endsForAnyRecords(record, record, Status.SUCCESS, i);
            }
        });
    }

    @Test
    void failsWithoutAResponse() {
        SpfLookups responses = new SpfLookups();

        assertThatThrownBy(() -> responses.get(new Question("a.test", Type.TXT)))
                .isInstanceOf(SpfLookups.MissingException.class);
    }

    @Tag("integration")
    @Test
    void agreesWithPyspf(@TempDir Path folder) throws Exception {
        Map<String, String> zones = Map.of(
                "zone.test",
                """
                @ IN TXT "v=spf1 a mx/30 include:_spf.other.test exists:%{l}.%{i}.who.zone.test ?ptr:zone.test ~all"
                @ IN A 192.0.2.1
                @ IN MX 10 mail
                @ IN AAAA 2001:db8::1
                mail IN A 192.0.2.5
                mail IN AAAA 2001:db8::5
                host IN A 192.0.2.77
                joe.192.0.2.50.who IN A 192.0.2.1
                many IN TXT "v=spf1 a:a.zone.test a:b.zone.test a:c.zone.test -all"
                redirect IN TXT "v=spf1 redirect=_spf.other.test"
                broken IN TXT "v=spf1 include:nothing.other.test -all"
                syntax IN TXT "v=spf1 a b -all"
                """,
                "other.test",
                """
                _spf IN TXT "v=spf1 ip4:198.51.100.0/24 ip6:2001:db8:1::/48 -all"
                """,
                "ip6.arpa",
                "",
                "2.0.192.in-addr.arpa",
                """
                77 IN PTR host.zone.test.
                78 IN PTR host.zone.test.
                """);
        try (NamedServer named = NamedServer.start(folder, zones)) {
            for (String line : List.of(
                    "zone.test 192.0.2.1 a@zone.test",
                    "zone.test 192.0.2.6 a@zone.test",
                    "zone.test 192.0.2.50 joe@zone.test",
                    "zone.test 192.0.2.50 jim@zone.test",
                    "zone.test 192.0.2.77 a@zone.test",
                    "zone.test 192.0.2.78 a@zone.test",
                    "zone.test 198.51.100.9 a@zone.test",
                    "zone.test 2001:db8:1::1 a@zone.test",
                    "zone.test 2001:db8:2::1 a@zone.test",
                    "many.zone.test 192.0.2.1 a@many.zone.test",
                    "redirect.zone.test 198.51.100.9 a@redirect.zone.test",
                    "redirect.zone.test 192.0.2.1 a@redirect.zone.test",
                    "broken.zone.test 192.0.2.1 a@broken.zone.test",
                    "syntax.zone.test 192.0.2.1 a@syntax.zone.test")) {
                String[] words = line.split(" ");
                CheckResult checked = fixture.check(
                        MODULE, named.address(), words[0], "client_ip=" + words[1] + "&sender=" + words[2]);

                assertThat(result(checked)).as(line).isEqualTo(pyspf(named.port(), words[1], words[2]));
            }
        }
    }

    private static String pyspf(int port, String ip, String sender) throws Exception {
        String script =
                """
                import sys, spf
                try:
                    import dns.resolver
                    resolver = dns.resolver.Resolver(configure=False)
                    resolver.nameservers, resolver.port = ['127.0.0.1'], int(sys.argv[1])
                    dns.resolver.default_resolver = resolver
                except ImportError:
                    import DNS
                    DNS.defaults['server'], DNS.defaults['port'] = ['127.0.0.1'], int(sys.argv[1])
                print(spf.check2(i=sys.argv[2], s=sys.argv[3], h='zone.test')[0])
                """;
        String interpreter = DebianTool.requirePython("spf").toString();
        Process python = new ProcessBuilder(interpreter, "-c", script, "" + port, ip, sender)
                .redirectErrorStream(true)
                .start();
        String output = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(python.waitFor()).as(output).isZero();
        return output.strip();
    }
}
