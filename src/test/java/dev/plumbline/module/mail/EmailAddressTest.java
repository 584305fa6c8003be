package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.EmailAddress.Evidence;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import dev.plumbline.target.Target;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Rcode;

class EmailAddressTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new EmailAddress());
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
        fixture.dns()
                .record("good.test. 60 IN MX 10 mail.good.test.")
                .record("xn--bcher-kva.test. 60 IN MX 10 mail.good.test.")
                .record("null.test. 60 IN MX 0 .")
                .record("both.test. 60 IN MX 0 .")
                .record("both.test. 60 IN MX 10 mail.good.test.")
                .address("implicit.test", "192.0.2.3")
                .empty("nothing.test")
                .alias("alias.test", "good.test")
                .record("hidden.test. 60 IN MX 10 mail.good.test.")
                .address("hidden.test", "10.1.2.3")
                .record("internal.test. 60 IN MX 10 mail.corp.example.")
                .record("customer.test. 60 IN MX 10 mx.mailinator.com.")
                .record("gmial.com. 60 IN MX 10 mail.good.test.")
                .record("mailinator.com. 60 IN MX 10 mail.good.test.")
                .behave("lame.test", DnsFaults.rcode(Rcode.SERVFAIL))
                .behave("silent.test", DnsFaults.silent());
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            quoteCharacter = '~',
            delimiter = '|',
            value = {
                "jane.doe@good.test | PASS | - | ~~",
                "Jane+news@GOOD.test. | PASS | - | address_tag",
                "postmaster@good.test | PASS | - | role_account",
                "Info+x@good.test | PASS | - | role_account address_tag",
                "list-request@good.test | PASS | - | role_account",
                "\"jane doe\"@good.test | PASS | - | quoted_local_part",
                "\"jane\"@good.test | PASS | - | ~~",
                "用户@bücher.test | PASS | - | non_ascii_local_part",
                "+jane@good.test | PASS | - | ~~",
                "a..b@good.test | FAIL | - | misplaced_dot",
                "a b@good.test | FAIL | - | character_not_allowed",
                "a@b@good.test | FAIL | - | character_not_allowed",
                "@good.test | FAIL | - | local_part_empty",
                "jane(work)@good.test | FAIL | - | comment_in_address",
                "\"a\".b@good.test | FAIL | - | quotation_invalid",
                "jane@alias.test | PASS | - | ~~",
                "jane@null.test | FAIL | - | null_mx",
                "jane@both.test | PASS | - | ~~",
                "jane@implicit.test | WARN | - | implicit_mx",
                "jane@nothing.test | FAIL | - | no_mail_server",
                "jane@mailinator.com | WARN | - | disposable_address",
                "jane@customer.test | WARN | - | disposable_address",
                "jane@gmial.com | WARN | - | domain_misspelled",
                "jane@missing.test | ERROR | dns_nxdomain | domain_not_found",
                "a..b@missing.test | ERROR | dns_nxdomain | misplaced_dot domain_not_found",
                "jane@hidden.test | ERROR | target_blocked | ~~",
                "jane@internal.test | ERROR | target_blocked | ~~",
                "jane@secret.corp.example | ERROR | target_blocked | ~~",
                "jane@lame.test | ERROR | dns_servfail | ~~",
                "jane@silent.test | ERROR | dns_timeout | ~~",
            })
    void reportsTheFindingsOfEachAddress(String address, Verdict verdict, @Nullable String error, String codes) {
        CheckResult result = fixture.check(MODULE, address, "");

        assertThat(result.findings())
                .extracting(Finding::code)
                .isEqualTo(codes.isEmpty() ? List.of() : Arrays.asList(codes.split(" ")));
        assertThat(result.error() == null ? null : result.error().code().id()).isEqualTo(error);
        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.toString()).doesNotContain("10.1.2.3", "mail.corp.example");
    }

    @ParameterizedTest
    @CsvSource({"lame.test,", "missing.test, false", "good.test, false"})
    void doesNotReportAnUnknownDomainAsPermanent(String domain, @Nullable Boolean disposable) {
        assertThat(fixture.check(MODULE, "jane@" + domain, "").fields()).containsEntry("disposable", disposable);
    }

    @Test
    void reportsAllFields() {
        assertThat(fixture.check(MODULE, "\"Jane\"@Gmial.com", "").fields())
                .containsEntry("syntax_valid", true)
                .containsEntry("normalized", "Jane@gmial.com")
                .containsEntry("local_part", "Jane")
                .containsEntry("domain", "gmial.com")
                .containsEntry("has_mx", true)
                .containsEntry("null_mx", false)
                .containsEntry("disposable", false)
                .containsEntry("role_account", false)
                .containsEntry("suggestion", "Jane@gmail.com");
        assertThat(fixture.check(MODULE, "a..b@null.test", "").fields())
                .containsEntry("syntax_valid", false)
                .containsEntry("normalized", null)
                .containsEntry("local_part", null)
                .containsEntry("domain", "null.test")
                .containsEntry("has_mx", false)
                .containsEntry("null_mx", true)
                .containsEntry("suggestion", null);
        assertThat(fixture.check(MODULE, "jane@missing.test", "").fields())
                .containsEntry("syntax_valid", true)
                .containsEntry("has_mx", false)
                .containsEntry("null_mx", false);
        assertThat(fixture.check(MODULE, "jane@lame.test", "").fields())
                .containsEntry("syntax_valid", true)
                .containsEntry("has_mx", null)
                .containsEntry("null_mx", null);
        assertThat(fixture.check(MODULE, "jane@bücher.test", "").fields())
                .containsEntry("normalized", "jane@xn--bcher-kva.test");
    }

    @Test
    void showsTheCharacterAndTheLengthThatAreNotAllowed() {
        assertThat(message("a b")).contains("contains a space,");
        assertThat(message("a;b")).contains("contains ';',");
        assertThat(message("a".repeat(65))).contains("has 65 bytes;");
        Evaluation evaluation = evaluate("a".repeat(64), ("b".repeat(60) + ".").repeat(3) + "cccccc.test", null);
        assertThat(evaluation.findings()).extracting(Finding::code).containsExactly("address_too_long");
    }

    @ParameterizedTest
    @CsvSource({
        "gmial.com, gmail.com",
        "gamil.com, gmail.com",
        "gmail.con, gmail.com",
        "gmail.co, gmail.com",
        "gmaill.com, gmail.com",
        "gnail.com, gmail.com",
        "hotmial.com, hotmail.com",
        "outlok.com, outlook.com",
        "yaho.com, yahoo.com",
        "iclould.com, icloud.com",
        "protonmial.com, protonmail.com",
        "gmail.com, ''",
        "mail.com, ''",
        "email.com, ''",
        "ymail.com, ''",
        "cloud.com, ''",
        "hotmail.fr, ''",
        "yahoo.fr, ''",
        "gmx.com, ''",
        "gmail.example.com, ''",
        "example.com, ''",
    })
    void suggestsProvidersThatDifferByOneEdit(String domain, String provider) {
        assertThat(MailDomains.similarProvider(domain)).isEqualTo(provider.isEmpty() ? null : provider);
    }

    @ParameterizedTest
    @CsvSource({
        "mailinator.com, true",
        "any.mailinator.com, true",
        "notmailinator.com, false",
        "com, false",
        ".mailinator.com, true",
        "., false",
        "example.com, false"
    })
    void recognizesDisposableDomains(String domain, boolean disposable) {
        assertThat(MailDomains.isDisposable(domain)).isEqualTo(disposable);
    }

    /** The MX records of BIND's zone, as dig reports them. */
    @Tag("integration")
    @Test
    void agreesWithDig(@TempDir Path folder) throws Exception {
        String zone =
                """
                with 60 IN MX 10 ns1
                null 60 IN MX 0 .
                host 60 IN A 192.0.2.1
                text 60 IN TXT "x"
                """;
        try (NamedServer named = NamedServer.start(folder, Map.of("mail.test", zone))) {
            for (String name : List.of("with", "null", "host", "text")) {
                String domain = name + ".mail.test";
                CheckResult result = fixture.check(MODULE, named.address(), "jane@" + domain, "");
                List<String> records = Dig.query(named.port(), "+short", domain, "MX");
                assertThat(result.fields())
                        .as(domain)
                        .containsEntry("null_mx", records.equals(List.of("0 .")))
                        .containsEntry("has_mx", !records.isEmpty() && !records.equals(List.of("0 .")));
            }
        }
    }

    private static String message(String local) {
        return evaluate(local, "good.test", null).findings().get(0).message();
    }

    private static Evaluation evaluate(String local, String domain, @Nullable ErrorCode code) {
        CheckError error = code == null ? null : new CheckError(code, "Failed.");
        return MODULE.evaluate(
                new Evidence(new Target.Email(local, domain), List.of("mx.test"), false, error),
                Options.defaults(MODULE.description()));
    }
}
