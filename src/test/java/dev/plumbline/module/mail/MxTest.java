package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.Mx.Evidence;
import dev.plumbline.module.mail.Mx.Server;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.probe.smtp.SmtpGreetingScript;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class MxTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Mx());
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
        fixture.dns()
                .address("mail.good.test", "192.0.2.1", "2001:db8::1")
                .address("mail2.good.test", "192.0.2.2")
                .record("good.test. 60 IN MX 20 mail2.good.test.")
                .record("good.test. 60 IN MX 10 mail.good.test.")
                .record("order.test. 60 IN MX 10 mail.order.test.")
                .address("mail.order.test", "192.0.2.10", "192.0.2.9", "2001:db8::10", "2001:db8::9")
                .record("null.test. 60 IN MX 0 .")
                .record("both.test. 60 IN MX 0 .")
                .record("both.test. 60 IN MX 10 mail.good.test.")
                .record("null10.test. 60 IN MX 10 .")
                .address("null10.test", "192.0.2.3")
                .record("nulls.test. 60 IN MX 0 .")
                .record("nulls.test. 60 IN MX 10 .")
                .alias("nullalias.test", "null.test")
                .record("dangling.test. 60 IN MX 10 smtp.dangling.test.")
                .alias("smtp.dangling.test", "gone.dangling.test")
                .record("some.test. 60 IN MX 10 smtp.alias.test.")
                .record("some.test. 60 IN MX 20 smtp.dangling.test.")
                .address("implicit.test", "192.0.2.3")
                .empty("nothing.test")
                .record("lost.test. 60 IN MX 10 gone.lost.test.")
                .record("bare.test. 60 IN MX 10 mail.bare.test.")
                .empty("mail.bare.test")
                .record("blocked.test. 60 IN MX 10 mail.blocked.test.")
                .behave("mail.blocked.test", DnsFaults.rcode(Rcode.NXDOMAIN))
                .record("rpz.test. 60 IN MX 10 mail.rpz.test.")
                .behave("mail.rpz.test", DnsFaults.nxdomain("policy.example"))
                .record("denied.test. 60 IN MX 10 mail.denied.test.")
                .behave("mail.denied.test", DnsFaults.nxdomain("denied.test"))
                .record("halfgone.test. 60 IN MX 10 mail.halfgone.test.")
                .behave("mail.halfgone.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)))
                .record("alias.test. 60 IN MX 10 smtp.alias.test.")
                .alias("smtp.alias.test", "mail.good.test")
                .record("literal.test. 60 IN MX 10 192.0.2.1.")
                .record("local.test. 60 IN MX 0 localhost.")
                .record("private.test. 60 IN MX 5 in.private.test.")
                .record("private.test. 60 IN MX 10 mail.good.test.")
                .address("in.private.test", "10.1.2.3")
                .record("hidden.test. 60 IN MX 5 mail.corp.example.")
                .record("inside.test. 60 IN MX 5 mail.good.test.")
                .address("inside.test", "10.1.2.3")
                .record("lame.test. 60 IN MX 5 mail.lame.test.")
                .behave("mail.lame.test", DnsFaults.rcode(Rcode.SERVFAIL))
                .record("lame6.test. 60 IN MX 5 mail.lame6.test.")
                .address("mail.lame6.test", "192.0.2.1")
                .behave("mail.lame6.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)))
                .behave("dead.test", DnsFaults.rcode(Rcode.SERVFAIL))
                .empty("half.test")
                .behave("half.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)))
                .empty("silent.test")
                .behave("silent.test", DnsFaults.only(Type.A, DnsFaults.silent()))
                .alias("www.good.test", "good.test")
                .record("xn--bcher-kva.test. 60 IN MX 1 mail.good.test.");
        for (int i = 0; i < 25; i++) {
            fixture.dns().record("many.test. 60 IN MX " + i + " m" + i + ".many.test.");
        }
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "good.test, PASS, -, starttls_unknown",
                "Bücher.test, PASS, -, single_mx starttls_unknown",
                "www.good.test, PASS, -, starttls_unknown",
                "null.test, PASS, -, null_mx",
                "null10.test, PASS, -, null_mx null_mx_preference",
                "nulls.test, FAIL, -, null_mx_with_others",
                "nullalias.test, PASS, -, null_mx",
                "dangling.test, FAIL, -, no_usable_mx dangling_reference mx_points_to_alias single_mx",
                "some.test, WARN, -, dangling_reference mx_points_to_alias starttls_unknown",
                "both.test, FAIL, -, null_mx_with_others single_mx starttls_unknown",
                "implicit.test, WARN, -, implicit_mx single_mx no_ipv6 starttls_unknown",
                "nothing.test, WARN, -, no_mail_server",
                "lost.test, FAIL, -, no_usable_mx dangling_reference single_mx",
                "bare.test, FAIL, -, no_usable_mx mx_unresolvable single_mx",
                "blocked.test, FAIL, -, no_usable_mx mx_unresolvable single_mx",
                "rpz.test, FAIL, -, no_usable_mx mx_unresolvable single_mx",
                "denied.test, FAIL, -, no_usable_mx dangling_reference single_mx",
                "halfgone.test, WARN, -, mx_lookup_failed single_mx",
                "alias.test, WARN, -, mx_points_to_alias single_mx starttls_unknown",
                "literal.test, FAIL, -, no_usable_mx mx_is_address mx_unresolvable single_mx",
                "local.test, FAIL, -, no_usable_mx mx_private_address single_mx",
                "private.test, WARN, -, mx_private_address starttls_unknown",
                "lame.test, WARN, -, mx_lookup_failed single_mx",
                "lame6.test, WARN, -, mx_lookup_failed single_mx starttls_unknown",
                "many.test, WARN, -, dangling_reference many_mx",
                "hidden.test, ERROR, target_blocked, ''",
                "inside.test, ERROR, target_blocked, ''",
                "secret.corp.example, ERROR, target_blocked, ''",
                "missing.test, ERROR, dns_nxdomain, ''",
                "dead.test, ERROR, dns_servfail, ''",
                "half.test, ERROR, dns_servfail, ''",
                "silent.test, ERROR, dns_timeout, ''"
            })
    void reportsTheFindingsOfEachDomain(String domain, Verdict verdict, @Nullable String error, String codes) {
        CheckResult result = fixture.check(MODULE, domain, "");

        assertThat(codes(result.findings())).isEqualTo(codes.isEmpty() ? List.of() : Arrays.asList(codes.split(" ")));
        assertThat(result.error() == null ? null : result.error().code().id()).isEqualTo(error);
        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.toString()).doesNotContain("10.1.2.3", "mail.corp.example");
    }

    @Test
    void returnsTheAddressesInNumericalOrder() {
        assertThat(fixture.check(MODULE, "order.test", "").fields().get("records"))
                .hasToString("[{preference=10, host=mail.order.test,"
                        + " ips=[192.0.2.9, 192.0.2.10, 2001:db8::9, 2001:db8::10], tls=null}]");
    }

    @Test
    void returnsTheServersByPreference() {
        CheckResult result = fixture.check(MODULE, "good.test", "");

        assertThat(result.fields().get("records").toString())
                .isEqualTo("[{preference=10, host=mail.good.test, ips=[192.0.2.1, 2001:db8::1], tls=null},"
                        + " {preference=20, host=mail2.good.test, ips=[192.0.2.2], tls=null}]");
        assertThat(fixture.check(MODULE, "alias.test", "").fields())
                .containsEntry("points_to_cname", List.of("smtp.alias.test"));
        assertThat(fixture.check(MODULE, "null.test", "").fields())
                .containsEntry("null_mx", true)
                .containsEntry("implicit", false);
        assertThat(fixture.check(MODULE, "implicit.test", "").fields()).containsEntry("implicit", true);
    }

    @Test
    void failsWithOverloadIfTheConnectionIsNotAdmittedInTime() {
        assertThat(fixture.failure(MODULE, IpAddressText.parse("192.0.2.2"), 25, "good.test"))
                .isInstanceOf(OverloadFailure.class);
    }

    @Test
    void looksUpAtMostTwentyHosts() {
        fixture.check(MODULE, "many.test", "");

        assertThat(fixture.dns().queries("m19.many.test")).isPositive();
        assertThat(fixture.dns().queries("m20.many.test")).isZero();
        assertThat(fixture.check(MODULE, "many.test", "")
                        .fields()
                        .get("records")
                        .toString())
                .contains("m19.many.test")
                .doesNotContain("m20.many.test");
    }

    static Stream<Arguments> responses() {
        return Stream.of(
                Arguments.of("220 hi\r\n250-me\r\n250-SIZE 1\r\n250 STARTTLS\r\n", true),
                Arguments.of("220-hi\r\n220 there\r\n250-me\r\n250-starttls\r\n250 8BITMIME\r\n", true),
                Arguments.of("220 hi\n250-me\n250 SIZE\n221 bye\n", false),
                Arguments.of("220 hi\r\n250 STARTTLS\r\n", false),
                Arguments.of("220 hi\r\n250-me\r\n250-STARTTLS\r\n", null),
                Arguments.of("220 hi\r\n502 what?\r\n", null),
                Arguments.of("554 go away\r\n250-me\r\n250 STARTTLS\r\n", null),
                Arguments.of("220 hi\r\n", null),
                Arguments.of("\r\n\r\n", null),
                Arguments.of("220\r\n250\r\n", false),
                Arguments.of("", null));
    }

    @ParameterizedTest
    @MethodSource("responses")
    void detectsStarttls(String response, @Nullable Boolean supported) {
        SmtpGreetingScript script = new SmtpGreetingScript();
        for (int end = response.indexOf('\n') + 1; end > 0; end = response.indexOf('\n', end) + 1) {
            script.next(Buffer.buffer(response.substring(0, end)));
        }

        assertThat(script.session().offersTls()).isEqualTo(supported);
    }

    @Test
    void sendsACommandOnlyAfterACompleteReply() {
        SmtpGreetingScript greeting = new SmtpGreetingScript();

        assertThat(greeting.next(Buffer.buffer()).length()).isZero();
        assertThat(greeting.next(Buffer.buffer("220-wait\r\n")).length()).isZero();
        String received = "220-wait\r\n220 hi\r\n";
        assertThat(greeting.next(Buffer.buffer(received)).toString()).isEqualTo("EHLO plumbline.invalid\r\n");
        assertThat(greeting.next(Buffer.buffer(received + "250-x\r\n")).length())
                .isZero();
        received += "250-x\r\n250 STARTTLS\r\n";
        assertThat(greeting.next(Buffer.buffer(received)).toString()).isEqualTo("QUIT\r\n");
        assertThat(greeting.next(Buffer.buffer(received + "221 bye\r\n"))).isNull();
    }

    @Test
    void warnsAboutAServerWithoutStarttls() {
        Evaluation evaluation = evaluate(server(10, "a.test", true), server(20, "b.test", false));

        assertThat(evaluation.findings())
                .extracting(Finding::message)
                .contains("These mail servers do not support STARTTLS, so they cannot receive mail over TLS: b.test.");
        assertThat(codes(evaluate(server(10, "a.test", true), server(20, "a.test", true))
                        .findings()))
                .contains("duplicate_mx");
    }

    @Test
    void reportsServersWithoutASmtpResponse() {
        Server refused = server(10, "a.test", true).with(null, Mx.reason(ErrorCode.CONNECT_REFUSED));
        Server invalid = server(20, "b.test", true).with(null, "no valid SMTP response");

        Evaluation evaluation = evaluate(refused, invalid, server(30, "c.test", true));

        assertThat(evaluation.findings()).hasSize(1);
        assertThat(evaluation.findings().get(0).level()).isEqualTo(Level.INFO);
        assertThat(evaluation.findings().get(0).message())
                .startsWith(
                        "The STARTTLS test failed for a.test (connection refused), b.test (no valid SMTP response).");
    }

    @Test
    void truncatesLongLists() {
        List<Server> literals = new ArrayList<>();
        for (int i = 0; i < 1_985; i++) {
            HostAddresses addresses = i < Mx.MAX_LOOKUPS
                    ? new HostAddresses(State.NONE, List.of(), false, null, null)
                    : HostAddresses.NOT_CHECKED;
            literals.add(new Server(i, "192.0.2." + i, addresses, null, null));
        }

        Evaluation evaluation = evaluate(literals.toArray(Server[]::new));

        assertThat(evaluation.findings()).extracting(Finding::message).allMatch(m -> m.length() < 200);
        assertThat(evaluation.findings().toString())
                .contains("192.0.2.4 and 1,980 more", "The domain has 1985 mail servers");
        assertThat((List<?>) evaluation.fields().get("records")).hasSize(Mx.MAX_LOOKUPS);
    }

    private static Server server(int preference, String host, boolean tls) {
        List<InetAddress> ips = List.of(IpAddressText.parse("2001:db8::1"));
        return new Server(preference, host, HostAddresses.found(ips), tls, null);
    }

    private static Evaluation evaluate(Server... servers) {
        return MODULE.evaluate(new Evidence(List.of(servers), false), Options.defaults(MODULE.description()));
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }

    @Tag("integration")
    @Test
    @SuppressWarnings("unchecked")
    void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
        try (NamedServer named = NamedServer.start(
                folder,
                Map.of(
                        "zone.test",
                        """
                @ IN MX 20 b
                @ IN MX 10 a
                @ IN MX 10 away.other.test.
                a IN A 192.0.2.1
                a IN AAAA 2001:db8::1
                b IN CNAME a
                null IN MX 0 .
                implicit IN A 192.0.2.9
                *.wild IN MX 5 a
                """,
                        "other.test",
                        "away IN A 192.0.2.4\n"))) {
            for (String name : List.of("zone.test", "null.zone.test", "implicit.zone.test", "x.wild.zone.test")) {
                CheckResult result = fixture.check(MODULE, named.address(), name, "");

                List<String> actual = new ArrayList<>();
                List<String> expected = new ArrayList<>();
                for (Map<String, Object> row :
                        (List<Map<String, Object>>) result.fields().get("records")) {
                    String host = row.get("host").equals(".") ? "." : row.get("host") + ".";
                    actual.add(row.get("preference") + " " + host);
                    List<String> addresses = new ArrayList<>();
                    for (String type : List.of("A", "AAAA")) {
                        addresses.addAll(Dig.query(named.port(), "+short", host, type));
                    }
                    addresses.removeIf(line -> line.endsWith("."));
                    assertThat((List<String>) row.get("ips")).isEqualTo(addresses);
                }
                expected.addAll(Dig.query(named.port(), "+short", name, "MX"));
                if ((boolean) result.fields().get("implicit")) {
                    assertThat(expected).isEmpty();
                } else {
                    assertThat(actual).containsExactlyInAnyOrderElementsOf(expected);
                }
            }
            assertThat(fixture.check(MODULE, named.address(), "no.zone.test", "")
                            .error()
                            .code())
                    .isEqualTo(ErrorCode.DNS_NXDOMAIN);
            assertThat(fixture.check(MODULE, named.address(), "zone.test", "").fields())
                    .containsEntry("points_to_cname", List.of("b.zone.test"));
        }
    }
}
