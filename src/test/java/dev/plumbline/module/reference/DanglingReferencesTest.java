package dev.plumbline.module.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.RegistryFixture;
import dev.plumbline.lab.RegistryResponses;
import dev.plumbline.module.dns.DnsRecords;
import dev.plumbline.module.mail.Dkim;
import dev.plumbline.module.mail.Mx;
import dev.plumbline.module.mail.spf.Spf;
import dev.plumbline.module.web.PageLinks;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.NamedServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** References to names in zones of a real nameserver, and the registrations of their domains in the registry lab. */
@Tag("integration")
class DanglingReferencesTest {
    private static final ModuleDefinition<?> MX = SheetModule.load(new Mx());
    private static final ModuleDefinition<?> PAGE_LINKS = SheetModule.load(new PageLinks());
    private static final Map<String, Boolean> REGISTRATIONS = Map.of("registrations", true);

    @TempDir
    static Path folder;

    private static RegistryFixture registries;
    private static NamedServer named;

    @BeforeAll
    static void start() throws Exception {
        registries = new RegistryFixture(folder, "test");
        registries.page("/rdap/domain/taken.test", 200, RegistryResponses.RDAP.replace("EXAMPLE.COM", "TAKEN.TEST"));
        registries.page("/rdap/domain/limited.test", 429, "");
        registries.page("/rdap/domain/broken.test", 500, "");
        registries
                .registry("whois")
                .respond("taken.whois", "Domain Name: taken.whois\nRegistrar: R\nCreation Date: 2000-01-01\n")
                .respond("odd.whois", "Please use our website.\n");
        named = NamedServer.start(
                folder,
                Map.of(
                        "test",
                        "",
                        "whois",
                        "",
                        "unsupported",
                        "",
                        "zone.test",
                        """
                host IN A 127.0.0.1
                exists IN MX 10 host
                absent IN MX 10 no-such-host
                free IN MX 10 mail.free.test.
                taken IN MX 10 mail.taken.test.
                servfail IN MX 10 mail.example.elsewhere.
                alias IN MX 10 mail.alias
                mail.alias IN CNAME mail.free.test.
                limited IN MX 10 mail.limited.test.
                broken IN MX 10 mail.broken.test.
                whois-free IN MX 10 mail.free.whois.
                whois-taken IN MX 10 mail.taken.whois.
                whois-odd IN MX 10 mail.odd.whois.
                unsupported IN MX 10 mail.free.unsupported.
                four IN MX 1 mail.one.test.
                four IN MX 2 mail.two.test.
                four IN MX 3 mail.three.test.
                four IN MX 4 mail.four.test.
                four IN MX 5 other.one.test.
                spf IN TXT "v=spf1 include:_spf.free.test a:mail.taken.test exists:%{i}.gone.test a:host.zone.test -all"
                void IN TXT "v=spf1 a:host.zone.test include:text.zone.test exists:no.free.test -all"
                text IN TXT "v=spf1 -all"
                dkim IN A 127.0.0.1
                s1._domainkey.dkim IN CNAME s1.dkim.free.test.
                s2._domainkey.dkim IN CNAME text
                records IN MX 10 mail.free.test.
                records IN MX 20 host
                records IN SRV 0 0 443 sip.taken.test.
                www IN CNAME www.free.test.
                """));
    }

    @AfterAll
    static void stop() throws Exception {
        if (named != null) {
            named.close();
        }
        registries.close();
    }

    @BeforeEach
    void clear() {
        registries.rdapPaths().clear();
    }

    private static CheckResult check(ModuleDefinition<?> module, String target, Map<String, ?> options) {
        return registries.checkWithResolver(module, named.address(), target, options);
    }

    /** The findings about references, as {@code level code}. */
    private static String findings(CheckResult result) {
        return result.findings().stream()
                .filter(finding -> finding.code().startsWith("dangling_"))
                .map(finding -> finding.level().id() + " " + finding.code())
                .collect(Collectors.joining(", "));
    }

