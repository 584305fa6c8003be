package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.failedTrace;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.redirect;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecurityTxtTest {
    private static final ModuleDefinition<SecurityTxt.Evidence> MODULE = SheetModule.load(new SecurityTxt());
    private static final Instant NOW = Instant.parse("2021-06-01T00:00:00Z");
    private static final String URL = "https://example.com/.well-known/security.txt";
    private static final String LEGACY = "https://example.com/security.txt";
    private static final String TYPE = "Content-Type: text/plain; charset=utf-8";
    private static final String VALID = "Contact: mailto:security@example.com\nExpires: 2021-12-31T18:37:07z\n";

    /** RFC 9116 section 2.6. */
    private static final String UNSIGNED =
            """
            # Our security address
            Contact: mailto:security@example.com

            # Our OpenPGP key
            Encryption: https://example.com/pgp-key.txt

            # Our security policy
            Policy: https://example.com/security-policy.html

            # Our security acknowledgments page
            Acknowledgments: https://example.com/hall-of-fame.html

            Expires: 2021-12-31T18:37:07z
            """;

    /** RFC 9116 section 2.7. */
    private static final String SIGNED =
            """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA256

            # Canonical URI
            Canonical: https://example.com/.well-known/security.txt

            # Our security address
            Contact: mailto:security@example.com

            # Our OpenPGP key
            Encryption: https://example.com/pgp-key.txt

            # Our security policy
            Policy: https://example.com/security-policy.html

            # Our security acknowledgments page
            Acknowledgments: https://example.com/hall-of-fame.html
            Expires: 2021-12-31T18:37:07z
            -----BEGIN PGP SIGNATURE-----
            Version: GnuPG v2.2

            [signature]
            -----END PGP SIGNATURE-----
            """;

    @Test
    void acceptsTheUnsignedExampleOfTheRfc() {
        Evaluation evaluation = evaluate(UNSIGNED);

        assertThat(evaluation.findings()).isEmpty();
        assertThat(evaluation.fields())
                .containsEntry("found", true)
                .containsEntry("url", URL)
                .containsEntry("contacts", List.of("mailto:security@example.com"))
                .containsEntry("expires", Instant.parse("2021-12-31T18:37:07Z"))
                .containsEntry("expired", false)
                .containsEntry("signed", false)
                .containsEntry("canonical_ok", null)
                .containsEntry("errors", List.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", " \t\r\n"})
    void acceptsTheSignedExampleOfTheRfc(String end) {
        Evaluation evaluation = evaluate(SIGNED.replace("\n", end));

        assertThat(codes(evaluation)).containsExactly("signature_not_verified");
        assertThat(evaluation.fields())
                .containsEntry("signed", true)
                .containsEntry("canonical_ok", true)
                .containsEntry("expires", Instant.parse("2021-12-31T18:37:07Z"))
                .containsEntry("errors", List.of());
    }

    /** The values of the examples in RFC 9116 section 2.5. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Acknowledgments: https://example.com/hall-of-fame.html",
                "Canonical: https://example.com/.well-known/security.txt",
                "Contact: mailto:security%2Buri%2Bencoded@example.com",
                "Contact: tel:+1-201-555-0123",
                "Contact: https://example.com/security-contact.html",
                "Encryption: dns:5d2d37ab76d47d36._openpgpkey.example.com?type=OPENPGPKEY",
                "Encryption: openpgp4fpr:5f2de5521c63a801ab59ccb603d49de44b29100f",
                "Hiring: https://example.com/jobs.html",
                "Policy: https://example.com/disclosure-policy.html",
                "Preferred-Languages: en, es, fr",
                "preferred-languages: de-CH-1996",
                "CSAF: https://example.com/.well-known/csaf/provider-metadata.json",
                "# caf\u00e9: no field"
            })
    void acceptsTheFieldsOfTheRfc(String line) {
        Evaluation evaluation = evaluate(VALID + line + "\n");

        assertThat(evaluation.findings()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Contact security@example.com | Line 3: \"Contact security@example.com\" does not contain a colon.",
                "Contact: security@example.com | Line 3: the Contact \"security@example.com\" is not a URI; an e-mail "
                        + "address starts with mailto:.",
                "Contact: +1-201-555-0123 | Line 3: the Contact \"+1-201-555-0123\" is not a URI.",
                "Contact: http://example.com/x | Line 3: the Contact http://example.com/x must use https://.",
                "Policy:https://example.com/ | Line 3: a space must follow the colon.",
                "Policy: | Line 3: the field Policy is empty.",
                "Policy: https://example.com/a b | Line 3: the Policy \"https://example.com/a b\" is not a URI.",
                "Policy : https://example.com/ | Line 3: the field name \"Policy \" is not valid.",
                "Preferred-Languages: english speakers | Line 3: \"english speakers\" is not a list of language tags.",
                "Preferred-Languages: en,,de | Line 3: \"en,,de\" is not a list of language tags."
            })
    void reportsMalformedLines(String line, String error) {
        Evaluation evaluation = evaluate(VALID + line + "\n");

        assertThat(codes(evaluation)).containsExactly("file_malformed");
        assertThat(evaluation.fields()).containsEntry("errors", List.of(error));
    }

    @Test
    void reportsRepeatedLanguagesByteOrderMarkAndCarriageReturns() {
        assertThat(errors(VALID + "Preferred-Languages: en\nPreferred-Languages: de\n"))
                .containsExactly("Line 4: the field Preferred-Languages is repeated.");
        assertThat(errors("\ufeff" + VALID)).containsExactly("The file starts with a byte order mark.");
        assertThat(errors(VALID.replace('\n', '\r')))
                .containsExactly("A line ends with a carriage return without a line feed.");
        assertThat(errors("x\n".repeat(100) + VALID)).hasSize(SecurityTxtFile.MAX_ERRORS);
    }

    /** RFC 9116 section 2.2: every line ends with CRLF or LF. */
    @Test
    void requiresALineEndAfterTheLastLine() {
        String error = "The last line does not end with a line feed.";

        assertThat(errors(VALID.stripTrailing())).containsExactly(error);
        assertThat(errors(VALID + "# comment")).containsExactly(error);
        assertThat(errors(SIGNED.stripTrailing())).containsExactly(error);
        assertThat(errors(VALID.replace("\n", "\r\n"))).isEmpty();
        assertThat(evaluate(VALID.stripTrailing()).fields())
                .containsEntry("expires", Instant.parse("2021-12-31T18:37:07Z"));
    }

    @Test
    void ignoresTheIncompleteLastLineOfATruncatedFile() {
        assertThat(SecurityTxtFile.parse(VALID + "Contact: mailto:secur", true))
                .isEqualTo(SecurityTxtFile.parse(VALID, false));
        assertThat(SecurityTxtFile.parse(SIGNED.substring(0, SIGNED.indexOf("signature]")), true)
                        .errors())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "Expires: 2021-06-01T00:00:01Z, 2021-06-01T00:00:01Z, ''",
                "Expires: 2021-06-01T00:00:00Z, 2021-06-01T00:00:00Z, security_txt_expired",
                "Expires: 2021-06-01T02:00:01.5+02:00, 2021-06-01T00:00:01.5Z, ''",
                "Expires: 2022-06-01T00:00:00Z, 2022-06-01T00:00:00Z, ''",
                "Expires: 2022-06-03T00:00:00Z, 2022-06-03T00:00:00Z, expires_far",
                "Expires: 2021-12-31, -, expires_invalid",
                "Expires: 2021-12-31T10:00Z, -, expires_invalid",
                "Expires: 2021-02-30T10:00:00Z, -, expires_invalid",
                "'Expires: Thu, 31 Dec 2021 18:37:07 -0800', -, expires_invalid",
                "Policy: https://example.com/, -, expires_missing",
                "Expires: 2021-12-31T18:37:07Z|Expires: 2022-01-01T00:00:00Z, 2021-12-31T18:37:07Z, expires_several"
            })
    void evaluatesExpires(String lines, @Nullable Instant expires, String expected) {
        Evaluation evaluation = evaluate("Contact: https://example.com/\n" + lines.replace('|', '\n') + "\n");

        assertThat(evaluation.fields())
                .containsEntry("expires", expires)
                .containsEntry("expired", expected.equals("security_txt_expired"));
        assertThat(codes(evaluation)).isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
    }

    @Test
    void requiresContact() {
        assertThat(codes(evaluate("Expires: 2021-12-31T18:37:07Z\n"))).containsExactly("contact_missing");
        assertThat(codes(evaluate(""))).containsExactly("contact_missing", "expires_missing");
        assertThat(evaluate("").findings().get(1).action()).contains("`Expires: 2022-05-27T00:00:00Z`");
    }

    @Test
    void reportsUnknownFields() {
        Evaluation evaluation = evaluate(VALID + "Acknowledgements: https://example.com/thanks\n");

        assertThat(codes(evaluation)).containsExactly("unknown_fields");
        assertThat(evaluation.findings().get(0).message()).endsWith("Acknowledgements");
    }

    @Test
    void comparesCanonicalWithFirstAndLastUrl() {
        String other = "https://www.example.com/.well-known/security.txt";
        RedirectTrace redirected =
                trace(redirect(URL, 301, other), page(other, 200, VALID + "Canonical: " + URL + "\n", TYPE));
        RedirectTrace last =
                trace(redirect(URL, 301, other), page(other, 200, VALID + "Canonical: " + other + "\n", TYPE));
        RedirectTrace neither =
                trace(redirect(URL, 301, other), page(other, 200, VALID + "Canonical: " + LEGACY + "\n", TYPE));

        assertThat(evaluate(redirected, null).fields()).containsEntry("canonical_ok", true);
        assertThat(codes(evaluate(last, null))).containsExactly("redirected");
        assertThat(evaluate(neither, null).fields()).containsEntry("canonical_ok", false);
        assertThat(codes(evaluate(neither, null))).containsExactly("canonical_mismatch", "redirected");
    }

    @Test
    void reportsRedirectToHttp() {
        String plain = "http://example.com/.well-known/security.txt";

        assertThat(codes(evaluate(trace(redirect(URL, 302, plain), page(plain, 200, VALID, TYPE)), null)))
                .containsExactly("not_https", "redirected");
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain;charset=\"UTF-8\", ''",
        "text/plain, charset_not_set",
        "text/plain; charset=iso-8859-1, charset_not_set",
        "application/octet-stream, security_txt_content_type"
    })
    void evaluatesTheContentType(String type, String expected) {
        Evaluation evaluation = evaluate(trace(page(URL, 200, VALID, "Content-Type: " + type)), null);

        assertThat(codes(evaluation)).isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
    }

    /** Statuses of both locations; 200 is an HTML page. */
    @ParameterizedTest
    @CsvSource({
        "404, 404, security_txt_missing",
        "410, 404, security_txt_missing",
        "200, 404, security_txt_is_a_page",
        "404, 200, security_txt_missing",
        "200, 200, security_txt_is_a_page",
        "403, 404, security_txt_unavailable",
        "404, 403, security_txt_unavailable",
        "500, 500, security_txt_unavailable"
    })
    void reportsAbsence(int wellKnown, int legacy, String expected) {
        Evaluation evaluation = evaluate(
                trace(page(URL, wellKnown, "\n <!doctype html>", "Content-Type: text/plain")),
                trace(page(LEGACY, legacy, "", "Content-Type: text/html")));

        assertThat(evaluation.fields()).containsEntry("found", false).containsEntry("url", null);
        assertThat(codes(evaluation)).containsExactly(expected);
    }

    @Test
    void usesTheLegacyLocation() {
        Evaluation evaluation = evaluate(trace(page(URL, 404, "")), trace(page(LEGACY, 200, VALID, TYPE)));

        assertThat(evaluation.fields()).containsEntry("found", true).containsEntry("url", LEGACY);
        assertThat(codes(evaluation)).containsExactly("legacy_location");
    }

    @Test
    void doesNotReportAbsenceIfALocationCouldNotBeChecked() {
        Evaluation evaluation = evaluate(trace(page(URL, 404, "")), failedTrace(ErrorCode.READ_TIMEOUT, LEGACY));

        assertThat(evaluation.error().code()).isEqualTo(ErrorCode.READ_TIMEOUT);
        assertThat(evaluation.findings()).isEmpty();
        assertThat(evaluate(failedTrace(ErrorCode.CONNECT_REFUSED, URL), null)
                        .error()
                        .code())
                .isEqualTo(ErrorCode.CONNECT_REFUSED);
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "-----END PGP SIGNATURE-----||The OpenPGP signature is incomplete.",
                "-----BEGIN PGP SIGNED|Contact: https://a.test/\\n-----BEGIN PGP SIGNED|Line 2: text before the signed "
                        + "message is not signed.",
                "-----END PGP SIGNATURE-----|-----END PGP SIGNATURE-----\\nContact: https://a.test/|Line 24: text after "
                        + "the signature is ignored.",
                "# Our security policy|-----policy|Line 13: a line that starts with a dash must be escaped with \"- \" in "
                        + "a signed message.",
                "Hash: SHA256|Comment: x|Line 2: an empty line must follow the Hash header of the signature.",
                "[signature]|-----BEGIN PGP SIGNATURE-----|Line 22: the signature is malformed."
            })
    void reportsMalformedSignatures(String part, @Nullable String replacement, String error) {
        String with = replacement == null ? "" : replacement.replace("\\n", "\n");

        assertThat(errors(SIGNED.replace(part, with))).containsExactly(error);
    }

    @Test
    void ignoresUnsignedFieldsAndReadsEscapedLines() {
        Evaluation evaluation = evaluate(SIGNED.replace("Contact:", "- Contact:") + "Contact: https://a.test/\n");

        assertThat(evaluation.fields()).containsEntry("contacts", List.of("mailto:security@example.com"));
        assertThat(codes(evaluate(SIGNED.replace("Canonical:", "Policy:"))))
                .containsExactly("signature_not_verified", "signed_without_canonical");
    }

    @Test
    void acceptsArbitraryText() {
        assertThat(SecurityTxtFile.parse("\u0000:\u0000\n:\n::\n-----\n\r", false)
                        .errors())
                .isNotEmpty();
    }

    @Property(tries = 1_000)
    void acceptsArbitraryFiles(@ForAll("files") String text) {
        assertThat(SecurityTxtFile.parse(text, false).errors())
                .hasSizeLessThanOrEqualTo(SecurityTxtFile.MAX_ERRORS + 4);
    }

    @Provide
    Arbitrary<String> files() {
        Stream<String> pieces = Stream.concat(
                SIGNED.lines(), Stream.of("Contact:", "Expires: 9999-12-31T23:59:59-18:00", ": ", "\ufeff", "\r"));
        return Arbitraries.oneOf(
                        Arbitraries.of(pieces.toList()), Arbitraries.strings().ofMaxLength(20))
                .list()
                .ofMaxSize(30)
                .map(lines -> String.join("\n", lines));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "\r",
                ":",
                "-",
                "#",
                "Contact: a:b\n",
                "Contact: a:",
                "Expires: x\n",
                "Preferred-Languages: a,",
                "a-",
                "a, ",
                "x: y\n",
                "-----BEGIN PGP SIGNED MESSAGE-----\n",
                "- ",
                " "
            })
    void parsesOneMebibyteOfRepeatedInputQuickly(String piece) {
        String text = piece.repeat((1 << 20) / piece.length());

        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            SecurityTxtFile.parse(text, false);
            return SecurityTxtFile.parse("Preferred-Languages: a" + text, false);
        });
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx(@TempDir Path folder) throws Exception {
        String file = "Contact: mailto:security@example.com\nExpires: %s\n"
                .formatted(Instant.now().plus(90, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS));
        Files.writeString(folder.resolve("good.txt"), file);
        Files.writeString(folder.resolve("large.txt"), "# comment\n".repeat(20_000) + file);
        Files.write(folder.resolve("latin1.txt"), ("# caf\u00e9\n" + file).getBytes(StandardCharsets.ISO_8859_1));
        String serve = "charset utf-8; types { } default_type text/plain; charset_types text/plain; "
                + "location = /.well-known/security.txt { alias FOLDER/%s.txt; }";
        try (DomainSites sites = new DomainSites(
                folder,
                Map.of(),
                Map.of(
                        "good.test", serve.formatted("good"),
                        "legacy.test", "location = /security.txt { alias FOLDER/good.txt; }",
                        "large.test", serve.formatted("large"),
                        "latin1.test", serve.formatted("latin1"),
                        "spa.test", "default_type text/html; location / { return 200 '<!doctype html>'; }",
                        "moved.test", "return 302 https://good.test:TLS$request_uri;",
                        "denied.test", "return 403;"))) {
            ModuleDefinition<SecurityTxt.Evidence> module = SheetModule.load(new SecurityTxt(sites.ports()));

            CheckResult good = sites.check(module, "good.test");
            assertThat(good.findings()).isEmpty();
            assertThat(good.verdict()).isEqualTo(Verdict.PASS);
            assertThat(curl(sites, "good.test", "%{http_code} %{content_type}"))
                    .endsWith("200 text/plain; charset=utf-8");
            assertThat(curl(sites, "good.test", "")).isEqualTo(file.strip());

            CheckResult moved = sites.check(module, "moved.test");
            assertThat(moved.fields())
                    .containsEntry("url", curl(sites, "moved.test", "%{url_effective}", "--output", "/dev/null"));
            assertThat(codesOf(moved)).containsExactly("redirected");
            assertThat(codesOf(sites.check(module, "legacy.test"))).contains("legacy_location");
            assertThat(codesOf(sites.check(module, "large.test"))).containsExactly("too_large");
            assertThat(codesOf(sites.check(module, "latin1.test"))).containsExactly("file_malformed");
            assertThat(codesOf(sites.check(module, "spa.test"))).containsExactly("security_txt_is_a_page");
            assertThat(codesOf(sites.check(module, "denied.test"))).containsExactly("security_txt_unavailable");
        }
    }

    private static String curl(DomainSites sites, String name, String format, String... more) throws Exception {
        int port = sites.ports().https();
        List<String> options = new ArrayList<>(List.of("--location", "--write-out", format));
        for (String host : List.of(name, "good.test")) {
            options.addAll(List.of("--resolve", host + ":" + port + ":127.0.0.1"));
        }
        options.addAll(List.of(more));
        String url = "https://" + name + ":" + port + "/.well-known/security.txt";
        return Curl.run(url, options.toArray(String[]::new));
    }

    private static List<String> codesOf(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static List<String> errors(String text) {
        List<?> errors = (List<?>) evaluate(text).fields().get("errors");
        return errors.stream().map(String::valueOf).toList();
    }

    private static Evaluation evaluate(String text) {
        return evaluate(trace(page(URL, 200, text, TYPE)), null);
    }

    private static Evaluation evaluate(RedirectTrace wellKnown, @Nullable RedirectTrace legacy) {
        return MODULE.evaluate(SecurityTxt.Evidence.of(wellKnown, legacy, NOW), Options.defaults(MODULE.description()));
    }
}
