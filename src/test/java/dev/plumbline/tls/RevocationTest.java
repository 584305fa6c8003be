package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.RevocationLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.tls.RevocationAnswer.Status;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
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
    return Ocsp.read(response, LEAF, ISSUER.certificate(), NOW, "It").status();
  }

  private static Status readList(byte[] list) {
    return RevocationList.read(list, LEAF, ISSUER.certificate(), NOW).status();
  }

  @Test
  void believesTheIssuer() {
    assertThat(read(GOOD)).isEqualTo(Status.GOOD);
    assertThat(read(RevocationLab.ocsp(ISSUER, LEAF, RevocationLab.Status.REVOKED)))
        .isEqualTo(Status.REVOKED);
    assertThat(read(RevocationLab.ocsp(ISSUER, LEAF, RevocationLab.Status.UNKNOWN)))
        .isEqualTo(Status.UNDETERMINED);
    assertThat(readList(RevocationLab.list(ISSUER))).isEqualTo(Status.GOOD);
    assertThat(readList(RevocationLab.list(ISSUER, OTHER.getSerialNumber())))
        .isEqualTo(Status.GOOD);
    assertThat(readList(RevocationLab.list(ISSUER, LEAF.getSerialNumber())))
        .isEqualTo(Status.REVOKED);
  }

  @Test
  void believesNobodyElse() {
    Instant fresh = NOW.minusSeconds(60);
    assertThat(read(RevocationLab.ocsp(ISSUER, FORGER, LEAF, RevocationLab.Status.GOOD, fresh, 0)))
        .isEqualTo(Status.UNDETERMINED);
    assertThat(readList(RevocationLab.list(FORGER))).isEqualTo(Status.UNDETERMINED);
  }

  @Test
  void believesNothingAboutAnother() {
    assertThat(read(RevocationLab.ocsp(ISSUER, OTHER, RevocationLab.Status.GOOD)))
        .isEqualTo(Status.UNDETERMINED);
    assertThat(readList(RevocationLab.list(TestCa.root("Somebody"))))
        .isEqualTo(Status.UNDETERMINED);
  }

  @Test
  void believesNothingStaleOrFromTheFuture() {
    for (Duration age : new Duration[] {Duration.ofDays(2), Duration.ofHours(-1)}) {
      Instant then = NOW.minus(age);
      assertThat(read(RevocationLab.ocsp(ISSUER, ISSUER, LEAF, RevocationLab.Status.GOOD, then, 0)))
          .isEqualTo(Status.UNDETERMINED);
      assertThat(readList(RevocationLab.list(ISSUER, then))).isEqualTo(Status.UNDETERMINED);
    }
  }

  @Test
  void countsTheTimestampsInAResponse() {
    byte[] response =
        RevocationLab.ocsp(
            ISSUER, ISSUER, LEAF, RevocationLab.Status.GOOD, NOW.minusSeconds(60), 4);
    assertThat(Ocsp.read(response, LEAF, ISSUER.certificate(), NOW, "It").timestamps())
        .isEqualTo(4);
  }

  @Property(tries = 500)
  void neverTakesADamagedResponseForAGoodOne(
      @ForAll @IntRange(max = 10_000) int position,
      @ForAll @IntRange(min = 1, max = 255) int bits) {
    byte[] damaged = GOOD.clone();
    damaged[position % damaged.length] ^= (byte) bits;
    assertThat(read(damaged)).isNotEqualTo(Status.REVOKED);
    assertThat(read(Arrays.copyOf(GOOD, position % GOOD.length))).isEqualTo(Status.UNDETERMINED);
  }
}
