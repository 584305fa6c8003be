package dev.plumbline.module.mail.bimi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.module.mail.PolicySites;
import dev.plumbline.module.mail.bimi.Bimi.DmarcState;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import dev.plumbline.support.DebianTool;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERIA5String;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BimiTest {
    private static final ModuleDefinition<Bimi.Evidence> MODULE = SheetModule.load(new Bimi());
    private static final Instant NOW = Instant.now();
    private static final KeyPurposeId BRAND_INDICATOR =
            KeyPurposeId.getInstance(new ASN1ObjectIdentifier("1.3.6.1.5.5.7.3.31"));
    private static final String LOGOTYPE = "1.3.6.1.5.5.7.1.12";
    private static final String RECORD = "v=BIMI1; l=https://example.com/logo.svg; a=https://example.com/vmc.pem";
    private static final DmarcState ENFORCED = new DmarcState("example.com", "v=DMARC1; p=reject");
    private static final Target.Url URL = url("https://example.com/logo.svg");
    private static final String SVG = SvgLogoTest.SVG;

    private static Target.Url url(String text) {
        return TargetParser.tryUrl(text, "https");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] gzip(byte[] bytes) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                gzip.write(bytes);
            }
            return out.toByteArray();
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static BimiFile<SvgLogo> logo(String svg) {
        byte[] file = bytes(svg);
        return new BimiFile<>(
                URL, URL, null, null, "image/svg+xml", file.length, SvgLogo.parse(file), SvgLogo.digest(file));
    }

    /** A mark certificate with a logo, issued by a subordinate CA. */
    private static CertificateSpec vmc(String svg, String... names) {
        String uri = "data:image/svg+xml;base64," + Base64.getEncoder().encodeToString(gzip(bytes(svg)));
        return CertificateSpec.server(names)
                .purpose(BRAND_INDICATOR)
                .extension(LOGOTYPE, new DERSequence(new DERSequence(new DERIA5String(uri))));
    }

    private static BimiFile<MarkCertificate> certificate(CertificateSpec spec) {
        TestCa issuer = TestCa.root("Mark Root").authority("Mark CA");
        return certificate(TestCa.pem(issuer.issue(spec).chain().toArray(new X509Certificate[0])));
    }

    private static BimiFile<MarkCertificate> certificate(String pem) {
        try {
            MarkCertificate content = MarkCertificate.parse(bytes(pem), NOW);
            return new BimiFile<>(URL, URL, null, null, null, pem.length(), content, "");
        } catch (CertificateException invalid) {
            return new BimiFile<>(URL, URL, invalid.getMessage(), null, null, 0, null, null);
        }
    }

    private static Evaluation evaluate(
            String record,
            DmarcState dmarc,
            @Nullable BimiFile<SvgLogo> logo,
            @Nullable BimiFile<MarkCertificate> certificate) {
        return MODULE.evaluate(
                new Bimi.Evidence(
                        "default", "example.com", "example.com", List.of(record), null, dmarc, logo, certificate, NOW),
                Options.defaults(MODULE.description()));
    }

    private static String codes(List<Finding> findings) {
        return findings.stream()
                .map(Finding::code)
                .filter(code -> !code.equals("mark_certificate_trust_not_evaluated"))
                .sorted()
                .collect(Collectors.joining(" "));
    }

    @Test
    void acceptsALogoWithItsMarkCertificate() {
        Evaluation evaluation = evaluate(RECORD, ENFORCED, logo(SVG), certificate(vmc(SVG, "example.com")));

        assertThat(evaluation.findings())
                .extracting(Finding::code)
                .containsExactly("mark_certificate_trust_not_evaluated");
        assertThat(evaluation.fields())
                .containsEntry("record", RECORD)
                .containsEntry("logo_url", "https://example.com/logo.svg")
                .containsEntry("certificate_url", "https://example.com/vmc.pem")
                .containsEntry("valid", true)
                .containsEntry("dmarc_enforced", true)
                .containsEntry("errors", List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "v=BIMI1; l=https://example.com/logo.svg|https://example.com/logo.svg|''",
                "v=BIMI1;l=https://example.com/logo.svg;a=;|https://example.com/logo.svg|''",
                "v = BIMI1 ; l = https://example.com/logo.svg ; a = |https://example.com/logo.svg|''",
                "v=BIMI1; l=https://example.com/logo.svgz; avp=personal; lps=a,b|https://example.com/logo.svgz|''",
                "v=BIMI1; l=HTTPS://Example.com/logo|https://example.com/logo|''",
                "v=BIMI1; l=https://example.com/l.svg; x=y|https://example.com/l.svg|unknown_tag",
                "v=BIMI1; l=; a=;|none|declined",
                "v=BIMI1; l=|none|declined",
                "v=BIMI1; l=; a=; lps=brand-|none|declined",
                "v=BIMI1|none|record_invalid",
                "v=BIMI1; a=https://example.com/vmc.pem|none|record_invalid",
                "v=BIMI1; l=; a=https://example.com/vmc.pem|none|record_invalid",
                "v=BIMI1; l=http://example.com/logo.svg|none|record_invalid",
                "v=BIMI1; l=example.com/logo.svg|none|record_invalid",
                "v=BIMI1; l=https://a.test/1.svg,https://a.test/2.svg|none|record_invalid",
                "v=BIMI1; l=https://example.com/logo.PNG|https://example.com/logo.PNG|record_invalid",
                "v=BIMI1; l=https://example.com/l.svg; avp=logo|https://example.com/l.svg|record_invalid",
                "v=BIMI1; l=https://example.com/l.svg; l=x|https://example.com/l.svg|record_invalid",
                "v=BIMI1; L=https://example.com/l.svg|none|record_invalid unknown_tag",
                "v=BIMI1; https://example.com/l.svg|none|record_invalid record_invalid",
            })
    void reportsFindingsForEachRecord(String record, @Nullable String logo, String codes) {
        Evaluation evaluation = evaluate(record, ENFORCED, null, null);

        assertThat(codes(evaluation.findings())).isEqualTo(codes);
        assertThat(evaluation.fields()).containsEntry("logo_url", logo).containsEntry("valid", false);
        assertThat(BimiRecord.parse(record).declined()).isEqualTo(codes.equals("declined"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v=BIMI1;l=|true|false",
                "v=BIMI1|true|false",
                "v=bimi1; l=|false|true",
                "V=BIMI1; l=|false|true",
                "v=BIMI2; l=|false|true",
                "BIMI1; l=|false|true",
                "' v=BIMI1; l='|false|true",
                "v=BIMI10; l=|false|true",
                "v=spf1 -all|false|false",
            })
    void recognizesTheVersion(String text, boolean version, boolean lookalike) {
        assertThat(BimiRecord.VERSION.isIn(text)).isEqualTo(version);
        assertThat(BimiRecord.VERSION.isLookalike(text)).isEqualTo(lookalike);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "v=DMARC1; p=reject|none",
                "v=DMARC1; p=quarantine|none",
                "v=DMARC1; p=quarantine; pct=100; sp=reject|none",
                "v=DMARC1; p=reject; pct=50|none",
                "v=DMARC1; p=quarantine; pct=50|pct=50",
                "v=DMARC1; p=none|p=none",
                "v=DMARC1; p=reject; sp=none|sp=none",
                "v=DMARC1; p=reject; t=y|t=y",
                "v=DMARC1|p=none",
                "none|no DMARC record applies",
            })
    void requiresAnEnforcedDmarcPolicy(@Nullable String dmarc, @Nullable String weakness) {
        DmarcState state = new DmarcState("example.com", dmarc);

        Evaluation evaluation = evaluate("v=BIMI1; l=https://example.com/logo.svg; a=", state, logo(SVG), null);

        assertThat(state.weakness()).isEqualTo(weakness);
        assertThat(evaluation.fields())
                .containsEntry("dmarc_enforced", weakness == null)
                .containsEntry("valid", true);
        assertThat(codes(evaluation.findings()))
                .isEqualTo(weakness == null ? "no_mark_certificate" : "dmarc_not_enforced no_mark_certificate");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "example.com|''",
                "EXAMPLE.com|''",
                "default._bimi.example.com|''",
                "com|''",
                "other._bimi.example.com|mark_certificate_name_mismatch",
                "www.example.com|mark_certificate_name_mismatch",
                "badexample.com|mark_certificate_name_mismatch",
            })
    void matchesTheNamesOfTheCertificate(String name, String codes) {
        Evaluation evaluation = evaluate(RECORD, ENFORCED, logo(SVG), certificate(vmc(SVG, name)));

        assertThat(codes(evaluation.findings())).isEqualTo(codes);
    }

    @Test
    void reportsFindingsForEachCertificate() {
        String pem = TestCa.selfSigned(vmc(SVG, "example.com")).pem();
        Map<BimiFile<MarkCertificate>, String> expected = new LinkedHashMap<>();
        expected.put(
                certificate(vmc(SVG, "example.com").from(NOW.minusSeconds(99)).until(NOW.minusSeconds(9))),
                "mark_certificate_expired");
        expected.put(
                certificate(vmc(SVG, "example.com").until(NOW.plus(Duration.ofDays(20)))),
                "mark_certificate_expires_soon");
        expected.put(certificate(vmc(SVG, "example.com").from(NOW.plusSeconds(99))), "mark_certificate_invalid");
        expected.put(
                certificate(vmc(SVG, "example.com").purpose(KeyPurposeId.id_kp_serverAuth)),
                "mark_certificate_invalid");
        expected.put(
                certificate(CertificateSpec.server("example.com").purpose(BRAND_INDICATOR)),
                "mark_certificate_invalid");
        expected.put(certificate(vmc(SVG + " ", "example.com")), "mark_certificate_logo_mismatch");
        expected.put(certificate(pem), "mark_certificate_chain_incomplete");
        expected.put(certificate(""), "mark_certificate_unavailable");
        expected.put(certificate("<title>Welcome</title>"), "mark_certificate_unavailable");
        expected.put(certificate(pem.substring(0, pem.length() / 2)), "mark_certificate_unavailable");
        expected.put(certificate(pem.replace("M", "N")), "mark_certificate_unavailable");

        expected.forEach((file, codes) -> assertThat(
                        codes(evaluate(RECORD, ENFORCED, logo(SVG), file).findings()))
                .isEqualTo(codes));
    }

    @Test
    void reportsErrorsOfTheFiles() {
        CheckError blocked = new CheckError(ErrorCode.TARGET_BLOCKED, "Blocked.");
        BimiFile<SvgLogo> unknown = new BimiFile<>(URL, URL, null, blocked, null, 0, null, null);
        BimiFile<SvgLogo> missing = new BimiFile<>(URL, URL, "Status 404.", null, null, 0, null, null);
        String large = SVG.replace("<defs>", "<desc>" + "x".repeat(40_000) + "</desc><defs>");

        assertThat(evaluate(RECORD, ENFORCED, unknown, null).error()).isEqualTo(blocked);
        assertThat(codes(evaluate(RECORD, ENFORCED, missing, null).findings())).contains("logo_unavailable");
        assertThat(codes(evaluate(RECORD, ENFORCED, logo(large), null).findings()))
                .isEqualTo("logo_large no_mark_certificate");
    }

    private static String location(String path, String type) {
        return "location = /%s { default_type %s; root FOLDER; }\n".formatted(path, type);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("logo.svg"), SVG);
        Files.write(folder.resolve("logo.svgz"), gzip(bytes(SVG)));
        Files.writeString(folder.resolve("script.svg"), SVG.replace("<rect", "<script/><rect"));
        Files.writeString(folder.resolve("huge.svg"), SVG + " ".repeat(300_000));
        Files.write(folder.resolve("bomb.svgz"), gzip(new byte[20_000_000]));
        TestCa issuer = TestCa.root("Mark Root").authority("Mark CA");
        Files.writeString(
                folder.resolve("vmc.pem"),
                TestCa.pem(issuer.issue(vmc(SVG, "good.test")).chain().toArray(new X509Certificate[0])));
        String server = location("logo.svg", "image/svg+xml") + location("logo.svgz", "image/svg+xml")
                + location("script.svg", "image/svg+xml") + location("huge.svg", "image/svg+xml")
                + location("bomb.svgz", "image/svg+xml") + location("vmc.pem", "application/x-pem-file")
                + "location = /text.svg { default_type text/plain; alias FOLDER/logo.svg; }\n"
                + "location = /moved.svg { return 301 /logo.svg; }\n"
                + "location = /inside.svg { return 302 https://inside.test/; }\n";
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("l=https://HOST/logo.svg; a=https://HOST/vmc.pem", "");
        expected.put("l=https://HOST/logo.svgz; a=https://HOST/vmc.pem", "");
        expected.put("l=https://HOST/moved.svg; a=https://HOST/vmc.pem", "logo_redirected");
        expected.put("l=https://HOST/text.svg; a=https://HOST/vmc.pem", "logo_content_type");
        expected.put(
                "l=https://HOST/script.svg; a=https://HOST/vmc.pem", "logo_invalid mark_certificate_logo_mismatch");
        expected.put("l=https://HOST/huge.svg; a=https://HOST/vmc.pem", "logo_unavailable");
        expected.put("l=https://HOST/bomb.svgz; a=https://HOST/vmc.pem", "logo_unavailable");
        expected.put(
                "l=https://HOST/none.svg; a=https://HOST/none.pem", "logo_unavailable mark_certificate_unavailable");
        expected.put("l=https://HOST/logo.svg; a=https://HOST/logo.svg", "mark_certificate_unavailable");
        expected.put("l=https://HOST/logo.svg", "no_mark_certificate");
        expected.put("l=https://invalid.test:PORT/logo.svg; a=", "logo_unavailable");
        try (PolicySites sites = new PolicySites(folder, Map.of("good.test", server, "invalid.test", server))) {
            sites.dns().record("_dmarc.good.test. 60 IN TXT \"v=DMARC1\\; p=reject\"");
            sites.dns().address("inside.test", "169.254.169.254");
            String host = "good.test:" + sites.port();
            for (Map.Entry<String, String> entry : expected.entrySet()) {
                String tags = entry.getKey().replace("HOST", host).replace("PORT", "" + sites.port());
                String domain = publish(sites, "v=BIMI1; " + tags);

                CheckResult result = sites.check(MODULE, domain, "timeout_ms=20000");

                assertThat(codes(result.findings())).as(entry.getKey()).isEqualTo(entry.getValue());
                String logo = (String) result.fields().get("logo_url");
                String status = Curl.run(
                        logo,
                        "--resolve",
                        "good.test:" + sites.port() + ":127.0.0.1",
                        "--resolve",
                        "invalid.test:" + sites.port() + ":127.0.0.1",
                        "--location",
                        "--output",
                        "/dev/null",
                        "--write-out",
                        "%{http_code}");
                assertThat(entry.getKey().contains("none.svg")).isEqualTo(status.equals("404"));
            }
            String redirected = publish(sites, "v=BIMI1; l=https://" + host + "/inside.svg");
            assertThat(sites.check(MODULE, redirected, "").error().code()).isEqualTo(ErrorCode.REDIRECT_BLOCKED);
        }
        assertThat(openssl(folder.resolve("vmc.pem")))
                .contains("DNS:good.test", LOGOTYPE)
                .containsAnyOf("Brand Indicator for Message Identification", "1.3.6.1.5.5.7.3.31");
    }

    /** Publishes a record for another subdomain of good.test. */
    private static String publish(PolicySites sites, String text) {
        String domain = "d" + Integer.toHexString(text.hashCode()) + ".good.test";
        record(sites, domain, text);
        return domain;
    }

    private static void record(PolicySites sites, String domain, String text) {
        sites.dns().record("default._bimi." + domain + ". 60 IN TXT \"" + text.replace(";", "\\;") + '"');
        sites.dns().address(domain, "127.0.0.1");
    }

    @Tag("integration")
    @Test
    void findsTheRecordOfTheDomainOrItsOrganizationalDomain(@TempDir Path folder) throws Exception {
        try (PolicySites sites = new PolicySites(folder, Map.of("unused.test", ""))) {
            sites.dns().address("sub.org.test", "127.0.0.1").address("inside.test", "169.254.169.254");
            sites.dns().record("_dmarc.org.test. 60 IN TXT \"v=DMARC1\\; p=quarantine\"");
            record(sites, "org.test", "v=BIMI1; l=; a=;");
            record(sites, "own.org.test", "v=BIMI1; l=https://127.0.0.1/");
            record(sites, "two.test", "v=BIMI1; l=");
            record(sites, "two.test", "v=BIMI1; l=; a=");
            record(sites, "old.test", "v=bimi1; l=");

            CheckResult sub = sites.check(MODULE, "sub.org.test", "");
            assertThat(codes(sub.findings())).isEqualTo("declined inherited");
            assertThat(sub.fields()).containsEntry("dmarc_enforced", true).containsEntry("valid", false);
            assertThat(codes(sites.check(MODULE, "own.org.test", "").findings()))
                    .isEqualTo("logo_unavailable");
            assertThat(codes(sites.check(MODULE, "org.test", "selector=other").findings()))
                    .isEqualTo("bimi_missing");
            assertThat(codes(sites.check(MODULE, "default._bimi.two.test", "").findings()))
                    .isEqualTo("several_records");
            assertThat(codes(sites.check(MODULE, "old.test", "").findings())).isEqualTo("bimi_missing lookalike");
            assertThat(sites.check(MODULE, "missing.test", "").error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
            assertThat(sites.check(MODULE, "inside.test", "").error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        }
    }

    private static String openssl(Path certificate) throws Exception {
        Process process = new ProcessBuilder(
                        DebianTool.require("openssl").toString(), "x509", "-noout", "-text", "-in", "" + certificate)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Provide
    Arbitrary<String> records() {
        return Arbitraries.of(
                        ";",
                        "=",
                        "l",
                        "a",
                        "avp",
                        "lps",
                        "https://",
                        "a.test",
                        "/logo.svg",
                        ",",
                        " ",
                        "\t",
                        "brand",
                        "\u00e9",
                        "[",
                        "%",
                        "\"",
                        "http:",
                        ":")
                .list()
                .ofMaxSize(40)
                .map(list -> "v=BIMI1;" + String.join("", list));
    }

    @Property(tries = 1000)
    void evaluatesAnyRecord(@ForAll("records") String text) {
        assertThat(evaluate(text, ENFORCED, null, null).fields()).hasSize(6).containsEntry("valid", false);
    }

    @Property(tries = 300)
    void readsAnyMutationOfACertificate(@ForAll int position, @ForAll byte value) {
        byte[] pem = bytes(VMC);
        pem[Math.floorMod(position, pem.length)] = value;

        assertThat(certificate(new String(pem, StandardCharsets.ISO_8859_1))).isNotNull();
    }

    private static final String VMC = TestCa.selfSigned(vmc(SVG, "example.com")).pem();

    @ParameterizedTest
    @ValueSource(
            strings = {
                " ",
                "a=",
                ";",
                "v=BIMI1;",
                "-----BEGIN CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "bimi",
                "l=https://a,"
            })
    void evaluatesAMegabyteOfHostileTextInSeconds(String piece) {
        String text = piece.repeat(1_000_000 / piece.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            certificate(text);
            evaluate("v=BIMI1; l=https://a.test/" + text, ENFORCED, null, null);
            BimiRecord.VERSION.isLookalike(text);
        });
    }
}
