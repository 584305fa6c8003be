package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.BindTopology;
import dev.plumbline.support.BindZoneSigner;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.Zonemaster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the status and the findings with Zonemaster, for zones that dnssec-signzone signed and BIND serves. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ZonemasterDnssecTest {
    private static final ModuleDefinition<Dnssec.Evidence> MODULE = SheetModule.load(new Dnssec());
    private static final String NAMESERVER = "127.15.3.244";
    private static final String ROOT = "127.15.3.245";
    private static final String RESOLVER = "127.15.3.246";
    private static final String EC = "ECDSAP256SHA256";
    private static final String RECORDS = "@ A 192.0.2.1\nwww A 192.0.2.2\n";
    private static final UnaryOperator<String> UNCHANGED = UnaryOperator.identity();

    /** Tags of Zonemaster for a chain of trust that is not valid, and the finding codes for the same problem. */
    private static final Map<String, String> BOGUS_TAGS = Map.ofEntries(
            Map.entry("DS02_NO_VALID_DNSKEY_FOR_ANY_DS", "ds_mismatch"),
            Map.entry("DS08_DNSKEY_RRSIG_EXPIRED", "signature_expired"),
            Map.entry("DS08_DNSKEY_RRSIG_NOT_YET_VALID", "signature_not_yet_valid"),
            Map.entry("DS08_MISSING_RRSIG_IN_RESPONSE", "signature_missing"),
            Map.entry("DS08_NO_MATCHING_DNSKEY", "signing_key_missing"),
            Map.entry("DS08_RRSIG_NOT_VALID_BY_DNSKEY", "signature_invalid"),
            Map.entry("DS09_MISSING_RRSIG_IN_RESPONSE", "signature_missing"),
            Map.entry("DS09_NO_MATCHING_DNSKEY", "signing_key_missing"),
            Map.entry("DS09_RRSIG_NOT_VALID_BY_DNSKEY", "signature_invalid"),
            Map.entry("DS09_SOA_RRSIG_EXPIRED", "signature_expired"),
            Map.entry("DS09_SOA_RRSIG_NOT_YET_VALID", "signature_not_yet_valid"),
            Map.entry("DS11_DS_BUT_UNSIGNED_ZONE", "dnskey_missing"));

    /** As {@link #BOGUS_TAGS}, for zones that validating resolvers do not validate. */
    private static final Map<String, String> INSECURE_TAGS = Map.of(
            "DNSKEY_BUT_NOT_DS", "ds_missing",
            "DS01_DIGEST_NOT_SUPPORTED_BY_ZM", "unsupported_algorithm",
            "NEITHER_DNSKEY_NOR_DS", "not_signed");

    /** As {@link #BOGUS_TAGS}, for problems that do not affect the records of the domain. */
    private static final Map<String, String> SECURE_TAGS = Map.ofEntries(
            Map.entry("ALGORITHM_DEPRECATED", "sha1_algorithm"),
            Map.entry("ALGORITHM_NOT_RECOMMENDED", "sha1_algorithm"),
            Map.entry("DNSKEY_SMALLER_THAN_REC", "dnskey_weak"),
            Map.entry("DS01_DS_ALGO_DEPRECATED", "sha1_digest"),
            Map.entry("DS10_MISSING_NSEC_NSEC3", "denial_missing"),
            Map.entry("DS10_NAME_NOT_COVERED_BY_NSEC", "denial_missing"),
            Map.entry("DS10_NAME_NOT_COVERED_BY_NSEC3", "denial_missing"),
            Map.entry("DS10_NSEC_MISSING_SIGNATURE", "signature_missing"),
            Map.entry("DS10_NSEC3_MISSING_SIGNATURE", "signature_missing"),
            Map.entry("DS10_NSEC_RRSIG_VERIFY_ERROR", "signature_invalid"),
            Map.entry("DS10_NSEC3_RRSIG_VERIFY_ERROR", "signature_invalid"),
            Map.entry("MANY_ITERATIONS", "nsec3_iterations"),
            Map.entry("REMAINING_SHORT", "signature_expires_soon"));

    private final StringBuilder delegations = new StringBuilder();
    private BindZoneSigner signer;
    private BindTopology topology;
    private DnsFixture dns;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        DebianTool.require("zonemaster-cli");
        signer = new BindZoneSigner(folder);
        zone("nsec", EC, "", UNCHANGED);
        zone("nsec3", EC, "-3 -", UNCHANGED);
        zone("optout", EC, "-3 - -A", UNCHANGED);
        zone("salted", EC, "-3 aabbcc -H 12", UNCHANGED);
        zone("iterations", EC, "-3 - -H 150", UNCHANGED);
        zone("ed25519", "ED25519", "", UNCHANGED);
        zone("rsasha1", "RSASHA1", "", UNCHANGED);
        zone("rsa1024", "RSASHA256 -b 1024", "", UNCHANGED);
        zone("ending", EC, "-s now-864000 -e now+21600", UNCHANGED);
        zone("expired", EC, "-s 20240101000000 -e 20240201000000", UNCHANGED);
        zone("future", EC, "-s 20400101000000 -e 20400201000000", UNCHANGED);
        zone("changed", EC, "", signed -> signed.replace("hostmaster.test.", "other.test."));
        zone("other-key", EC, "", signed -> signed.replaceAll("(RRSIG SOA(?: \\S+){5}) \\d+ ", "$1 1 "));
        zone("unsigned-soa", EC, "", signed -> without(signed, "RRSIG SOA "));
        zone("unsigned-keys", EC, "", signed -> without(signed, "RRSIG DNSKEY "));
        zone("lost-zsk", EC, "", signed -> without(signed, "DNSKEY 256 "));
        zone("lost-ksk", EC, "", signed -> without(signed, "DNSKEY 257 "));
        zone("lost-nsec", EC, "", signed -> without(without(signed, "IN NSEC "), "RRSIG NSEC "));
        zone("lost-nsec3", EC, "-3 -", signed -> without(without(signed, "IN NSEC3 "), "RRSIG NSEC3 "));
        zone("unsigned-nsec3", EC, "-3 -", signed -> without(signed, "RRSIG NSEC3 "));
        zone(
                "changed-nsec3",
                EC,
                "-3 -",
                signed -> signed.replaceAll("(IN NSEC3 1 0 0 -) \\S+", "$1 " + "0".repeat(32)));
        sign("sha1-ds", EC, "", UNCHANGED);
        delegate(
                "sha1-ds",
                signer.run("dnssec-dsfromkey", "-1 -f sha1-ds.test.zone.signed sha1-ds.test")
                        .replaceAll("(?m)^(?!sha1-ds\\.).*\n", ""));
        sign("reserved-ds", EC, "", UNCHANGED);
        delegate("reserved-ds", signer.ds("reserved-ds.test").replace(" 13 2 ", " 13 7 "));
        sign("other-ds", EC, "", UNCHANGED);
        delegate("other-ds", dsOfOther("other-ds"));
        sign("no-ds", EC, "", UNCHANGED);
        delegate("no-ds", "");
        signer.add("plain.test", RECORDS);
        delegate("plain", "");
        signer.add("dead-ds.test", RECORDS);
        delegate("dead-ds", dsOfOther("dead-ds"));

        BindZoneSigner root = new BindZoneSigner(folder, "a.root-servers.net.");
        String records = "a.root-servers.net. A %s\nns1.test. A %s\n".formatted(ROOT, NAMESERVER);
        root.sign("", EC, records + delegations, "", UNCHANGED);
        topology = BindTopology.startWithRoot(
                folder, ROOT, RESOLVER, read(folder, root.files().get(".")));
        Map<String, String> zones = new LinkedHashMap<>();
        for (Map.Entry<String, String> file : signer.files().entrySet()) {
            zones.put(file.getKey(), read(folder, file.getValue()));
        }
        topology.nameserver(NAMESERVER, "recursion no;", zones);
        dns = DnsFixture.start().trust(root.trustAnchor());
    }

    private void zone(String label, String algorithm, String options, UnaryOperator<String> change)
            throws IOException, InterruptedException {
        sign(label, algorithm, options, change);
        delegate(label, signer.ds(label + ".test"));
    }

    /** @param change of the signed zone file, in which white space is a single space */
    private void sign(String label, String algorithm, String options, UnaryOperator<String> change)
            throws IOException, InterruptedException {
        signer.sign(
                label + ".test", algorithm, RECORDS, options, signed -> change.apply(signed.replaceAll("[ \t]+", " ")));
    }

    private void delegate(String label, String ds) {
        delegations.append(label).append(".test. NS ns1.test.\n").append(ds);
    }

    private String dsOfOther(String label) throws IOException {
        return signer.ds("nsec.test").replace("nsec.test.", label + ".test.");
    }

    private static String read(Path folder, String file) throws IOException {
        return Files.readString(folder.resolve(file));
    }

    private static String without(String zone, String type) {
        return String.join(
                        "\n", zone.lines().filter(line -> !line.contains(type)).toList()) + "\n";
    }

    @AfterAll
    void stop() throws IOException {
        if (dns != null) {
            dns.close();
        }
        if (topology != null) {
            topology.close();
        }
    }

    /**
     * The columns are the status, the proof of absence, the findings of both, of this service only, and of Zonemaster
     * only.
     *
     * <p>This service stops at the first invalid link of the chain of trust; Zonemaster reports the consequences too.
     * It permits the iterations of RFC 5155 section 10.3, which RFC 9276 section 3.1 replaced with 0, and it does not
     * report salts and opt-out. BIND does not return signatures for a zone without NSEC and NSEC3PARAM records. An
     * invalid proof for a name that does not exist leaves the records of the domain secure.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                "nsec           | secure   | nsec  | '' | '' | ''",
                "nsec3          | secure   | nsec3 | '' | '' | ''",
                "optout         | secure   | nsec3 | '' | opt_out | ''",
                "salted         | secure   | nsec3 | '' | nsec3_iterations nsec3_salt | ''",
                "iterations     | secure   | nsec3 | nsec3_iterations | '' | ''",
                "ed25519        | secure   | nsec  | '' | '' | ''",
                "rsasha1        | secure   | nsec  | sha1_algorithm | '' | ''",
                "rsa1024        | secure   | nsec  | dnskey_weak | '' | ''",
                "ending         | secure   | nsec  | signature_expires_soon | '' | ''",
                "sha1-ds        | secure   | nsec  | sha1_digest | '' | ''",
                "lost-nsec3     | secure   |       | denial_missing | '' | ''",
                "unsigned-nsec3 | secure   |       | signature_missing | '' | denial_missing",
                "changed-nsec3  | secure   |       | signature_invalid | '' | ''",
                "expired        | bogus    |       | signature_expired | '' | signature_invalid",
                "future         | bogus    |       | signature_not_yet_valid | '' | signature_invalid",
                "changed        | bogus    | nsec  | signature_invalid | '' | ''",
                "other-key      | bogus    | nsec  | signing_key_missing | '' | ''",
                "unsigned-soa   | bogus    | nsec  | signature_missing | '' | ''",
                "unsigned-keys  | bogus    |       | signature_missing | '' | ''",
                "lost-zsk       | bogus    |       | signature_invalid | '' | signing_key_missing",
                "lost-ksk       | bogus    |       | ds_mismatch | '' | signature_invalid signing_key_missing",
                "lost-nsec      | bogus    |       | signature_missing | '' | denial_missing",
                "other-ds       | bogus    |       | ds_mismatch | '' | ''",
                "dead-ds        | bogus    |       | dnskey_missing | '' | ''",
                "reserved-ds    | insecure |       | unsupported_algorithm | '' | ''",
                "no-ds          | insecure |       | ds_missing | '' | ''",
                "plain          | insecure |       | not_signed | '' | ''",
            })
    void agreesWithZonemaster(
            String label,
            String status,
            @Nullable String nsec,
            String both,
            String thisServiceOnly,
            String zonemasterOnly)
            throws Exception {
        String zone = label + ".test";
        CheckResult result = dns.check(MODULE, RESOLVER + ":53", zone, "");
        Set<String> tags = Zonemaster.tags(topology.hints(), zone, "DNSSEC");
        String described = "%s; tags of Zonemaster: %s".formatted(result, tags);

        assertThat(result.error()).isNull();
        assertThat(result.findings().stream().map(Finding::code).collect(Collectors.toSet()))
                .as(described)
                .isEqualTo(codes(both, thisServiceOnly));
        Set<String> bogus = codes(tags, BOGUS_TAGS);
        Set<String> insecure = codes(tags, INSECURE_TAGS);
        Set<String> expected = codes(tags, SECURE_TAGS);
        expected.addAll(bogus);
        expected.addAll(insecure);
        assertThat(expected).as(described).isEqualTo(codes(both, zonemasterOnly));
        assertThat(result.fields())
                .as(described)
                .containsEntry("status", status)
                .containsEntry("nsec", nsec);
        assertThat(!bogus.isEmpty() ? "bogus" : insecure.isEmpty() ? "secure" : "insecure")
                .as(described)
                .isEqualTo(status);
        if (nsec != null) {
            assertThat(tags).contains("DS10_HAS_" + nsec.toUpperCase(Locale.ROOT));
        }
    }

    private static Set<String> codes(Set<String> tags, Map<String, String> codesByTag) {
        return tags.stream()
                .filter(codesByTag::containsKey)
                .map(codesByTag::get)
                .collect(Collectors.toSet());
    }

    private static Set<String> codes(String some, String others) {
        return Stream.of((some + " " + others).split(" "))
                .filter(code -> !code.isEmpty())
                .collect(Collectors.toSet());
    }
}
