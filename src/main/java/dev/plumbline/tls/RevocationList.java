package dev.plumbline.tls;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.IssuingDistributionPoint;
import org.jspecify.annotations.Nullable;

/** Reads lists of revoked certificates (RFC 5280, section 5). */
public final class RevocationList {
  private static final String SOURCE = "The issuer's revocation list";

  private RevocationList() {}

  /**
   * Reads a list. It counts only if the certificate's issuer signed it, if it is fresh, and if it
   * covers the certificate. A large list takes its time: not for an event loop.
   */
  public static RevocationAnswer read(
      byte[] list, X509Certificate certificate, X509Certificate issuer, Instant at) {
    try {
      X509CRL parsed =
          (X509CRL)
              CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(list));
      if (!parsed.getIssuerX500Principal().equals(certificate.getIssuerX500Principal())) {
        return RevocationAnswer.undetermined(SOURCE + " is by another issuer");
      }
      if (!Keys.affordable(issuer.getPublicKey())) {
        return RevocationAnswer.undetermined(SOURCE + " cannot be verified");
      }
      parsed.verify(issuer.getPublicKey());
      if (!Freshness.holds(instant(parsed.getThisUpdate()), instant(parsed.getNextUpdate()), at)) {
        return RevocationAnswer.undetermined(SOURCE + " is not up to date");
      }
      if (partial(parsed)) {
        return RevocationAnswer.undetermined(SOURCE + " does not cover the certificate");
      }
      X509CRLEntry entry = parsed.getRevokedCertificate(certificate.getSerialNumber());
      return entry == null ? RevocationAnswer.good(SOURCE) : RevocationAnswer.revoked(SOURCE);
    } catch (GeneralSecurityException | RuntimeException unreadable) {
      return RevocationAnswer.undetermined(SOURCE + " cannot be read or verified");
    }
  }

  /**
   * Whether it holds only a part of what is revoked: changes, some reasons, or authorities only.
   */
  private static boolean partial(X509CRL list) {
    if (list.getExtensionValue(Extension.deltaCRLIndicator.getId()) != null) {
      return true;
    }
    byte[] value = list.getExtensionValue(Extension.issuingDistributionPoint.getId());
    if (value == null) {
      return false;
    }
    IssuingDistributionPoint point =
        IssuingDistributionPoint.getInstance(ASN1OctetString.getInstance(value).getOctets());
    return point.onlyContainsCACerts()
        || point.onlyContainsAttributeCerts()
        || point.isIndirectCRL()
        || point.getOnlySomeReasons() != null;
  }

  private static @Nullable Instant instant(@Nullable Date date) {
    return date == null ? null : date.toInstant();
  }
}
