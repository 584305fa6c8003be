package dev.plumbline.bench;

import dev.plumbline.support.BindZoneSigner;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The zones of the nameserver of the benchmark. */
final class ZoneFiles {
    /** A domain with mail and a website, and a website with IPv6. */
    private static final String DOMAIN =
            """
            m$ A %1$s
            m$ MX 10 mx$
            mx$ A %1$s
            m$ TXT "v=spf1 mx -all"
            _dmarc.m$ TXT "v=DMARC1; p=reject; rua=mailto:dmarc@m$.%3$s"
            s1._domainkey.m$ TXT "v=DKIM1; k=rsa; p=" %2$s
            _mta-sts.m$ TXT "v=STSv1; id=20261101"
            mta-sts.m$ A %1$s
            _smtp._tls.m$ TXT "v=TLSRPTv1; rua=mailto:tls@m$.%3$s"
            default._bimi.m$ TXT "v=BIMI1; l=https://m$.%3$s/logo.svg"
            v6-$ A %1$s
            v6-$ AAAA ::1
            v6-$ MX 10 mx$
            """;

    private static final String ALGORITHM = "ECDSAP256SHA256";
    private static final int DKIM_BITS = 2_048;

    private final Path folder;
    private final BindZoneSigner signer;
    private final Map<String, String> files = new HashMap<>();

    /**
     * Writes all zones.
     *
     * @param folder for the files and keys
     * @param leaf the certificate of the websites, in PEM
     */
    ZoneFiles(Path folder, Path leaf) throws IOException, InterruptedException {
        this.folder = folder;
        this.signer = new BindZoneSigner(folder);
        String site = NginxTarget.DOMAIN_ADDRESS;
        add(
                TargetNames.ZONE,
                """
                ns1 A 127.0.0.1
                ns2 A 127.0.0.1
                * A 127.0.0.1
                * MX 10 mail
                * TXT "v=spf1 -all"
                *.sites A %s
                @ CAA 0 issue "ca.test"
                """
                        .formatted(site));
        add(
                TargetNames.DOMAINS,
                numbered(TargetNames.DOMAIN_COUNT, DOMAIN.formatted(site, dkimKey(), TargetNames.DOMAINS))
                        + addresses("r-%1$d-%2$d A 127.100.%1$d.%2$d\n"));
        add(
                TargetNames.LARGE,
                IntStream.range(100, 200)
                        .mapToObj(i -> "* TXT \"" + (i + " large ").repeat(24) + i + "\"\n")
                        .collect(Collectors.joining()));
        add(TargetNames.BLOCKLIST, "2.0.0.127 A 127.0.0.2\n");
        add("127.in-addr.arpa", addresses("%2$d.%1$d.100 PTR r-%1$d-%2$d." + TargetNames.DOMAINS + ".\n"));
        String delegations = files.keySet().stream()
                .map(zone -> "%1$s. NS ns1.%2$s.\n%1$s. NS ns2.%2$s.\n".formatted(zone, TargetNames.ZONE))
                .collect(Collectors.joining());
        UnaryOperator<String> unchanged = UnaryOperator.identity();
        signer.sign(TargetNames.SIGNED, ALGORITHM, "* A 127.0.0.1\n* TLSA 3 1 1 " + spkiHash(leaf), "", unchanged);
        signer.sign(
                "",
                ALGORITHM,
                "ns1.test. A 127.0.0.1\n" + delegations + signer.delegation(TargetNames.SIGNED),
                "",
                unchanged);
        files.putAll(signer.files());
    }

    /** The files by the name of their zone. */
    Map<String, String> files() {
        return files;
    }

    /** The private root and the signed zone. */
    BindZoneSigner signer() {
        return signer;
    }

    private void add(String zone, String records) throws IOException {
        Files.writeString(
                folder.resolve(zone + ".zone"),
                """
                $TTL 300
                @ SOA ns1.%1$s. hostmaster.%1$s. 2026110101 7200 3600 1209600 3600
                @ NS ns1.%1$s.
                @ NS ns2.%1$s.
                %2$s
                """
                        .formatted(TargetNames.ZONE, records));
        files.put(zone, zone + ".zone");
    }

    private static String numbered(int count, String records) {
        return IntStream.range(0, count)
                .mapToObj(i -> records.replace("$", Integer.toString(i)))
                .collect(Collectors.joining());
    }

    /** @param record with the third and the fourth number of the address */
    private static String addresses(String record) {
        return IntStream.range(0, TargetNames.ADDRESS_COUNT)
                .mapToObj(i -> record.formatted(i >> 8, i & 255))
                .collect(Collectors.joining());
    }

    /** A public key as strings of at most 255 characters. */
    private static String dkimKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(DKIM_BITS);
            String key = Base64.getEncoder()
                    .encodeToString(generator.generateKeyPair().getPublic().getEncoded());
            return "\"%s\" \"%s\"".formatted(key.substring(0, 200), key.substring(200));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String spkiHash(Path certificate) throws IOException {
        try (InputStream in = Files.newInputStream(certificate)) {
            byte[] key = CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getPublicKey()
                    .getEncoded();
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(key));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
