package dev.plumbline.dnssec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Master;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** The responses of RFC 5155 appendix B. All NSEC3 records of the zone have the flag Opt-Out. */
class Rfc5155ExamplesTest {
    private static final Instant AT = Instant.parse("2010-01-01T00:00:00Z");
    private static final String KEY =
            "example. 3600 IN DNSKEY 257 3 7 AwEAAcUlFV1vhmqx6NSOUOq2R/dsR7Xm3upJj7IommWSpJABVfW8Q0rOvXdM6kzt"
                    + "+TAu92L9AbsUdblMFin8CVF3n4s=";
    private static final String KEYS = KEY
            + """

            example. 3600 IN DNSKEY 256 3 7 AwEAAaetidLzsKWUt4swWR8yu0wPHPiUi8LUsAD0QPWU+wzt89epO6tHzkMBVDkC7qphQO2hTY4hHn9npWFRw5BYubE=
            example. 3600 IN RRSIG DNSKEY 7 1 3600 20150420235959 20051021000000 12708 example. AuU4juU9RaxescSmStrQks3Gh9FblGBlVU31uzMZ/U/FpsUb8aC6QZS+sTsJXnLnz7flGOsmMGQZf3bH+QsCtg==
            """;
    private static final String SIGNED_BY = " 3600 20150420235959 20051021000000 40430 example. ";

