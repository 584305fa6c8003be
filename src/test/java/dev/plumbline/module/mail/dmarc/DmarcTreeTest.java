package dev.plumbline.module.mail.dmarc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.dmarc.Dmarc.Evidence;
import dev.plumbline.module.mail.dmarc.DmarcTree.Level;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.NamedServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** The DNS tree walk of RFC 9989, and where receivers that follow RFC 7489 use another record. */
class DmarcTreeTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Dmarc());
    private static final String REPORTED = "; rua=mailto:a@%s";
    private DnsFixture fixture;

    @BeforeEach
    void start() {
        fixture = DnsFixture.start();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void text(String name, String text) {
        fixture.dns().record(name + ". 60 IN TXT \"" + text.replace(";", "\\;") + '"');
    }

    /** Publishes a record without findings of its own. */
    private void publish(String domain, String tags) {
        text("_dmarc." + domain, "v=DMARC1; " + tags + REPORTED.formatted(domain));
    }

    private CheckResult check(String domain) {
        return fixture.check(MODULE, domain, "");
    }

    private static Set<String> codes(CheckResult result) {
        return new TreeSet<>(result.findings().stream().map(Finding::code).toList());
    }

    private static Set<String> words(@Nullable String text) {
        return new TreeSet<>(text == null ? List.of() : Arrays.asList(text.split(" ")));
    }

    @Test
    void queriesTheEightNamesOfTheExample() {
        // RFC 9989 section 4.10
        assertThat(DmarcTree.names("a.b.c.d.e.f.g.h.i.j.mail.example.com"))
                .containsExactly(
                        "a.b.c.d.e.f.g.h.i.j.mail.example.com",
                        "g.h.i.j.mail.example.com",
                        "h.i.j.mail.example.com",
                        "i.j.mail.example.com",
                        "j.mail.example.com",
                        "mail.example.com",
                        "example.com",
                        "com");
        assertThat(DmarcTree.names("a.mail.example.com"))
                .containsExactly("a.mail.example.com", "mail.example.com", "example.com", "com");
        assertThat(DmarcTree.names("a.b.c.d.e.f.example.com")).hasSize(8).contains("b.c.d.e.f.example.com");
        assertThat(DmarcTree.names("example.com")).containsExactly("example.com", "com");
    }

    /**
     * The examples of RFC 9989 section 4.10.2 and appendix B.4, and others.
     *
     * @param records domains, each with its tag psd if it has one
     */
    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "a.mail.example.com, mail.example.com example.com, example.com, example.com",
                "a.mail.example.com, mail.example.com:n, mail.example.com, mail.example.com",
                "a.mail.example.com, com:y, example.com, com",
                "example.com, example.com, example.com, example.com",
                "signing.example.com, signing.example.com example.com, example.com, signing.example.com",
                "a.b.c.d.e.f.g.h.i.j.k.example.com, example.com signing.example.com, example.com, example.com",
                "giant.bank.example, giant.bank.example bank.example:y, giant.bank.example, giant.bank.example",
                "mail.giant.bank.example, giant.bank.example bank.example:y, giant.bank.example, giant.bank.example",
                "mail.mega.bank.example, bank.example:y, mega.bank.example, bank.example",
                "mega.bank.example, bank.example:y, mega.bank.example, bank.example",
                // a public suffix domain itself, and a record at a top-level domain without psd=y
                "bank.example, bank.example:y, bank.example, bank.example",
                "a.example.com, com, com, com",
                "a.example.com, a.example.com com, com, a.example.com",
                // a record below the organizational domain does not apply
                "a.mail.example.com, mail.example.com com:y, example.com, com",
                "a.b.c.example.com, c.example.com:y b.c.example.com, b.c.example.com, b.c.example.com",
                "a.b.example.com, b.example.com:n example.com com:y, b.example.com, b.example.com",
                "a.example.com, a.example.com:n example.com, a.example.com, a.example.com",
                "a.example.com, none, a.example.com, none",
                // skipped by the shortcut
                "a.b.c.d.e.f.g.example.com, b.c.d.e.f.g.example.com, a.b.c.d.e.f.g.example.com, none",
            })
    void selectsTheRecordAndTheOrganizationalDomain(
            String domain, @Nullable String records, String organizational, @Nullable String policy) {
        DmarcTree tree = tree(domain, records == null ? "" : records);

        assertThat(tree.organizationalDomain()).isEqualTo(organizational);
        assertThat(tree.policy() == null ? null : tree.policy().name()).isEqualTo(policy);
    }

    private static DmarcTree tree(String domain, String records) {
        List<Level> levels = new ArrayList<>();
        for (String name : DmarcTree.names(domain)) {
            Level level = level(name, records);
            levels.add(level);
            if (level.psd() != DmarcRecord.Psd.U) {
                break;
            }
        }
        return new DmarcTree(domain, levels, null);
    }

    private static Level level(String name, String records) {
        for (String record : records.split(" ")) {
            String[] parts = record.split(":");
            if (parts[0].equals(name)) {
                return new Level(name, List.of("v=DMARC1;p=none" + (parts.length > 1 ? ";psd=" + parts[1] : "")), null);
            }
        }
        return new Level(name, List.of(), null);
    }

    @Provide
    Arbitrary<String> trees() {
        Arbitrary<String> name = Arbitraries.of("com", "b.com", "c.b.com", "d.c.b.com", "i.h.g.f.e.d.c.b.com");
        Arbitrary<String> psd = Arbitraries.of("", ":y", ":n", ":u", ":x");
        return name.flatMap(level -> psd.map(tag -> level + tag))
                .list()
                .ofMaxSize(5)
                .map(all -> String.join(" ", all));
    }

    @Property(tries = 500)
    void selectsAParentForAnyRecords(@ForAll("trees") String records, @ForAll("trees") String other) {
        String domain = other.contains("i.") ? "i.h.g.f.e.d.c.b.com" : "d.c.b.com";
        DmarcTree tree = tree(domain, records);

        assertThat("." + domain).endsWith("." + tree.organizationalDomain());
        assertThat(tree.levels()).hasSizeLessThanOrEqualTo(8);
        Level policy = tree.policy();
        assertThat(policy == null).isEqualTo(tree.levels().stream().noneMatch(Level::hasRecord));
        if (policy != null) {
            DmarcTree publisher = tree.from(policy.name());
            assertThat("." + policy.name()).endsWith("." + publisher.organizationalDomain());
        }
    }

    @Test
    void stopsAtARecordWithPsd() {
        fixture.dns().address("a.b.example.com", "192.0.2.1");
        publish("b.example.com", "p=reject; psd=n");
        publish("example.com", "p=none");

        CheckResult result = check("a.b.example.com");

        assertThat(result.fields())
                .containsEntry("inherited_from", "b.example.com")
                .containsEntry("subdomain_policy", "reject")
                .containsEntry("psd", "n");
        assertThat(codes(result)).isEqualTo(words("inherited organizational_domain_differs policy_domain_differs"));
        assertThat(fixture.dns().queries("_dmarc.com")).isZero();
    }

    @Test
    void queriesAtMostEightNames() {
        String domain = "a.b.c.d.e.f.g.h.i.j.k.example.com";
        fixture.dns().address(domain, "192.0.2.1");
        publish("example.com", "p=reject");
        publish("f.g.h.i.j.k.example.com", "p=none");

        CheckResult result = check(domain);

        assertThat(result.fields()).containsEntry("inherited_from", "example.com");
        assertThat(fixture.dns().queries("_dmarc.g.h.i.j.k.example.com")).isEqualTo(1);
        assertThat(fixture.dns().queries("_dmarc.f.g.h.i.j.k.example.com")).isZero();
        assertThat(fixture.dns().queries("_dmarc.com")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                // domain, publisher of p=reject, other publisher, inherited_from, findings
                "www.example.co.uk|example.co.uk|none|example.co.uk|inherited",
                "a.b.example.co.uk|b.example.co.uk|none|b.example.co.uk|inherited organizational_domain_differs "
                        + "policy_not_applied",
                "a.b.example.co.uk|example.co.uk|b.example.co.uk|example.co.uk|inherited",
                "www.example.co.uk|co.uk|none|co.uk|inherited organizational_domain_differs policy_not_applied",
                "www.example.co.uk|example.co.uk|co.uk|co.uk|inherited organizational_domain_differs "
                        + "policy_domain_differs",
                "a.example.com|a.example.com|none|none|organizational_domain_differs",
                "a.example.com|a.example.com|example.com|none|none",
                "user.github.io|github.io|none|github.io|inherited organizational_domain_differs policy_not_applied",
            })
    void reportsDifferencesForReceiversOfRfc7489(
            String domain, String publisher, @Nullable String other, @Nullable String from, @Nullable String codes) {
        fixture.dns().address(domain, "192.0.2.1");
        publish(publisher, "p=reject");
        if (other != null) {
            publish(other, "p=reject");
        }

        CheckResult result = check(domain);

        assertThat(result.fields()).containsEntry("inherited_from", from).containsEntry("policy", "reject");
        assertThat(codes(result)).isEqualTo(words(codes));
    }

    @Test
    void usesTheRecordOfAPublicSuffixDomain() {
        fixture.dns().address("giant.bank.com", "192.0.2.1").address("bank.com", "192.0.2.1");
        publish("bank.com", "p=reject; sp=quarantine; np=reject; psd=y");

        CheckResult member = check("giant.bank.com");
        assertThat(member.fields())
                .containsEntry("inherited_from", "bank.com")
                .containsEntry("subdomain_policy", "quarantine")
                .containsEntry("psd", "y");
        assertThat(codes(member))
                .isEqualTo(words("inherited nonexistent_policy_ignored organizational_domain_differs policy_quarantine "
                        + "psd_not_public_suffix"));
        CheckResult missing = check("dwarf.bank.com");
        assertThat(codes(missing)).contains("nonexistent").doesNotContain("policy_quarantine");
        assertThat(missing.fields()).containsEntry("nonexistent_policy", "reject");
        assertThat(check("bank.com").fields()).containsEntry("inherited_from", null);
    }

    @Test
    void appliesThePolicyForMissingDomains() {
        fixture.dns().address("www.example.com", "192.0.2.1").alias("alias.example.com", "gone.example.net");
        publish("example.com", "p=reject; sp=quarantine; np=none");

        CheckResult missing = check("missing.example.com");
        assertThat(codes(missing)).isEqualTo(words("inherited nonexistent nonexistent_policy_ignored policy_none"));
        assertThat(missing.findings())
                .extracting(Finding::action)
                .contains("When the reports show that your own mail passes, set `np=quarantine`, and later"
                        + " `np=reject`.");
        assertThat(codes(check("www.example.com")))
                .contains("policy_quarantine")
                .doesNotContain("nonexistent");
        assertThat(codes(check("alias.example.com"))).doesNotContain("nonexistent");
    }

    @Test
    void continuesTheWalkAfterSeveralRecords() {
        fixture.dns().address("a.example.com", "192.0.2.1").address("b.example.net", "192.0.2.1");
        text("_dmarc.a.example.com", "v=DMARC1; p=none");
        text("_dmarc.a.example.com", "v=DMARC1; p=reject");
        publish("example.com", "p=reject");
        text("_dmarc.example.net", "v=DMARC1; p=none");
        text("_dmarc.example.net", "v=DMARC1; p=reject");

        CheckResult own = check("a.example.com");
        assertThat(own.fields()).containsEntry("inherited_from", "example.com").containsEntry("valid", false);
        assertThat(codes(own)).isEqualTo(words("inherited policy_not_applied several_records"));
        CheckResult parent = check("b.example.net");
        assertThat(parent.fields()).containsEntry("record", null).containsEntry("valid", false);
        assertThat(codes(parent)).isEqualTo(words("several_records"));
    }

    @Test
    void reportsTagsThatHaveNoEffectBelowTheOrganizationalDomain() {
        fixture.dns().address("a.example.com", "192.0.2.1");
        publish("a.example.com", "p=reject; sp=none");
        publish("example.com", "p=reject");

        CheckResult result = check("a.example.com");

        assertThat(codes(result)).isEqualTo(words("subdomain_policy_unused"));
        assertThat(result.findings())
                .extracting(Finding::action)
                .containsExactly("Set the policy of subdomains at `_dmarc.example.com`, or add `psd=n` to the record of"
                        + " `a.example.com`.");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "psd=n, example.com, none, false, report_authorization_differs",
                "psd=n, example.com, v=DMARC1, true, none",
                "psd=n, deep.mail.example.com, none, none, none",
                "psd=u, example.com, none, none, none",
                "psd=u, other.example.com, none, none, none",
                "psd=u, own.example.com, none, false, report_authorization_differs",
            })
    void comparesOrganizationalDomainsOfReportAddresses(
            String psd, String host, @Nullable String grant, @Nullable Boolean authorized, @Nullable String codes) {
        fixture.dns().address("mail.example.com", "192.0.2.1");
        publish("example.com", "p=reject");
        publish("own.example.com", "p=reject; psd=n");
        text("_dmarc.mail.example.com", "v=DMARC1; p=reject; " + psd + REPORTED.formatted(host));
        if (grant != null) {
            text("mail.example.com._report._dmarc." + host, grant);
        }

        CheckResult result = check("mail.example.com");

        assertThat(result.fields()).containsEntry("external_authorized", authorized);
        Set<String> found = codes(result);
        found.remove("organizational_domain_differs");
        assertThat(found).isEqualTo(words(codes));
    }

    @Test
    void reportsDestinationsThatAreExternalForRfc7489Only() {
        fixture.dns().address("a.co.uk", "192.0.2.1");
        publish("co.uk", "p=reject");
        text("_dmarc.a.co.uk", "v=DMARC1; p=reject; rua=mailto:x@b.co.uk");

        CheckResult result = check("a.co.uk");

        assertThat(result.fields()).containsEntry("external_authorized", null);
        assertThat(result.findings())
                .extracting(Finding::message)
                .contains("b.co.uk does not authorize DMARC reports for a.co.uk. Only receivers that follow RFC 7489"
                        + " require it.");
    }

    @Test
    void reportsReportDomainsWhoseNameIsTooLong() {
        String domain = "a.".repeat(70) + "example.com";
        String host = "b.".repeat(60) + "example.net";
        fixture.dns().address(domain, "192.0.2.1");
        text("_dmarc." + domain, "v=DMARC1; p=reject; rua=mailto:x@" + host);

        CheckResult result = check(domain);

        assertThat(result.fields()).containsEntry("external_authorized", false);
        assertThat(codes(result)).contains("report_name_too_long");
    }

    @ParameterizedTest
    @CsvSource({"a.example.com, dns_servfail", "example.com, none"})
    void queriesTheParentsOnlyWithoutAnOwnRecord(String domain, String error) {
        fixture.dns()
                .address("a.example.com", "192.0.2.1")
                .address("example.com", "192.0.2.1")
                .behave("_dmarc.com", DnsFaults.rcode(Rcode.SERVFAIL));
        publish("example.com", "p=reject");

        CheckResult result = check(domain);

        assertThat(result.error() == null ? "none" : result.error().code().id()).isEqualTo(error);
        if (error.equals("none")) {
            assertThat(codes(result)).isEqualTo(words("organizational_domain_unknown"));
            assertThat(result.findings())
                    .extracting(Finding::message)
                    .containsExactly("The organizational domain is unknown, because DNS lookups failed: _dmarc.com.");
        }
    }

    @Test
    void doesNotQueryUnlistedTopLevelDomains() {
        fixture.dns().address("www.lab.test", "192.0.2.1");
        publish("lab.test", "p=reject");
        text("_dmarc.test", "v=DMARC1; p=none; rua=mailto:secret@example.com");

        assertThat(check("www.lab.test").fields()).containsEntry("inherited_from", "lab.test");
        assertThat(fixture.dns().queries("_dmarc.test")).isZero();
    }

    @Test
    void doesNotDiscloseRecordsOfPrivateParents() {
        fixture.dns().address("split.example.com", "10.1.2.3").address("www.split.example.com", "192.0.2.1");
        publish("split.example.com", "p=reject");

        CheckResult result = check("www.split.example.com");

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo("target_blocked");
        assertThat(result.toString()).doesNotContain("p=reject");
    }

    @Test
    void treatsAnExistenceThatCannotBeLookedUpAsAnError() {
        publish("example.com", "p=reject; np=none");
        fixture.dns().behave("lame.example.com", DnsFaults.only(Type.A, DnsFaults.rcode(Rcode.SERVFAIL)));

        CheckResult result = check("lame.example.com");

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo("dns_servfail");
    }

    /** authheaders implements RFC 7489 with the Public Suffix List. */
    @Tag("integration")
    @Test
    void agreesWithAuthheadersOnTheRecordOfRfc7489(@TempDir Path folder) throws Exception {
        Map<String, String> zones = Map.of(
                "example.com",
                """
                @ IN A 192.0.2.1
                www IN A 192.0.2.1
                a.b IN A 192.0.2.1
                _dmarc IN TXT "v=DMARC1; p=reject"
                _dmarc.b IN TXT "v=DMARC1; p=none; psd=n"
                """,
                "example.co.uk",
                """
                www IN A 192.0.2.1
                a.b IN A 192.0.2.1
                _dmarc.b IN TXT "v=DMARC1; p=quarantine"
                """,
                "com",
                "",
                "uk",
                "");
        try (NamedServer named = NamedServer.start(folder, zones)) {
            for (String domain : List.of("example.com", "www.example.com", "a.b.example.com", "b.example.com")) {
                CheckResult result = fixture.check(MODULE, named.address(), domain, "");
                String legacy = codes(result).contains("policy_domain_differs")
                        ? "reject"
                        : String.valueOf(result.fields().get("policy"));

                assertThat(legacyPolicy(named.port(), domain)).as(domain).isEqualTo(legacy);
            }
            CheckResult differing = fixture.check(MODULE, named.address(), "a.b.example.co.uk", "");
            assertThat(codes(differing)).contains("policy_not_applied");
            assertThat(legacyPolicy(named.port(), "a.b.example.co.uk")).isEqualTo("None");
        }
    }

    private static String legacyPolicy(int port, String domain) throws Exception {
        String script =
                """
                import sys, dns.resolver
                from authheaders import dmarc_lookup
                resolver = dns.resolver.Resolver(configure=False)
                resolver.nameservers, resolver.port = ['127.0.0.1'], int(sys.argv[1])
                def lookup(name, qtype='TXT'):
                    try:
                        return ''.join(s.decode() for s in resolver.resolve(name, qtype)[0].strings)
                    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
                        return None
                print(dmarc_lookup.receiver_record(sys.argv[2], lookup)[0].get('p'))
                """;
        String interpreter =
                DebianTool.requirePython("authheaders", "dns.resolver").toString();
        Process python = new ProcessBuilder(interpreter, "-c", script, "" + port, domain)
                .redirectErrorStream(true)
                .start();
        String output = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(python.waitFor()).as(output).isZero();
        return output.strip();
    }
}
