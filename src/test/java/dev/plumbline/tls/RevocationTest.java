package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.RevocationLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.tls.RevocationStatement.Status;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.BigRange;
import net.jqwik.api.constraints.IntRange;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.x509.DistributionPointName;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.IssuingDistributionPoint;
import org.junit.jupiter.api.Test;

class RevocationTest {
    private static final Instant NOW = Instant.now();
    private static final TestCa ISSUER = TestCa.root("Issuer");
    private static final TestCa FORGER = TestCa.root("Issuer");
    private static final X509Certificate LEAF =
            ISSUER.issue(CertificateSpec.server("a.test")).certificate();
    private static final X509Certificate OTHER =
            ISSUER.issue(CertificateSpec.server("b.test")).certificate();
    private static final byte[] GOOD = RevocationLab.ocsp(ISSUER, LEAF, RevocationLab.Status.GOOD);

    private static Status read(byte[] response) {
        return OcspCodec.read(response, LEAF, ISSUER.certificate(), NOW, "It").status();
    }

    private static Status readList(byte[] list) {
        return RevocationList.read(list, LEAF, ISSUER.certificate(), NOW).status();
    }

    @Test
    void acceptsStatementsOfTheIssuer() {
        assertThat(read(GOOD)).isEqualTo(Status.GOOD);
        assertThat(read(RevocationLab.ocsp(ISSUER, LEAF, RevocationLab.Status.REVOKED)))
                .isEqualTo(Status.REVOKED);
        assertThat(read(RevocationLab.ocsp(ISSUER, LEAF, RevocationLab.Status.UNKNOWN)))
                .isEqualTo(Status.UNDETERMINED);
        assertThat(readList(RevocationLab.list(ISSUER))).isEqualTo(Status.GOOD);
        assertThat(readList(RevocationLab.list(ISSUER, OTHER.getSerialNumber())))
                .isEqualTo(Status.GOOD);
        assertThat(readList(RevocationLab.list(ISSUER, LEAF.getSerialNumber()))).isEqualTo(Status.REVOKED);
    }

    @Test
    void rejectsStatementsOfOtherSigners() {
        Instant fresh = NOW.minusSeconds(60);
        assertThat(read(RevocationLab.ocsp(ISSUER, FORGER, LEAF, RevocationLab.Status.GOOD, fresh, 0)))
                .isEqualTo(Status.UNDETERMINED);
        assertThat(readList(RevocationLab.list(FORGER))).isEqualTo(Status.UNDETERMINED);
    }

    @Test
    void rejectsResponsesForOtherCertificates() {
        assertThat(read(RevocationLab.ocsp(ISSUER, OTHER, RevocationLab.Status.GOOD)))
                .isEqualTo(Status.UNDETERMINED);
        assertThat(readList(RevocationLab.list(TestCa.root("Somebody")))).isEqualTo(Status.UNDETERMINED);
    }

    @Test
    void rejectsStatementsOutsideTheirValidityPeriod() {
        for (Duration age : new Duration[] {Duration.ofDays(2), Duration.ofHours(-1)}) {
            Instant then = NOW.minus(age);
            assertThat(read(RevocationLab.ocsp(ISSUER, ISSUER, LEAF, RevocationLab.Status.GOOD, then, 0)))
                    .isEqualTo(Status.UNDETERMINED);
            assertThat(readList(RevocationLab.list(ISSUER, then))).isEqualTo(Status.UNDETERMINED);
        }
    }

    @Test
    void countsTimestampsInOcspResponses() {
        byte[] response = RevocationLab.ocsp(ISSUER, ISSUER, LEAF, RevocationLab.Status.GOOD, NOW.minusSeconds(60), 4);
        assertThat(OcspCodec.read(response, LEAF, ISSUER.certificate(), NOW, "It")
                        .timestamps())
                .isEqualTo(4);
    }

    @Property(tries = 100)
    void findsExactlyTheListedSerialNumbers(@ForAll List<@BigRange(min = "1") BigInteger> serials) {
        assertThat(readList(RevocationLab.list(ISSUER, serials.toArray(new BigInteger[0]))))
                .isEqualTo(Status.GOOD);
        List<BigInteger> more = new ArrayList<>(serials);
        more.add(more.size() / 2, LEAF.getSerialNumber());
        assertThat(readList(RevocationLab.list(ISSUER, more.toArray(new BigInteger[0]))))
                .isEqualTo(Status.REVOKED);
    }