    /** The NSEC3 records and their signatures, and the wildcard records. */
    private static final String ZONE =
            """
            apex = 0p9mhaveqvm6t7vbl5lop2u3t2rp3tom.example. NSEC3 1 1 12 aabbccdd 2t7b4g4vsa5smi47k61mv5bv1a22bojr NS SOA MX RRSIG DNSKEY NSEC3PARAM
            apex = 0p9mhaveqvm6t7vbl5lop2u3t2rp3tom.example. RRSIG NSEC3 7 2 @ OSgWSm26B+cS+dDL8b5QrWr/dEWhtCsKlwKLIBHYH6blRxK9rC0bMJPwQ4mLIuw85H2EY762BOCXJZMnpuwhpA==
            ns1 = 2t7b4g4vsa5smi47k61mv5bv1a22bojr.example. NSEC3 1 1 12 aabbccdd 2vptu5timamqttgl4luu9kg21e0aor3s A RRSIG
            ns1 = 2t7b4g4vsa5smi47k61mv5bv1a22bojr.example. RRSIG NSEC3 7 2 @ OmBvJ1Vgg1hCKMXHFiNeIYHK9XVW0iLDLwJN4TFoNxZuP03gAXEI634YwOc4YBNITrj413iqNI6mRk/r1dOSUw==
            a = 35mthgpgcu1qg68fab165klnsnk3dpvl.example. NSEC3 1 1 12 aabbccdd b4um86eghhds6nea196smvmlo4ors995 NS DS RRSIG
            a = 35mthgpgcu1qg68fab165klnsnk3dpvl.example. RRSIG NSEC3 7 2 @ g6jPUUpduAJKRljUsN8gB4UagAX0NxY9shwQAynzo8EUWH+z6hEIBlUTPGj15eZll6VhQqgZXtAIR3chwgW+SA==
            x.w = b4um86eghhds6nea196smvmlo4ors995.example. NSEC3 1 1 12 aabbccdd gjeqe526plbf1g8mklp59enfd789njgi MX RRSIG
            x.w = b4um86eghhds6nea196smvmlo4ors995.example. RRSIG NSEC3 7 2 @ ZkPG3M32lmoHM6pa3D6gZFGB/rhL//Bs3Omh5u4m/CUiwtblEVOaAKKZd7S959OeiX43aLX3pOv0TSTyiTxIZg==
            y.w = ji6neoaepv8b5o6k4ev33abha8ht9fgc.example. NSEC3 1 1 12 aabbccdd k8udemvp1j2f7eg6jebps17vp3n8i58h
            y.w = ji6neoaepv8b5o6k4ev33abha8ht9fgc.example. RRSIG NSEC3 7 2 @ gPkFp1s2QDQ6wQzcg1uSebZ61W33rUBDcTj72F3kQ490fEdp7k1BUIfbcZtPbX3YCpE+sIt0MpzVSKfTwx4uYA==
            w = k8udemvp1j2f7eg6jebps17vp3n8i58h.example. NSEC3 1 1 12 aabbccdd kohar7mbb8dc2ce8a9qvl8hon4k53uhi
            w = k8udemvp1j2f7eg6jebps17vp3n8i58h.example. RRSIG NSEC3 7 2 @ FtXGbvF0+wf8iWkyo73enAuVx03klN+pILBKS6qCcftVtfH4yVzsEZquJ27NHR7ruxJWDNMtOtx7w9WfcIg62A==
            ns2 = q04jkcevqvmu85r014c7dkba38o0ji5r.example. NSEC3 1 1 12 aabbccdd r53bq7cc2uvmubfu5ocmm6pers9tk9en A RRSIG
            ns2 = q04jkcevqvmu85r014c7dkba38o0ji5r.example. RRSIG NSEC3 7 2 @ hV5I89b+4FHJDATp09g4bbN0R1F845CaXpL3ZxlMKimoPAyqletMlEWwLfFia7sdpSzn+ZlNNlkxWcLsIlMmUg==
            *.w = r53bq7cc2uvmubfu5ocmm6pers9tk9en.example. NSEC3 1 1 12 aabbccdd t644ebqk9bibcna874givr6joj62mlhv MX RRSIG
            *.w = r53bq7cc2uvmubfu5ocmm6pers9tk9en.example. RRSIG NSEC3 7 2 @ aupviViruXs4bDg9rCbezzBMf9h1ZlDvbW/CZFKulIGXXLj8B/fsDJarXVDA9bnUoRhEbKp+HF1FWKW7RIJdtQ==
            mx = a.z.w.example. MX 1 ai.example.
            mx = a.z.w.example. RRSIG MX 7 2 @ CikebjQwGQPwijVcxgcZcSJKtfynugtlBiKb9FcBTrmOoyQ4InoWVudhCWsh/URX3lc4WRUMivEBP6+4KS3ldA==
            """;

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "B.1 name error, a.c.x.w.example. A, NXDOMAIN, apex x.w a, OPT_OUT",
        "B.1 without the closest encloser, a.c.x.w.example. A, NXDOMAIN, apex a, DENIAL_MISSING",
        "B.1 without the next closer name, a.c.x.w.example. A, NXDOMAIN, x.w a, DENIAL_MISSING",
        "B.1 without the wildcard, a.c.x.w.example. A, NXDOMAIN, apex x.w ns1, OPT_OUT",
        "B.2 no data, ns1.example. MX, NOERROR, ns1, ",
        "B.2 of an existing type, ns1.example. A, NOERROR, ns1, DENIAL_MISSING",
        "B.2.1 empty non-terminal, y.w.example. A, NOERROR, y.w, ",
        "B.3 unsigned delegation, c.example. DS, NOERROR, a apex, OPT_OUT",
        "B.4 wildcard expansion, a.z.w.example. MX, NOERROR, mx ns2, OPT_OUT",
        "B.4 without the proof, a.z.w.example. MX, NOERROR, mx, DENIAL_MISSING",
        "B.5 wildcard no data, a.z.w.example. AAAA, NOERROR, w ns2 *.w, OPT_OUT",
        "B.5 of an existing type, a.z.w.example. MX, NOERROR, w ns2 *.w, DENIAL_MISSING",
    })
    void validates(String name, String question, String rcode, String sections, Reason expected) throws IOException {
        DnssecValidator validator =
                new DnssecValidator(TrustAnchors.parse(List.of(KEY)), AT, new ValidationLimits(), zone -> null);
        Name zone = DnssecLab.name("example.");
        Message keys = response(zone, Type.DNSKEY);
        records(KEYS).forEach(record -> keys.addRecord(record, Section.ANSWER));
        ZoneTrust trust = validator.anchor(zone, keys);
        assertThat(trust).isNotNull();
        assertThat(trust.failure()).isNull();
        Name queried = DnssecLab.name(question.split(" ")[0]);
        int type = Type.value(question.split(" ")[1]);
        Message response = response(queried, type);
        response.getHeader().setRcode(Rcode.value(rcode));
        for (String section : sections.split(" ")) {
            for (Record record : records(lines(section))) {
                response.addRecord(record, section.equals("mx") ? Section.ANSWER : Section.AUTHORITY);
            }
        }

        ValidatedAnswer answer = validator.answer(trust, queried, type, response);

        DnssecFailure failure = answer.failure();
        assertThat(failure == null ? null : failure.reason()).isEqualTo(expected);
        assertThat(answer.nxdomain()).isEqualTo(rcode.equals("NXDOMAIN"));
        assertThat(answer.records()).hasSize(sections.startsWith("mx") ? 1 : 0);
    }

    private static Message response(Name name, int type) {
        Message response = Message.newQuery(Record.newRecord(name, type, DClass.IN));
        response.getHeader().setFlag(Flags.QR);
        return response;
    }

    private static String lines(String section) {
        StringBuilder lines = new StringBuilder();
        ZONE.lines()
                .filter(line -> line.startsWith(section + " = "))
                .map(line -> line.substring(section.length() + 3).replaceFirst(" @ ", SIGNED_BY))
                .forEach(line -> lines.append(line).append('\n'));
        return lines.toString();
    }

    private static List<Record> records(String text) throws IOException {
        try (Master file = new Master(
                new ByteArrayInputStream(("$TTL 3600\n" + text).getBytes(StandardCharsets.US_ASCII)), Name.root)) {
            List<Record> records = new java.util.ArrayList<>();
            for (Record record = file.nextRecord(); record != null; record = file.nextRecord()) {
                records.add(record);
            }
            return records;
        }
    }
}
