package dev.plumbline.tls;

/**
 * What a source says about whether a certificate is revoked.
 *
 * @param detail when undetermined: why, in half a sentence; otherwise who said so
 * @param timestamps the signed certificate timestamps that came with it (RFC 6962, section 3.3)
 */
public record RevocationAnswer(Status status, String detail, int timestamps) {
  /** What is known. */
  public enum Status {
    GOOD,
    REVOKED,
    UNDETERMINED
  }

  public static RevocationAnswer good(String source) {
    return new RevocationAnswer(Status.GOOD, source, 0);
  }

  public static RevocationAnswer revoked(String source) {
    return new RevocationAnswer(Status.REVOKED, source, 0);
  }

  public static RevocationAnswer undetermined(String why) {
    return new RevocationAnswer(Status.UNDETERMINED, why, 0);
  }

  /** Whether the question is settled. */
  public boolean determined() {
    return status != Status.UNDETERMINED;
  }
}
