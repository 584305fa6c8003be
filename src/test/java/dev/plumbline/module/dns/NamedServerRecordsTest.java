package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.AuthoritativeZone;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.NameserverFixture;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Verdict;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;

/** {@code dns-records} with the option {@code servers}. */
class NamedServerRecordsTest {
    private static final ModuleDefinition<DnsRecords.Evidence> MODULE = SheetModule.load(new DnsRecords());
    private static NameserverFixture dns;
    private static String server;
    private static String refusing;

    @BeforeAll
    static void start() {
        dns = new NameserverFixture();
        server = dns.address();
        dns.serve(
                server,
                AuthoritativeZone.of(
                        "planned.test",
                        1,
                        "@ NS ns1",
                        "@ NS ns2",
                        "@ A 192.0.2.1",
                        "@ MX 10 mail",
                        "www CNAME web.other.test.",
                        "local A 10.0.0.1",
                        "local TXT secret",
                        "inside MX 10 mail.office.internal."));
        refusing = dns.address();
        dns.serve(refusing, DnsFaults.rcode(Rcode.REFUSED));
        dns.resolver().address("split.test", "10.0.0.1").address("ns.planned.test", server);
    }

    @AfterAll
    static void stop() {
        dns.close();
    }

    private static CheckResult check(String domain, String... servers) {
        return dns.check(MODULE, domain, Map.of("servers", List.of(servers)));
    }

    @Test
    void returnsTheRecordsOfAZoneThatIsNotDelegated() {
        CheckResult result = check("planned.test", "ns.planned.test");

        assertThat(result.error()).isNull();
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(result.fields()).containsEntry("rcode", "NOERROR").containsEntry("authoritative", true);
        assertThat(((Map<?, ?>) result.fields().get("records")).keySet().toString())
                .isEqualTo("[A, MX, NS, SOA]");
    }

    @Test
    void usesTheFirstServerThatResponds() {
        assertThat(check("planned.test", refusing, dns.address(), server)
                        .fields()
                        .get("records")
                        .toString())
                .contains("192.0.2.1");
        CheckError error = check("planned.test", refusing).error();
        assertThat(error.code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        assertThat(error.message()).isEqualTo("The nameserver " + refusing + " returned REFUSED.");
    }

    @Test
    void returnsAliasesWithoutTheirTarget() {
        CheckResult result = check("www.planned.test", server);

        assertThat(result.error()).isNull();
        assertThat(result.fields().get("records").toString()).contains("web.other.test");
    }

    @Test
    void reportsNamesThatDoNotExist() {
        assertThat(check("missing.planned.test", server).error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
    }

    @Test
    void withholdsAllRecordsOfNamesWithAPrivateAddress() {
        CheckResult result = check("local.planned.test", server);

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(result.toString()).doesNotContain("secret", "10.0.0.1");
        assertThat(dns.check(MODULE, "local.planned.test", Map.of("servers", server, "types", "TXT"))
                        .toString())
                .doesNotContain("secret");
        assertThat(check("inside.planned.test", server).toString()).doesNotContain("office");
    }

    @Test
    void rejectsSplitHorizonNames() {
        int before = dns.queries();

        assertThat(check("split.test", server).error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(dns.queries()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "127.0.0.1", "split.test", "localhost", "ns.office.internal"})
    void doesNotQueryServersThatAreNotAllowed(String blocked) {
        int before = dns.queries();

        assertThat(check("planned.test", server, blocked).error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(dns.queries()).isEqualTo(before);
    }
}