    private static String message(CheckResult result, String code) {
        return result.findings().stream()
                .filter(finding -> finding.code().equals(code))
                .map(Finding::message)
                .collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exists      | ''                      | '' | []",
                "absent      | warn dangling_reference | '' | [{name=no-such-host.zone.test, missing=no-such-host.zone.test, domain=null, registered=null}]",
                "servfail    | ''                      | '' | []",
                "free        | warn dangling_reference, fail dangling_domain_unregistered | free.test | [{name=mail.free.test, missing=mail.free.test, domain=free.test, registered=false}]",
                "alias       | warn dangling_reference, fail dangling_domain_unregistered | free.test | [{name=mail.alias.zone.test, missing=mail.free.test, domain=free.test, registered=false}]",
                "taken       | warn dangling_reference | taken.test | [{name=mail.taken.test, missing=mail.taken.test, domain=taken.test, registered=true}]",
                "limited     | warn dangling_reference, info dangling_registration_unknown | limited.test | [{name=mail.limited.test, missing=mail.limited.test, domain=limited.test, registered=null}]",
                "broken      | warn dangling_reference, info dangling_registration_unknown | broken.test | [{name=mail.broken.test, missing=mail.broken.test, domain=broken.test, registered=null}]",
                "whois-free  | warn dangling_reference, fail dangling_domain_unregistered | '' | [{name=mail.free.whois, missing=mail.free.whois, domain=free.whois, registered=false}]",
                "whois-taken | warn dangling_reference | '' | [{name=mail.taken.whois, missing=mail.taken.whois, domain=taken.whois, registered=true}]",
                "whois-odd   | warn dangling_reference, info dangling_registration_unknown | '' | [{name=mail.odd.whois, missing=mail.odd.whois, domain=odd.whois, registered=null}]",
                "unsupported | warn dangling_reference, info dangling_registration_unknown | '' | [{name=mail.free.unsupported, missing=mail.free.unsupported, domain=free.unsupported, registered=null}]",
            })
    void reportsMissingHostsAndTheRegistrationsOfTheirDomains(
            String label, String findings, String lookedUp, String rows) {
        CheckResult result = check(MX, label + ".zone.test", REGISTRATIONS);

        assertThat(findings(result)).isEqualTo(findings);
        assertThat(result.fields().get("dangling_references")).hasToString(rows);
        assertThat(String.join(" ", registries.rdapPaths()))
                .isEqualTo(lookedUp.isEmpty() ? "" : "/rdap/domain/" + lookedUp);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limited     | limited.test is unknown: The RDAP server rdap.registry.test rejected the request because of its rate limit.",
                "broken      | broken.test is unknown: The RDAP server rdap.registry.test returned status 500.",
                "whois-odd   | odd.whois is unknown: The response of the registry is not in a known format.",
                "unsupported | free.unsupported is unknown: No RDAP or WHOIS server is known for the top-level domain.",
            })
    void statesWhyARegistrationIsUnknown(String label, String text) {
        assertThat(message(check(MX, label + ".zone.test", REGISTRATIONS), "dangling_registration_unknown"))
                .isEqualTo("Whether anybody can register " + text);
    }

    @Test
    void looksUpRegistrationsOnlyWithTheOption() {
        CheckResult result = check(MX, "free.zone.test", Map.of());

        assertThat(findings(result)).isEqualTo("warn dangling_reference");
        assertThat(result.fields().get("dangling_references"))
                .hasToString("[{name=mail.free.test, missing=mail.free.test, domain=free.test, registered=null}]");
        assertThat(registries.rdapPaths()).isEmpty();
    }

    @Test
    void looksUpThreeDomainsEachOnce() {
        CheckResult result = check(MX, "four.zone.test", REGISTRATIONS);

        assertThat(registries.rdapPaths())
                .containsExactlyInAnyOrder("/rdap/domain/one.test", "/rdap/domain/two.test", "/rdap/domain/three.test");
        assertThat(message(result, "dangling_domain_unregistered")).contains("one.test, two.test, three.test.");
        assertThat(message(result, "dangling_registration_unknown"))
                .isEqualTo(
                        "Whether anybody can register four.test is unknown: A check looks up at most 3 registrations.");
    }

    @Test
    void reportsDomainsInSpfTerms() {
        ModuleDefinition<?> spf = SheetModule.load(new Spf());
        CheckResult result = check(spf, "spf.zone.test", REGISTRATIONS);

        assertThat(findings(result)).isEqualTo("warn dangling_reference, fail dangling_domain_unregistered");
        assertThat(message(result, "dangling_reference")).contains("_spf.free.test, mail.taken.test.");
        assertThat(message(result, "dangling_domain_unregistered")).contains(": free.test.");
        assertThat(findings(check(spf, "void.zone.test", REGISTRATIONS))).isEmpty();
    }

    @Test
    void reportsCnameTargetsOfDkimSelectors() {
        CheckResult result = check(
                SheetModule.load(new Dkim()), "dkim.zone.test", Map.of("registrations", true, "selectors", "s1,s2,s3"));

        assertThat(findings(result)).isEqualTo("warn dangling_reference, fail dangling_domain_unregistered");
        assertThat(message(result, "dangling_reference"))
                .contains(": s1._domainkey.dkim.zone.test (alias of s1.dkim.free.test).");
        assertThat(message(result, "selector_alias_dangling")).isEmpty();
    }

    @Test
    void reportsTargetsOfDnsRecords() {
        ModuleDefinition<?> records = SheetModule.load(new DnsRecords());
        CheckResult result = check(records, "records.zone.test", REGISTRATIONS);

        assertThat(findings(result)).isEqualTo("warn dangling_reference, fail dangling_domain_unregistered");
        assertThat(message(result, "dangling_reference")).contains(": mail.free.test, sip.taken.test.");
        assertThat(message(result, "dangling_domain_unregistered")).contains(": free.test.");

        CheckResult alias = check(records, "www.zone.test", REGISTRATIONS);

        assertThat(findings(alias))
                .isEqualTo("fail dangling_alias, warn dangling_reference, fail dangling_domain_unregistered");
        assertThat(message(alias, "dangling_reference")).contains(": www.zone.test (alias of www.free.test).");
    }

    @Test
    void reportsHostsOfScripts() {
        registries.page(
                "/site",
                request -> request.response()
                        .putHeader("content-type", "text/html")
                        .end(
                                """
                    <script src="https://cdn.free.test/a.js"></script> <script src="//host.zone.test/b.js"></script>
                    <script src="/own.js"></script> <script>let x</script> <script src="//10.0.0.1/c.js"></script>
                    <script src="//cdn.taken.test/"></script> <a href="https://link.free.test/">link</a>
                    """));
        String page = registries.base().replace("/rdap/", "/site");

        CheckResult result = check(PAGE_LINKS, page, REGISTRATIONS);

        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(findings(result)).isEqualTo("warn dangling_reference, fail dangling_domain_unregistered");
        assertThat(message(result, "dangling_reference")).contains(": cdn.free.test, cdn.taken.test.");
        assertThat(message(result, "dangling_domain_unregistered")).contains(": free.test.");
    }
}
