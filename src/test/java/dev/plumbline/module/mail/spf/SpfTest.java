package dev.plumbline.module.mail.spf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.spf.Spf.Evidence;
import dev.plumbline.module.mail.spf.SpfTree.Node;
import dev.plumbline.module.mail.spf.SpfTree.NodeTerm;
import dev.plumbline.module.mail.spf.SpfTree.Outcome;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import java.nio.file.Path;
import java.time.Duration;
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
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class SpfTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Spf());
    private DnsFixture fixture;

    @BeforeEach
    void start() {
        fixture = DnsFixture.start();
        // RFC 7208 appendix A
        fixture.dns()
                .address("example.com", "192.0.2.10", "192.0.2.11")
                .record("example.com. 60 IN MX 10 mail-a.example.com.")
                .record("example.com. 60 IN MX 20 mail-b.example.com.")
                .address("mail-a.example.com", "192.0.2.129")
                .address("mail-b.example.com", "192.0.2.130")
                .record("example.org. 60 IN MX 10 mail-c.example.org.")
                .address("example.org", "192.0.2.140")
                .address("mail-c.example.org", "192.0.2.140");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void text(String domain, String text) {
        StringBuilder strings = new StringBuilder();
        for (int i = 0; i < text.length(); i += 200) {
            strings.append('"')
                    .append(text, i, Math.min(text.length(), i + 200))
                    .append("\" ");
        }
        fixture.dns().record(domain + ". 60 IN TXT " + strings);
    }

    private CheckResult check(String domain) {
        return fixture.check(MODULE, domain, "");
    }

    private CheckResult checkRecord(String record) {
        text("example.com", record);
        return check("example.com");
    }

    private static Set<String> codes(List<Finding> findings) {
        return new TreeSet<>(findings.stream().map(Finding::code).toList());
    }

    private static Set<String> words(@Nullable String text) {
        return new TreeSet<>(text == null ? List.of() : Arrays.asList(text.split(" ")));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "v=spf1 +all, +, 0, 0, pass_all",
                "v=spf1 a -all, -, 1, 0, none",
                "v=spf1 a:example.org -all, -, 1, 0, none",
                "v=spf1 mx -all, -, 1, 0, none",
                "v=spf1 mx:example.org -all, -, 1, 0, none",
                "v=spf1 mx mx:example.org -all, -, 2, 0, none",
                "v=spf1 mx/30 mx:example.org/30 -all, -, 2, 0, none",
                "v=spf1 ptr -all, -, 1, 0, ptr_used",
                "v=spf1 ip4:192.0.2.128/28 -all, -, 0, 1, none",
            })
    void evaluatesTheSimpleExamplesOfRfc7208(String record, String all, int lookups, int ip4, @Nullable String codes) {
        CheckResult result = checkRecord(record);

        assertThat(codes(result.findings())).isEqualTo(words(codes));
        assertThat(result.fields())
                .containsEntry("record", record)
                .containsEntry("valid", true)
                .containsEntry("all_qualifier", all)
                .containsEntry("lookup_count", lookups)
                .containsEntry("void_lookup_count", 0)
                .containsEntry("ip4_count", ip4)
                .containsEntry("errors", List.of());
    }

    @Test
    void evaluatesTheExtendedExamplesOfRfc7208() {
        text("example.org", "v=spf1 include:example.com include:example.net -all");
        text("la.example.org", "v=spf1 redirect=example.org");
        text("example.net", "v=spf1 ip4:192.0.2.1 -all");
        text("example.com", "v=spf1 mx include:mobile-users._spf.%{d} include:remote-users._spf.%{d} -all");
        text("mobile-users._spf.example.com", "v=spf1 exists:%{l1r+}.%{d}");
        text("remote-users._spf.example.com", "v=spf1 exists:%{ir}.%{l1r+}.%{d}");
        text("strict.example", "v=spf1 -include:ip4._spf.%{d} -include:ptr._spf.%{d} +all");
        text("ip4._spf.strict.example", "v=spf1 -ip4:192.0.2.0/24 +all");
        text("ptr._spf.strict.example", "v=spf1 -ptr +all");

        assertThat(check("la.example.org").fields())
                .containsEntry("valid", true)
                .containsEntry("all_qualifier", "-")
                .containsEntry("lookup_count", 8)
                .containsEntry("ip4_count", 1);
        CheckResult users = check("example.com");
        assertThat(users.fields()).containsEntry("lookup_count", 5).containsEntry("valid", true);
        assertThat(codes(users.findings())).isEqualTo(words("depends_on_mail"));
        CheckResult strict = check("strict.example");
        assertThat(strict.fields()).containsEntry("lookup_count", 3).containsEntry("valid", true);
        assertThat(codes(strict.findings())).isEqualTo(words("pass_all ptr_used"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "v=spf1|none|true|no_all",
                "V=SPF1 MX -ALL|-|true|none",
                "v=spf1  a   ~all |~|true|softfail_all",
                "v=spf1 ?all|?|true|neutral_all",
                "v=spf1 all|+|true|pass_all",
                "v=spf1 a mx|none|true|no_all",
                "v=spf1 -all a mx|-|true|terms_after_all",
                "v=spf1 -all redirect=example.org|-|true|redirect_ignored",
                "v=spf1 exp=explain.example.com -all|-|true|none",
                "v=spf1 -all exp=explain.example.com|-|true|none",
                "v=spf1 foo=bar%{i} -all|-|true|unknown_modifier",
                "v=spf1 include=example.org -all|-|true|unknown_modifier",
                "v=spf1 ip4:0.0.0.0/0 -all|-|true|wide_network",
                "v=spf1 ip6:2000::/3 -all|-|true|wide_network",
                "v=spf1 a/8 -all|-|true|wide_network",
                "v=spf1 a a -all|-|true|repeated_term",
                "v=spf1 a//64 mx/24//64 a:example.org/24 -all|-|true|none",
                "v=spf1 a:%{o}/24 mx:%{d2}//64 -all|-|true|none",
                "v=spf1 exists:%{i}._spf.%{d} -all|-|true|depends_on_mail",
                "v=spf1 a:nobody.example.com -all|-|true|dangling_reference void_lookup",
                "v=spf1 ip5:1.2.3.4 -all|-|false|syntax_error",
                "v=spf1 ip4:1.2.3 -all|-|false|syntax_error",
                "v=spf1 ip4:1.2.3.4/33 -all|-|false|syntax_error",
                "v=spf1 ip4:1.2.3.4/024 -all|-|false|syntax_error",
                "v=spf1 ip4 -all|-|false|syntax_error",
                "v=spf1 ip4:::1 -all|-|false|syntax_error",
                "v=spf1 ip6:1.2.3.4 -all|-|false|syntax_error",
                "v=spf1 a:1.2.3.4 -all|-|false|syntax_error",
                "v=spf1 include:localhost -all|-|false|syntax_error",
                "v=spf1 include: -all|-|false|syntax_error",
                "v=spf1 include -all|-|false|syntax_error",
                "v=spf1 a:example.org/ -all|-|false|syntax_error",
                "v=spf1 a:example.org//129 -all|-|false|syntax_error",
                "v=spf1 exists:%{x} -all|-|false|syntax_error",
                "v=spf1 exists:%{d0} -all|-|false|syntax_error",
                "v=spf1 exists:%{r}.example.org -all|-|false|syntax_error",
                "v=spf1 exists:50%.example.org -all|-|false|syntax_error",
                "v=spf1 -all.|none|false|syntax_error",
                "v=spf1 -all:x|none|false|syntax_error",
                "v=spf1 exp=a.example.com exp=b.example.com -all|-|false|syntax_error",
                "v=spf1 redirect=example.org redirect=example.org|none|false|include_without_record repeated_term "
                        + "syntax_error",
                "v=spf1 include:nobody.example.com -all|-|false|dangling_reference include_without_record",
                "v=spf1 redirect=example.org|none|false|include_without_record",
                "v=spf1 include:example.com -all|-|false|include_loop",
                "v=spf1 redirect=example.com|none|false|include_loop",
                "v=spf1 -all nonsense|-|false|syntax_error",
                "v=spf1 -all mx ip4|-|false|syntax_error terms_after_all",
                "v=spf1 ?all redirect=|?|false|neutral_all syntax_error",
                "v=spf1 redirect=a.example.org -all redirect=b.example.org|-|false|redirect_ignored syntax_error",
                "v=spf1 exp=a.example.org -all exp=b.example.org|-|false|syntax_error",
                "v=spf1 a:mail..example.org -all|-|false|syntax_error",
                "v=spf1 a:.example.org -all|-|false|syntax_error",
                "v=spf1 mx:example.org.. -all|-|false|syntax_error",
                "v=spf1 exists:%{i}..example.org -all|-|false|syntax_error",
                "v=spf1 -all include:mail..example.org|-|false|syntax_error",
                "v=spf1 a:example.com. mx:example.com.//64 -all|-|true|none",
                "v=spf1 a:example.com/0/24 -all|-|false|syntax_error",
                "v=spf1 a:slash/24.example.com/24 a:colon:8.example.com -all|-|true|dangling_reference void_lookup",
                "v=spf1 a:colon:a/slash.example.com -all|-|true|none",
                "v=spf1 = : / -all|-|false|syntax_error",
                "v=spf1 a, mx -all|-|false|syntax_error"
            })
    void reportsFindingsForEachRecord(String record, @Nullable String all, boolean valid, @Nullable String codes) {
        fixture.dns().address("colon:a/slash.example.com", "192.0.2.1");
        CheckResult result = checkRecord(record);

        assertThat(codes(result.findings())).isEqualTo(words(codes));
        assertThat(result.fields()).containsEntry("valid", valid).containsEntry("all_qualifier", all);
    }

    @ParameterizedTest
    @CsvSource({"10, true, many_lookups", "11, false, too_many_lookups", "7, true, ''", "60, false, x"})
    void countsLookupsThroughIncludes(int lookups, boolean valid, String code) {
        StringBuilder record = new StringBuilder("v=spf1 include:inner.example.org");
        StringBuilder inner = new StringBuilder("v=spf1");
        for (int i = 1; i < lookups; i++) {
            (i % 2 == 0 ? record : inner).append(" a:h").append(i).append(".example.org");
            fixture.dns().address("h" + i + ".example.org", "192.0.2.1");
        }
        text("inner.example.org", inner.toString());

        CheckResult result = checkRecord(record + " -all");

        assertThat(result.fields()).containsEntry("lookup_count", lookups).containsEntry("valid", valid);
        assertThat(codes(result.findings()))
                .isEqualTo(words(
                        code.isEmpty()
                                ? null
                                : code.equals("x") ? "too_many_lookups not_all_followed long_record" : code));
    }

    @ParameterizedTest
    @CsvSource({
        "0, true, ''",
        "2, true, dangling_reference void_lookup",
        "3, false, dangling_reference too_many_void_lookups void_lookup"
    })
    void countsVoidLookups(int voids, boolean valid, String codes) {
        fixture.dns().empty("empty.example.org");
        String terms = " a:empty.example.org mx:nobody.example.org exists:no.example.org".repeat(1);
        String record = "v=spf1" + String.join(" ", Arrays.copyOf(terms.split(" "), voids + 1)) + " -all";

        CheckResult result = checkRecord(voids == 0 ? "v=spf1 -all" : record.replace("spf1", "spf1 "));

        assertThat(result.fields()).containsEntry("void_lookup_count", voids).containsEntry("valid", valid);
        assertThat(codes(result.findings())).isEqualTo(words(codes.isEmpty() ? null : codes));
    }

    @Test
    void namesAllTermsWithVoidLookups() {
        CheckResult result = checkRecord("v=spf1 a:x.example.org mx:y.example.org -all");

        assertThat(result.findings())
                .extracting(Finding::message)
                .containsExactly(
                        "The lookups for these terms return no records: a:x.example.org, mx:y.example.org.",
                        "These domains in SPF terms do not exist (NXDOMAIN): x.example.org, y.example.org.");
    }

    @ParameterizedTest
    @CsvSource({"lame, the nameservers failed", "silent, the lookup timed out"})
    void reportsWhyALookupFailed(String name, String why) {
        fixture.dns()
                .behave("lame.example.org", DnsFaults.rcode(Rcode.SERVFAIL))
                .behave("silent.example.org", DnsFaults.silent());

        CheckResult result = checkRecord("v=spf1 a:" + name + ".example.org -all");

        assertThat(result.fields().get("errors").toString()).contains(why);
        assertThat(result.findings())
                .extracting(Finding::message)
                .singleElement()
                .asString()
                .contains(why);
    }

    @Test
    void detectsLoopsThroughSeveralRecords() {
        text("a.example.org", "v=spf1 include:b.example.org -all");
        text("b.example.org", "v=spf1 redirect=a.example.org");

        CheckResult result = check("a.example.org");

        assertThat(codes(result.findings())).containsExactly("include_loop");
        assertThat(result.fields().get("errors").toString())
                .isEqualTo("[redirect=a.example.org in b.example.org: the term creates an include loop.]");
    }

    @Test
    void boundsTheNumberOfFollowedIncludes() {
        for (int i = 0; i < 12; i++) {
            String next = "b" + (i + 1) + ".example.org";
            text("b" + i + ".example.org", "v=spf1" + (" include:" + next).repeat(10) + " -all");
        }

        CheckResult result = check("b0.example.org");

        assertThat(codes(result.findings())).contains("too_many_lookups", "not_all_followed");
        assertThat((int) result.fields().get("lookup_count")).isLessThan(500);
        assertThat(fixture.dns().queries("b1.example.org")).isLessThanOrEqualTo(3);
    }

    /** A record with includes, each of them a chain of eight CNAME records. */
    private String includesBehindAliases(int includes) {
        StringBuilder record = new StringBuilder("v=spf1");
        for (int i = 0; i < includes; i++) {
            for (int hop = 0; hop < 8; hop++) {
                String next = "i" + i + "-" + (hop + 1) + ".example.org";
                fixture.dns().behave("i" + i + "-" + hop + ".example.org", DnsFaults.aliasOnly(next));
            }
            text("i" + i + "-8.example.org", "v=spf1 -all");
            record.append(" include:i").append(i).append("-0.example.org");
        }
        return record + " -all";
    }

    @Test
    void boundsTheNumberOfQueries() {
        CheckResult result = checkRecord(includesBehindAliases(40));

        assertThat(fixture.dns().queries()).isLessThan(200);
        assertThat(codes(result.findings())).contains("too_many_lookups", "not_all_followed");
        assertThat(result.fields()).containsEntry("lookup_count", 40).containsEntry("valid", false);
    }

    @Test
    void doesNotDecideValidityAfterTheQueryLimit() {
        CheckResult result = checkRecord(includesBehindAliases(10));

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo("request_limit");
        assertThat(result.fields()).containsEntry("valid", null).containsEntry("lookup_count", 10);
        assertThat(codes(result.findings())).contains("not_all_followed");
    }

    @Test
    void hidesPrivateDomainsWithMxRecords() {
        fixture.dns().address("split.example.org", "10.1.2.3");
        fixture.dns().record("split.example.org. 60 IN MX 10 mail.example.org.");

        CheckResult result = checkRecord("v=spf1 mx:split.example.org -all");

        assertThat(codes(result.findings())).containsExactly("private_names_hidden");
        assertThat(result.fields().get("tree").toString()).contains("belongs to a private network");
    }

    @ParameterizedTest
    @CsvSource({"5000, more than 4096 characters", "2000, more than 300 terms"})
    void doesNotParseOverlongRecords(int words, String size) {
        CheckResult result = checkRecord("v=spf1" + " x".repeat(words) + " -all");

        assertThat(codes(result.findings())).containsExactly("long_record", "syntax_error");
        assertThat(result.fields()).containsEntry("valid", false);
        assertThat(result.fields().get("errors").toString()).contains(size).hasSizeLessThan(200);
        assertThat(result.toString()).hasSizeLessThan(20_000);
    }

    @Test
    void limitsTheNumberOfErrorsAndTerms() {
        StringBuilder record = new StringBuilder("v=spf1");
        for (int i = 0; i < 30; i++) {
            text("i" + i + ".example.org", "v=spf1" + " x".repeat(250));
            record.append(" include:i").append(i).append(".example.org");
        }

        CheckResult result = checkRecord(record + " -all");

        assertThat((List<?>) result.fields().get("errors")).hasSize(101);
        assertThat(codes(result.findings())).contains("syntax_error", "not_all_followed");
        assertThat(result.fields()).containsEntry("lookup_count", 30);
        assertThat(result.fields().get("tree").toString().split("term=", -1)).hasSizeLessThanOrEqualTo(1_001);
    }

    @Test
    void doesNotQueryNamesWithEscapes() {
        text("mail.corp.example", "v=spf1 ip4:10.9.9.9 -all");

        CheckResult result = checkRecord("v=spf1 include:mail.c\\\\111rp.example -all");

        assertThat(codes(result.findings())).containsExactly("syntax_error");
        assertThat(result.toString()).doesNotContain("10.9.9.9");
        assertThat(fixture.dns().queries("mail.corp.example")).isZero();
    }

    @Test
    void distinguishesSeveralRecordsFromOne() {
        text("two.example.org", "v=spf1 -all");
        text("two.example.org", "v=spf1 a -all");
        text("one.example.org", "v=spf1 -all");
        text("one.example.org", "v=spf10 -all");
        text("one.example.org", "google-site-verification=x");
        text("outer.example.org", "v=spf1 include:two.example.org -all");

        CheckResult two = check("two.example.org");
        assertThat(two.fields())
                .containsEntry("record", null)
                .containsEntry("multiple", true)
                .containsEntry("valid", false);
        assertThat(codes(two.findings())).containsExactly("several_records");
        assertThat(two.findings().get(0).message()).contains("\"v=spf1 -all\"", "\"v=spf1 a -all\"");
        assertThat(codes(check("one.example.org").findings())).containsExactly("lookalike");
        assertThat(codes(check("outer.example.org").findings())).containsExactly("include_with_several_records");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=spf1a -all", "v=spf1\t-all", "\\\"v=spf1 -all\\\"", "spf1 -all", "v=spf2 x"})
    void reportsTextsThatResembleARecord(String text) {
        fixture.dns().record("like.example.org. 60 IN TXT \"" + text + "\"");

        CheckResult result = check("like.example.org");

        assertThat(codes(result.findings())).containsExactly("lookalike", "spf_missing");
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    void joinsTheStringsOfARecord() {
        String networks = " ip4:192.0.2.1".repeat(1) + " ip4:198.51.100.0/24 ip4:203.0.113.0/24";
        StringBuilder record = new StringBuilder("v=spf1");
        for (int i = 0; i < 40; i++) {
            record.append(" ip4:192.0.2.").append(i);
        }
        CheckResult result = checkRecord(record + networks + " -all");

        assertThat(result.fields()).containsEntry("valid", true).containsEntry("ip4_count", 43);
        assertThat(codes(result.findings())).containsExactly("long_record", "repeated_term");
    }

    @Tag("integration")
    @ParameterizedTest
    @CsvSource({
        "include:lame.example.org, dns_servfail",
        "a:lame.example.org, dns_servfail",
        "mx:lame.example.org, dns_servfail",
        "exists:lame.example.org, dns_servfail",
        "redirect=lame.example.org, dns_servfail",
        "include:silent.example.org, dns_timeout",
        "mx:silent.example.org, dns_timeout",
        "include:outer.example.org, dns_servfail",
        "include:silent.example.org include:lame.example.org, dns_timeout",
        "include:inside.example.org, target_blocked"
    })
    void doesNotDecideValidityAfterAFailedLookup(String terms, String code) {
        fixture.dns()
                .behave("lame.example.org", DnsFaults.rcode(Rcode.SERVFAIL))
                .behave("silent.example.org", DnsFaults.silent())
                .address("inside.example.org", "10.1.2.3");
        text("outer.example.org", "v=spf1 include:lame.example.org -all");

        CheckResult result = checkRecord("v=spf1 " + terms);

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo(code);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(result.fields()).containsEntry("valid", null);
        assertThat((List<?>) result.fields().get("errors")).isNotEmpty();
        assertThat(result.error().message()).contains(terms.split(" ")[0].substring(0, 3));
        assertThat(codes(result.findings()))
                .contains(code.equals("target_blocked") ? "private_names_hidden" : "lookup_failed");
    }

    @Tag("integration")
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, AAAA, dns_servfail, the nameservers failed",
        "192.0.2.1, AAAA, dns_timeout, the lookup timed out",
        "2001:db8::1, A, dns_servfail, the nameservers failed",
        "2001:db8::1, A, dns_timeout, the lookup timed out"
    })
    void doesNotDecideValidityIfOneAddressFamilyFails(String address, String lost, String code, String why) {
        fixture.dns()
                .address("half.example.org", address)
                .behave(
                        "half.example.org",
                        DnsFaults.only(
                                Type.value(lost),
                                code.equals("dns_timeout") ? DnsFaults.silent() : DnsFaults.rcode(Rcode.SERVFAIL)));

        CheckResult result = checkRecord("v=spf1 a:half.example.org -all");

        assertThat(result.fields())
                .containsEntry("valid", null)
                .containsEntry("void_lookup_count", 0)
                .containsEntry("errors", List.of("a:half.example.org: " + why + " for one address family."));
        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo(code);
        assertThat(codes(result.findings())).containsExactly("lookup_failed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1", "2001:db8::1"})
    void acceptsAddressesOfOneFamily(String address) {
        fixture.dns().address("one.example.org", address);

        CheckResult result = checkRecord("v=spf1 a:one.example.org -all");

        assertThat(result.fields()).containsEntry("valid", true).containsEntry("void_lookup_count", 0);
        assertThat(result.findings()).isEmpty();
    }

    @Test
    void looksUpOnlyIpv4AddressesForExists() {
        fixture.dns()
                .address("six.example.org", "2001:db8::1")
                .address("four.example.org", "192.0.2.1")
                .behave("four.example.org", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)));

        CheckResult result = checkRecord("v=spf1 exists:six.example.org exists:four.example.org -all");

        assertThat(result.fields()).containsEntry("valid", true).containsEntry("void_lookup_count", 1);
        assertThat(result.findings())
                .extracting(Finding::message)
                .containsExactly("The lookups for these terms return no records: exists:six.example.org.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:%{d1}%{d1}.example.org", "mx:x%{o1}.example.org", "include:%{d1}-.example.org"})
    void reportsNamesThatAreInvalidAfterExpansion(String term) {
        String domain = "example." + "x".repeat(63);
        text(domain, "v=spf1 " + term + " -all");

        CheckResult result = check(domain);

        assertThat(result.fields()).containsEntry("valid", false);
        assertThat(codes(result.findings())).containsExactly("syntax_error");
        assertThat(result.error()).isNull();
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(strings = {"A", "AAAA"})
    void evaluatesARecordWhoseDomainHasNoReachableAddresses(String lost) {
        text("inner.example.org", "v=spf1 ip4:192.0.2.1 -all");
        text("outer.example.org", "v=spf1 include:inner.example.org -all");
        fixture.dns()
                .behave("inner.example.org", DnsFaults.only(Type.value(lost), DnsFaults.silent()))
                .behave("outer.example.org", DnsFaults.only(Type.value(lost), DnsFaults.rcode(Rcode.SERVFAIL)));

        CheckResult result = check("outer.example.org");

        assertThat(result.error()).isNull();
        assertThat(result.findings()).isEmpty();
        assertThat(result.fields()).containsEntry("valid", true).containsEntry("ip4_count", 1);
    }

    @Test
    void doesNotShowRecordsIfTheDeadlinePreventsTheSearchForPrivateAddresses() {
        text("outer.example.org", "v=spf1 ip4:192.0.2.77 -all");
        fixture.dns().behave("outer.example.org", DnsFaults.only(Type.A, DnsFaults.silent()));

        CheckResult result = fixture.check(MODULE, "outer.example.org", "timeout_ms=1500");

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo("dns_timeout");
        assertThat(result.toString()).doesNotContain("192.0.2.77");
    }

    @Test
    void reportsInvalidRecordsDespiteFailedLookups() {
        fixture.dns().behave("lame.example.org", DnsFaults.rcode(Rcode.SERVFAIL));

        CheckResult result = checkRecord("v=spf1 include:lame.example.org ip4:x -all");

        assertThat(result.fields()).containsEntry("valid", false);
        assertThat((List<?>) result.fields().get("errors")).hasSize(2);
        assertThat(codes(result.findings())).containsExactly("lookup_failed", "syntax_error");
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.error()).isNull();
    }

    @Test
    void reportsErrorsOfLookups() {
        fixture.dns().behave("lame.example.org", DnsFaults.rcode(Rcode.SERVFAIL));
        assertThat(check("lame.example.org").error().code().id()).isEqualTo("dns_servfail");
        assertThat(check("missing.test").error().code().id()).isEqualTo("dns_nxdomain");
        fixture.dns()
                .address("slow.example.org", "192.0.2.1")
                .behave("slow.example.org", DnsFaults.only(Type.TXT, DnsFaults.silent()));
        assertThat(check("slow.example.org").error().code().id()).isEqualTo("dns_timeout");
    }

    @Test
    void hidesPrivateNetworks() {
        fixture.dns().address("split.example.org", "10.1.2.3");
        text("split.example.org", "v=spf1 ip4:10.9.9.9 -all");
        text("mail.corp.example", "v=spf1 ip4:10.9.9.9 -all");
        text(
                "outer.example.org",
                "v=spf1 include:split.example.org include:mail.corp.example a:split.example.org -all");

        CheckResult result = check("outer.example.org");

        assertThat(codes(result.findings())).containsExactly("private_names_hidden");
        assertThat(result.toString()).doesNotContain("10.9.9.9", "10.1.2.3");
        assertThat(check("split.example.org").error().code().id()).isEqualTo("target_blocked");
        assertThat(fixture.dns().queries("mail.corp.example")).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "%{o}, email.example.com",
        "%{d}, email.example.com",
        "%{d4}, email.example.com",
        "%{d3}, email.example.com",
        "%{d2}, example.com",
        "%{d1}, com",
        "%{dr}, com.example.email",
        "%{d2r}, example.email",
        "%{D2}.A%%b, example.com.a%b",
        "a%_b%-c., a b%20c",
        "%{d1-}, email.example.com"
    })
    void expandsTheMacroExamplesOfRfc7208(String text, String expanded) {
        assertThat(SpfMacros.expand(text, "email.example.com", "email.example.com"))
                .isEqualTo(expanded);
    }

    @ParameterizedTest
    @ValueSource(strings = {"%{s}", "%{l}.%{d}", "%{i}", "%{ir}.x", "%{h}", "%{v}", "%{p}"})
    void doesNotExpandMacrosThatDependOnTheMessage(String text) {
        assertThat(SpfMacros.expand(text, "example.com", "example.com")).isNull();
    }

    @Test
    void truncatesLongNamesFromTheLeft() {
        String label = "x".repeat(63);
        String name = String.join(".", label, label, label, label, "example.com");

        assertThat(SpfMacros.expand(name, "example.com", "example.com"))
                .isEqualTo(String.join(".", label, label, label, "example.com"));
        assertThat(SpfMacros.expand("%{d}.".repeat(5_000) + name, "example.com", "example.com"))
                .isEqualTo(String.join(".", label, label, label, "example.com"));
        assertThat(SpfMacros.expand("%{d}".repeat(5_000), "x".repeat(63), "example.com"))
                .hasSizeLessThan(5_000);
    }

    @Provide
    Arbitrary<String> records() {
        Arbitrary<String> piece = Arbitraries.of(
                " ",
                " ",
                "a",
                "mx",
                "include:",
                "redirect=",
                "exp=",
                "ip4:",
                "1.2.3.4",
                "/24",
                "//64",
                "all",
                "-",
                "~",
                "?",
                "+",
                "%{d}",
                "%{",
                "}",
                "%{d2r.-}",
                "exists:",
                "ptr",
                "ip6:",
                "::1",
                ".",
                "example.com",
                "=",
                ":",
                "/",
                "\u00e9",
                "\t",
                "%",
                "%%",
                "%_");
        return piece.list().ofMaxSize(40).map(list -> "v=spf1 " + String.join("", list));
    }

    @Property(tries = 2000)
    void evaluatesAnyRecord(@ForAll("records") String text) {
        SpfRecord record = SpfRecord.parse(text);
        for (SpfRecord.Term term : record.terms()) {
            assertThat(term.error() == null).isEqualTo(term.kind() != SpfRecord.Kind.INVALID);
            if (term.domain() != null) {
                SpfMacros.expand(term.domain(), "example.com", "example.com");
            }
        }
        Evaluation evaluation = evaluate(text);
        assertThat(evaluation.fields().keySet())
                .containsExactlyElementsOf(MODULE.description().fields().stream()
                        .map(FieldDescription::name)
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " a",
                " x",
                "%",
                "%{",
                "%{d",
                " a:%{d2----------",
                "/",
                "//",
                " ip4:1",
                "=",
                "a=",
                " redirect=",
                "}",
                "-",
                " all",
                ".",
                "a.",
                " exists:%{d}%{d}%{d}"
            })
    void evaluatesAMegabyteOfHostileTextInSeconds(String piece) {
        String text = "v=spf1 a:" + piece.repeat(1_000_000 / piece.length());

        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> evaluate(text));
    }

    private static Evaluation evaluate(String text) {
        List<NodeTerm> terms = SpfRecord.parse(text).terms().stream()
                .map(term -> new NodeTerm(term, null))
                .toList();
        Node root = new Node("example.com", Outcome.FOUND, text, terms);
        return MODULE.evaluate(
                new Evidence(new SpfTree(root, List.of(text), List.of(), null), null, DanglingReferences.NONE),
                Options.defaults(MODULE.description()));
    }

    @Tag("integration")
    @Test
    void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
        try (NamedServer named = NamedServer.start(
                folder,
                Map.of(
                        "zone.test",
                        """
                @ IN TXT "v=spf1 a mx include:_spf" ".other.test -all"
                @ IN TXT "other"
                @ IN A 192.0.2.1
                @ IN MX 10 mail
                mail IN A 192.0.2.2
                alias IN CNAME @
                loop IN TXT "v=spf1 include:loop.other.test -all"
                """,
                        "other.test",
                        """
                _spf IN TXT "v=spf1 ip4:192.0.2.0/24 exists:nobody.other.test ?all"
                loop IN TXT "v=spf1 redirect=loop.zone.test"
                """))) {
            CheckResult result = fixture.check(MODULE, named.address(), "zone.test", "");

            assertThat(Dig.texts(named.port(), "zone.test"))
                    .contains(String.valueOf(result.fields().get("record")));
            assertThat(result.fields())
                    .containsEntry("valid", true)
                    .containsEntry("lookup_count", 4)
                    .containsEntry("void_lookup_count", 1)
                    .containsEntry("ip4_count", 1);
            assertThat(Dig.query(named.port(), "+short", "nobody.other.test", "A"))
                    .isEmpty();
            assertThat(fixture.check(MODULE, named.address(), "alias.zone.test", "")
                            .fields())
                    .containsEntry("record", result.fields().get("record"));
            assertThat(codes(fixture.check(MODULE, named.address(), "loop.zone.test", "")
                            .findings()))
                    .containsExactly("include_loop");
        }
    }
}
