package dev.plumbline.dnssec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import dev.plumbline.lab.SignedZone;
import dev.plumbline.lab.SignedZone.Denial;
import dev.plumbline.lab.SignedZones;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DSRecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/** Hostile zones: the number of signatures and hashes is limited. */
class ValidationLimitsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** KeyTrap (CVE-2023-50387): many keys with the same key tag and many signatures. */
    @Test
    void limitsCollidingKeysAndSignatures() {
        SignedZone example = SignedZone.of("example.").record("www A 192.0.2.1");
        SignedZone root = SignedZone.of(".").delegate(example);
        List<Record> keys = HostileRecords.collidingKeys(example.key(), 100);
        HostileRecords.forgeSignatures(example, Type.A, 100);
        DnssecLab lab = new DnssecLab(root, example);
        keys.forEach(example::add);

        DnssecResult result = assertTimeoutPreemptively(TIMEOUT, () -> lab.lookup("www.example.", "A"));

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
        assertThat(result.status()).isEqualTo(DnssecStatus.BOGUS);
        assertThat(lab.limits().signatures.get()).isLessThanOrEqualTo(ValidationLimits.MAX_INVALID_SIGNATURES + 5);
    }

    @Test
    void limitsDigestsOfDsRecords() {
        SignedZone example = SignedZone.of("example.");
        SignedZone root = SignedZone.of(".").delegateUnsigned("example.");
        for (int i = 0; i < 200; i++) {
            byte[] digest = new byte[32];
            digest[0] = (byte) i;
            root.add(new DSRecord(example.apex(), DClass.IN, 300, example.key().getFootprint(), 13, 2, digest));
        }
        HostileRecords.collidingKeys(example.key(), 100).forEach(example::add);
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = assertTimeoutPreemptively(TIMEOUT, () -> lab.lookup("www.example.", "A"));

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
        assertThat(lab.limits().hashes.get()).isEqualTo(ValidationLimits.MAX_HASHES);
    }

    /** CVE-2023-50868: a long name that does not exist needs one hash for each label. */
    @Test
    void limitsHashesOfNsec3() {
        SignedZone example = SignedZone.of("example.").denial(Denial.NSEC3, Nsec3Proof.MAX_ITERATIONS, "salt");
        for (int i = 0; i < 20; i++) {
            example.record("host" + i + " A 192.0.2.1");
        }
        SignedZone root = SignedZone.of(".").delegate(example);
        String name = "a.".repeat(115) + "example.";
        example.rewrite(section -> section.stream()
                .filter(record -> !(record instanceof NSEC3Record nsec3 && nsec3.hasType(Type.SOA)))
                .toList());
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = assertTimeoutPreemptively(TIMEOUT, () -> lab.lookup(name, "A"));

        assertThat(result.status()).isEqualTo(DnssecStatus.BOGUS);
        assertThat(lab.limits().hashes.get()).isBetween(100, ValidationLimits.MAX_HASHES);
    }

    @Test
    void validatesThousandsOfRecordsInBoundedTime() {
        SignedZone example = SignedZone.of("example.").record("www A 192.0.2.1");
        SignedZone root = SignedZone.of(".").delegate(example);
        List<Record> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(new TXTRecord(DnssecLab.name("www.example."), DClass.IN, 300, "r" + i));
        }
        example.rewrite(section -> {
            List<Record> changed = new ArrayList<>(section);
            section.stream().filter(record -> record instanceof RRSIGRecord).forEach(record -> {
                byte[] data = record.rdataToWireCanonical();
                data[1] = Type.TXT;
                changed.add(Record.newRecord(record.getName(), Type.RRSIG, DClass.IN, 300, data));
            });
            changed.addAll(many);
            return changed;
        });
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = assertTimeoutPreemptively(TIMEOUT, () -> lab.lookup("www.example.", "TXT"));

        assertThat(result.status()).isEqualTo(DnssecStatus.BOGUS);
        assertThat(result.records()).hasSize(10_000);
    }

    @Provide
    static Arbitrary<byte[]> data() {
        return Arbitraries.bytes().array(byte[].class).ofMaxSize(64);
    }

    /** Records with random data of the types that the validator reads. Most random data is malformed. */
    @Property(tries = 200, maxDiscardRatio = 20)
    void acceptsRandomRecords(@ForAll("data") byte[] data, @ForAll int choice) {
        SignedZone zone = Fixture.EXAMPLE;
        int[] types = {Type.DNSKEY, Type.RRSIG, Type.NSEC, Type.NSEC3, Type.DS, Type.CNAME, Type.DNAME};
        int type = types[Math.floorMod(choice, types.length)];
        Record random = record(type, data);
        Assume.that(random != null);
        DnssecValidator validator = new DnssecValidator(
                TrustAnchors.parse(List.of(zone.ds(2).toString())),
                Instant.now(),
                new ValidationLimits(),
                apex -> null);
        DnssecLookup lookup = new DnssecLookup(validator, DnssecLab.name("www.example."), Type.A, true);
        for (DnssecQuery query = lookup.next(); query != null; query = lookup.next()) {
            Message response = Fixture.ALL.respond(query.name(), query.type());
            response.addRecord(random, Section.ANSWER);
            response.addRecord(random, Section.AUTHORITY);
            response.removeAllRecords(Section.ADDITIONAL);
            lookup.accept(response);
        }
        assertThat(lookup.result().status()).isNotNull();
    }

    /** Null if the data is malformed; the message is rejected then. */
    private static Record record(int type, byte[] data) {
        try {
            return Record.newRecord(DnssecLab.name("www.example."), type, DClass.IN, 300, data);
        } catch (RuntimeException malformed) {
            return null;
        }
    }

    private static final class Fixture {
        private static final SignedZone EXAMPLE = SignedZone.of("example.").record("www A 192.0.2.1");
        private static final SignedZones ALL = new SignedZones(EXAMPLE);
    }
}