    @Property(tries = 500)
    void rejectsDamagedCrls(
            @ForAll @IntRange(max = 10_000) int position, @ForAll @IntRange(min = 1, max = 255) int bits) {
        byte[] list = RevocationLab.list(ISSUER, OTHER.getSerialNumber(), LEAF.getSerialNumber());
        byte[] damaged = list.clone();
        damaged[position % list.length] ^= (byte) bits;
        assertThat(readList(damaged)).isNotEqualTo(Status.GOOD);
        assertThat(readList(Arrays.copyOf(list, position % list.length))).isEqualTo(Status.UNDETERMINED);
    }

    @Property(tries = 1_000)
    void rejectsArbitraryBytes(@ForAll byte[] bytes) {
        assertThat(readList(bytes)).isEqualTo(Status.UNDETERMINED);
    }

    @Test
    void readsLongCrlsInConstantMemory() {
        BigInteger[] many = new BigInteger[50_000];
        Arrays.setAll(many, i -> BigInteger.valueOf(i).setBit(127));
        byte[] list = RevocationLab.list(ISSUER, many);
        readList(list);

        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = memory.getCurrentThreadAllocatedBytes();
        assertThat(readList(list)).isEqualTo(Status.GOOD);
        long taken = memory.getCurrentThreadAllocatedBytes() - before;
        assertThat(taken).isLessThan(list.length);
    }

    private static Status ofPoint(IssuingDistributionPoint point) {
        X509Certificate leaf = ISSUER.issue(CertificateSpec.server("a.test").crl("http://lists.test/7"))
                .certificate();
        byte[] list = RevocationLab.list(ISSUER, NOW.minusSeconds(60), Extension.issuingDistributionPoint, point);
        return RevocationList.read(list, leaf, ISSUER.certificate(), NOW).status();
    }

    private static IssuingDistributionPoint shard(String... urls) {
        GeneralName[] names = Arrays.stream(urls)
                .map(url -> new GeneralName(GeneralName.uniformResourceIdentifier, url))
                .toArray(GeneralName[]::new);
        return new IssuingDistributionPoint(new DistributionPointName(new GeneralNames(names)), false, false);
    }

    @Test
    void rejectsCrlsWithAnotherScope() {
        assertThat(ofPoint(shard("http://lists.test/7"))).isEqualTo(Status.GOOD);
        assertThat(ofPoint(shard("ldap://lists.test/7", "http://lists.test/7"))).isEqualTo(Status.GOOD);
        assertThat(ofPoint(new IssuingDistributionPoint(null, true, false, null, false, false)))
                .isEqualTo(Status.GOOD);
        assertThat(ofPoint(shard("http://lists.test/8"))).isEqualTo(Status.UNDETERMINED);
        assertThat(ofPoint(new IssuingDistributionPoint(null, false, true, null, false, false)))
                .isEqualTo(Status.UNDETERMINED);
        assertThat(ofPoint(new IssuingDistributionPoint(null, false, false, null, true, false)))
                .isEqualTo(Status.UNDETERMINED);
    }

    @Test
    void rejectsCrlsWithUnknownCriticalExtensions() {
        byte[] list =
                RevocationLab.list(ISSUER, NOW.minusSeconds(60), new ASN1ObjectIdentifier("1.2.3.4"), DERNull.INSTANCE);
        assertThat(readList(list)).isEqualTo(Status.UNDETERMINED);
    }

    @Property(tries = 500)
    void rejectsDamagedOcspResponses(
            @ForAll @IntRange(max = 10_000) int position, @ForAll @IntRange(min = 1, max = 255) int bits) {
        byte[] damaged = GOOD.clone();
        damaged[position % damaged.length] ^= (byte) bits;
        assertThat(read(damaged)).isNotEqualTo(Status.REVOKED);
        assertThat(read(Arrays.copyOf(GOOD, position % GOOD.length))).isEqualTo(Status.UNDETERMINED);
    }
}
