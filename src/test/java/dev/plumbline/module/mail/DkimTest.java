package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.Dkim.Lookup;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.spec.RSAKeyGenParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DkimTest {
    private static final ModuleDefinition<Dkim.Evidence> MODULE = SheetModule.load(new Dkim());

    /** RFC 6376 appendix C. */
    private static final String RFC_KEY =
            "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYt"
                    + "IxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhi"
                    + "tdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB";

    /** RFC 8463 appendix A.2. */
    private static final String RFC_ED25519 = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

    private static final Pattern BITS = Pattern.compile("\\((\\d+) bit\\)");

    private static DnsFixture fixture;
    private static String rsa2048;
    private static String rsa512;

    @BeforeAll
    static void start() throws Exception {
        fixture = DnsFixture.start();
        rsa2048 = rsa(2048);
        rsa512 = rsa(512);
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    /** A public key whose modulus has no known factors. A key pair of 4608 bits takes seconds to generate. */
    private static String rsa(int bits) throws Exception {
        BigInteger modulus =
                new BigInteger(bits, new Random(bits)).setBit(bits - 1).setBit(0);
        RSAPublicKeySpec key = new RSAPublicKeySpec(modulus, RSAKeyGenParameterSpec.F4);
        return Base64.getEncoder()
                .encodeToString(
                        KeyFactory.getInstance("RSA").generatePublic(key).getEncoded());
    }

    private static String codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).sorted().collect(Collectors.joining(" "));
    }

    private static Lookup lookup(String selector, String... texts) {
        return new Lookup(selector, List.of(texts), null, null, null);
    }

    private static Evaluation evaluate(Lookup... lookups) {
        return MODULE.evaluate(
                new Dkim.Evidence(
                        "example.com",
                        false,
                        false,
                        false,
                        lookup("unused"),
                        List.of(lookups),
                        DanglingReferences.NONE),
                Options.defaults(MODULE.description()));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> keys(Map<String, ?> fields) {
        return (List<Map<String, Object>>) fields.get("keys");
    }

    private static List<?> selectors(CheckResult result) {
        return keys(result.fields()).stream().map(key -> key.get("selector")).toList();
    }

    private static void publish(String name, String text) {
        StringBuilder strings = new StringBuilder();
        for (int i = 0; i < text.length(); i += 200) {
            strings.append('"')
                    .append(text.substring(i, Math.min(text.length(), i + 200)).replace(";", "\\;"))
                    .append("\" ");
        }
        fixture.dns().record(name + ". 60 IN TXT " + strings);
    }

    @Test
    void readsTheKeysOfTheRfcs() {
        // RFC 6376 appendix C, RFC 8463 appendix A.2
        Evaluation evaluation = evaluate(
                lookup("brisbane", "v=DKIM1; p=" + RFC_KEY), lookup("dragon", "v=DKIM1; k=ed25519; p=" + RFC_ED25519));

        assertThat(codes(evaluation.findings())).isEqualTo("key_short");
        assertThat(evaluation.fields()).containsEntry("found_count", 2).containsEntry("weak_count", 1);
        assertThat(keys(evaluation.fields()))
                .containsExactly(
                        Map.of("selector", "brisbane", "type", "rsa", "bits", 1024, "flags", List.of(), "valid", true),
                        Map.of(
                                "selector",
                                "dragon",
                                "type",
                                "ed25519",
                                "bits",
                                256,
                                "flags",
                                List.of(),
                                "valid",
                                true));
    }

    /** KEY is an RSA key of 2048 bits, SHORT one of 512 bits, ED an Ed25519 key. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "v=DKIM1; k=rsa; p=KEY|2048|true|''",
                "p=KEY|2048|true|''",
                "k=rsa;p=KEY;|2048|true|''",
                "v=DKIM1; h=sha256; s=email; t=s; n=a note; p=KEY|2048|true|''",
                "v=DKIM1; h=sha1:sha256; s=*:other; p=KEY|2048|true|''",
                "v=DKIM1; h=SHA256; k=RSA; p=KEY|2048|true|''",
                "v=DKIM1; g=; p=KEY; x=unknown|2048|true|''",
                "v=DKIM1; t=y; p=KEY|2048|true|test_mode",
                "v=DKIM1; t=y : s; p=KEY|2048|true|test_mode",
                "v=DKIM1; t=future; p=KEY|2048|true|''",
                "v=DKIM1; t=s y; p=KEY|2048|false|key_invalid",
                "v=DKIM1; h=sha1; p=KEY|2048|false|sha1_only",
                "v=DKIM1; h=md5; p=KEY|2048|false|sha1_only",
                "v=DKIM1; h=sha-256!; p=KEY|2048|false|key_invalid",
                "v=DKIM1; s=tlsrpt; p=KEY|2048|false|service_excludes_mail",
                "v=DKIM1; s=e mail; p=KEY|2048|false|key_invalid",
                "v=DKIM1; k=dsa; p=KEY|none|false|key_type_unknown",
                "v=DKIM1; k=ed25519; p=ED|256|true|ed25519_only",
                "v=DKIM1; k=ed25519; p=KEY|none|false|key_invalid",
                "v=DKIM1; p=ED|none|false|key_invalid",
                "v=DKIM1; k=rsa; p=SHORT|512|false|key_too_short",
                "v=DKIM1; p=|none|false|selector_revoked",
                "v=DKIM1; p= ;|none|false|selector_revoked",
                "v=DKIM1; t=y; p=|none|false|selector_revoked",
                "v=DKIM1; k=rsa|none|false|key_invalid",
                "v=DKIM1|none|false|key_invalid",
                "v=DKIM2; p=KEY|2048|false|key_invalid",
                "v=dkim1; p=KEY|2048|false|key_invalid",
                "k=rsa; v=DKIM1; p=KEY|2048|false|key_invalid",
                "v=DKIM1; p=KEY; p=KEY|2048|false|key_invalid",
                "v=DKIM1; p=not*base64|none|false|key_invalid",
                "v=DKIM1; p=AAAA|none|false|key_invalid",
                "v=DKIM1; p=MAA=|none|false|key_invalid",
                "v=DKIM1; p=-----BEGIN PUBLIC KEY-----|none|false|key_invalid",
                "v=DKIM1\\; k=rsa\\; p=KEY|none|false|key_invalid key_type_unknown",
                "some text|none|false|key_invalid key_invalid",
            })
    void reportsFindingsForEachRecord(String text, @Nullable Integer bits, boolean valid, String codes) {
        String record = text.replace("KEY", text.contains("PUBLIC KEY") ? "KEY" : rsa2048)
                .replace("SHORT", rsa512)
                .replace("ED", text.contains("p=ED") ? RFC_ED25519 : "ED");

        Evaluation evaluation = evaluate(lookup("s", record));

        assertThat(codes(evaluation.findings())).isEqualTo(codes);
        assertThat(keys(evaluation.fields()))
                .singleElement()
                .satisfies(key -> assertThat(key).containsEntry("bits", bits).containsEntry("valid", valid));
    }

    @Test
    void acceptsWhitespaceInTheKeyAndBothEncodings() throws Exception {
        byte[] wrapped = Base64.getDecoder().decode(rsa2048);
        String bare = Base64.getEncoder()
                .encodeToString(SubjectPublicKeyInfo.getInstance(wrapped)
                        .getPublicKeyData()
                        .getBytes());
        String folded = rsa2048.replaceAll("(.{64})", "$1 \t\r\n ");

        assertThat(DkimKey.parse("v=DKIM1; p=" + folded).bits()).isEqualTo(2048);
        assertThat(DkimKey.parse("v=DKIM1; p=" + bare).bits()).isEqualTo(2048);
        assertThat(DkimKey.parse("v=DKIM1; p=" + rsa2048.replace("=", "")).bits())
                .isEqualTo(2048);
        assertThat(codes(evaluate(lookup("s", "p=" + rsa(4608))).findings())).isEqualTo("key_long");
    }

    @Test
    void reportsSeveralRecordsOfOneSelector() {
        Evaluation keys = evaluate(lookup("s", "v=DKIM1; p=" + rsa2048, "v=DKIM1; p=" + RFC_KEY));
        Evaluation comment = evaluate(lookup("s", "a comment", "v=DKIM1; p=" + rsa2048));

        assertThat(codes(keys.findings())).isEqualTo("several_records");
        assertThat(codes(comment.findings())).isEqualTo("several_records");
        assertThat(keys(comment.fields()).get(0)).containsEntry("bits", 2048).containsEntry("valid", false);
    }

    @Test
    void findsKeysAtCommonSelectorsAndThoseOfTheServices() {
        fixture.dns()
                .address("services.example", "192.0.2.1")
                .record("services.example. 60 IN MX 10 mx1.mail.gandi.example.")
                .record("services.example. 60 IN MX 20 spool.mail.gandi.net.")
                .record("services.example. 60 IN TXT \"v=spf1 include:_mailcust.gandi.net include:mailbox.org -all\"")
                .alias("gm1._domainkey.services.example", "gm1.gandimail.net")
                .alias("s1._domainkey.services.example", "s1.domainkey.u1.wl.sendgrid.net")
                .alias("k1._domainkey.services.example", "dkim.mcsv.net");
        publish("gm1.gandimail.net", "v=DKIM1; p=" + rsa2048);
        publish("s1.domainkey.u1.wl.sendgrid.net", "k=rsa; p=" + rsa2048);
        publish("dkim.mcsv.net", "k=rsa; p=" + rsa2048);
        publish("mbo0001._domainkey.services.example", "v=DKIM1; p=" + rsa2048);
        publish("smtpapi._domainkey.services.example", "v=DKIM1; p=" + rsa2048);
        publish("private._domainkey.services.example", "v=DKIM1; p=" + rsa2048);

        CheckResult found = fixture.check(MODULE, "services.example", "");
        CheckResult named = fixture.check(MODULE, "services.example", "selectors=PRIVATE,other");
        CheckResult target = fixture.check(MODULE, "private._domainkey.services.example", "");

        assertThat(selectors(found)).asString().isEqualTo("[mbo0001, gm1, k1, s1, smtpapi]");
        assertThat(found.findings()).isEmpty();
        assertThat(selectors(named)).asString().isEqualTo("[private]");
        assertThat(named.findings()).singleElement().satisfies(finding -> assertThat(finding.message())
                .contains("other"));
        assertThat(selectors(target)).asString().isEqualTo("[private]");
    }

    @Test
    void distinguishesUntestedFromAbsentSelectors() {
        fixture.dns()
                .address("other.example", "192.0.2.1")
                .address("nokeys.example", "192.0.2.1")
                .empty("_domainkey.other.example")
                .address("parked.example", "192.0.2.1")
                .record("parked.example. 60 IN MX 0 .")
                .record("parked.example. 60 IN TXT \"v=spf1 -all\"");

        CheckResult other = fixture.check(MODULE, "other.example", "");
        assertThat(codes(other.findings())).isEqualTo("no_key_found");
        assertThat(other.findings().get(0).message()).contains("at the 40 tested selectors");
        assertThat(codes(fixture.check(MODULE, "nokeys.example", "").findings()))
                .isEqualTo("no_selectors");
        assertThat(codes(fixture.check(MODULE, "parked.example", "").findings()))
                .isEqualTo("not_required");
    }

    @Test
    void reportsFailedLookupsAndDanglingAliases() {
        fixture.dns()
                .address("broken.example", "192.0.2.1")
                .behave("google._domainkey.broken.example", DnsFaults.rcode(2))
                .alias("selector1._domainkey.broken.example", "selector1-broken._domainkey.missing.onmicrosoft.com");
        publish("mail._domainkey.broken.example", "v=DKIM1; p=" + rsa2048);
        fixture.dns().address("inside.example", "10.0.0.1");

        CheckResult result = fixture.check(MODULE, "broken.example", "");

        assertThat(codes(result.findings())).isEqualTo("dangling_reference lookup_failed");
        assertThat(selectors(result)).asString().isEqualTo("[mail]");
        CheckResult failed = fixture.check(MODULE, "broken.example", "selectors=google");
        assertThat(failed.error().code().id()).isEqualTo("dns_servfail");
        assertThat(fixture.check(MODULE, "inside.example", "").error().code().id())
                .isEqualTo("target_blocked");
        assertThat(fixture.check(MODULE, "missing.example", "").error().code().id())
                .isEqualTo("dns_nxdomain");
    }

    @Tag("integration")
    @Test
    void agreesWithDigAndOpensslOnBind(@TempDir Path folder) throws Exception {
        String host = "@ A 192.0.2.1\n";
        Map<String, String> zones = Map.of(
                "keys.example",
                host + zoneFile("google", rsa2048) + zoneFile("default", rsa(1024)) + zoneFile("dkim", rsa(3072))
                        + "mail._domainkey TXT \"v=DKIM1\\; k=ed25519\\; p=" + RFC_ED25519 + "\"\n"
                        + "s1._domainkey CNAME google._domainkey.keys.example.\n",
                "wildtext.example",
                host + "* TXT \"v=spf1 -all\"\n",
                "wildkey.example",
                host + "*._domainkey TXT \"v=DKIM1\\; p=\"\n" + zoneFile("google", rsa2048),
                "none.example",
                host);
        try (NamedServer named = NamedServer.start(folder, zones)) {
            CheckResult keys = fixture.check(MODULE, named.address(), "keys.example", "");
            for (Map<String, Object> key : keys(keys.fields())) {
                String text =
                        String.join("", Dig.texts(named.port(), key.get("selector") + "._domainkey.keys.example"));
                String data = text.replaceAll(".*p=", "").replace("\\", "");
                assertThat(key.get("bits"))
                        .as(text)
                        .isEqualTo(key.get("type").equals("rsa") ? opensslBits(folder, data) : 256);
            }
            assertThat(selectors(keys)).asString().isEqualTo("[google, default, dkim, mail, s1]");
            assertThat(codes(keys.findings())).isEqualTo("key_short");

            CheckResult text = fixture.check(MODULE, named.address(), "wildtext.example", "");
            assertThat(codes(text.findings())).isEqualTo("no_key_found");
            assertThat(codes(fixture.check(MODULE, named.address(), "wildtext.example", "selectors=x")
                            .findings()))
                    .isEqualTo("selector_without_key");
            CheckResult revoked = fixture.check(MODULE, named.address(), "wildkey.example", "");
            assertThat(codes(revoked.findings())).isEqualTo("selector_revoked wildcard_key");
            assertThat(selectors(revoked)).asString().isEqualTo("[google, *]");
            assertThat(codes(fixture.check(MODULE, named.address(), "none.example", "")
                            .findings()))
                    .isEqualTo("no_selectors");
        }
    }

    private static String zoneFile(String selector, String key) {
        String text = "v=DKIM1\\; k=rsa\\; p=" + key;
        return selector + "._domainkey TXT \"" + text.replaceAll("(.{200})", "$1\" \"") + "\"\n";
    }

    private static int opensslBits(Path folder, String key) throws Exception {
        Path pem = Files.writeString(
                folder.resolve("key.pem"), "-----BEGIN PUBLIC KEY-----\n" + key + "\n-----END PUBLIC KEY-----\n");
        Process process = new ProcessBuilder(
                        DebianTool.require("openssl").toString(), "pkey", "-pubin", "-noout", "-text", "-in", "" + pem)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher bits = BITS.matcher(output);
        assertThat(bits.find()).as(output).isTrue();
        return Integer.parseInt(bits.group(1));
    }

    @Test
    void suggestsSelectorsByServiceWithoutDuplicates() {
        assertThat(DkimSelectors.candidates(List.of()))
                .isEqualTo(DkimSelectors.COMMON)
                .doesNotHaveDuplicates();
        assertThat(DkimSelectors.candidates(List.of("example-com.mail.protection.outlook.com")))
                .startsWith("selector1", "selector2", "google")
                .hasSize(DkimSelectors.COMMON.size())
                .doesNotHaveDuplicates();
        assertThat(DkimSelectors.suggestedBy(List.of("notgoogle.com"))).isEmpty();
        assertThat(DkimSelectors.domainsOf("v=spf1 include:_spf.Google.com ip4:192.0.2.1 redirect=a.test -all"))
                .containsExactly("_spf.google.com", "192.0.2.1", "a.test");
    }

    @Provide
    Arbitrary<String> records() {
        return Arbitraries.of(
                        "v=DKIM1",
                        ";",
                        "=",
                        "p=",
                        "k=",
                        "h=",
                        "t=",
                        "s=",
                        "rsa",
                        "ed25519",
                        "y",
                        ":",
                        "*",
                        "sha256",
                        "sha1",
                        "email",
                        " ",
                        "\t",
                        "\u00e9",
                        RFC_KEY,
                        RFC_ED25519,
                        "MIGf",
                        "MAA=",
                        "AAAA",
                        "\\",
                        "\"")
                .list()
                .ofMaxSize(30)
                .map(list -> String.join("", list));
    }

    @Property(tries = 1000)
    void evaluatesAnyRecord(@ForAll("records") String text) {
        Evaluation evaluation = evaluate(lookup("s", text));

        assertThat(evaluation.fields()).containsEntry("found_count", 1);
        assertThat(keys(evaluation.fields()).get(0).get("valid")).isIn(true, false);
    }

    @Property(tries = 1000)
    void readsAnyMutationOfAKey(@ForAll int position, @ForAll byte value) {
        byte[] der = Base64.getDecoder().decode(RFC_KEY);
        der[Math.floorMod(position, der.length)] = value;

        DkimKey key = DkimKey.parse("p=" + Base64.getEncoder().encodeToString(der));

        assertThat(key.bits() == null).isEqualTo(!key.errors().isEmpty());
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {";", "a;", "p=;", "A", "MIIB", "t=y:", "y:", ":", "=", " ", "\t\n", "v=DKIM1;", "MIAw", "p"})
    void evaluatesAMegabyteOfHostileTextInSeconds(String piece) {
        String text = piece.repeat(1_000_000 / piece.length());
        byte[] nested = new byte[750_000];
        Arrays.fill(nested, (byte) 0x30);
        List<String> records = new ArrayList<>(List.of(text, "p=" + text, "h=" + text, "t=" + text));
        records.add("p=" + Base64.getEncoder().encodeToString(nested));
        for (int i = 1; i < nested.length; i += 2) {
            nested[i] = (byte) 0x80;
        }
        records.add("p=" + Base64.getEncoder().encodeToString(nested));

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            records.forEach(record -> evaluate(lookup("s", record)));
            DkimSelectors.domainsOf(text);
        });
    }

    @Test
    void readsTheFirstOfThousandsOfRecords() {
        String[] texts = IntStream.range(0, 4_000).mapToObj(i -> "p=" + i).toArray(String[]::new);
        Lookup lookup = lookup("s", texts);

        assertThat(lookup.keys()).hasSize(20).startsWith("p=0");
        assertThat(evaluate(lookup).findings().get(0).message()).contains("4000 TXT records");
    }
}
