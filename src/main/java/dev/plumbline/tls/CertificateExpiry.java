package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How close a certificate is to the end of its validity period. */
enum CertificateExpiry {
    LATER,
    SOON,
    /** Automatic renewal would have replaced the certificate before. */
    IMMINENT;

    private static final Duration SHORT_LIFETIME = Duration.ofDays(10);
    private static final Duration SHORT_LIFETIME_SOON = Duration.ofDays(2);
    private static final Duration MAX_SOON = Duration.ofDays(30);
    private static final Duration MIN_IMMINENT = Duration.ofHours(12);
    private static final Duration MAX_IMMINENT = Duration.ofDays(3);

    /** @param warnDays {@link #SOON} below this number of days; null: derived from the lifetime */
    static CertificateExpiry of(X509Certificate certificate, Instant at, @Nullable Long warnDays) {
        Duration left = Duration.between(at, certificate.getNotAfter().toInstant());
        if (left.compareTo(IMMINENT.threshold(certificate, warnDays)) < 0) {
            return IMMINENT;
        }
        return left.compareTo(SOON.threshold(certificate, warnDays)) < 0 ? SOON : LATER;
    }

    /** The remaining time below which the certificate has this state. Not defined for {@link #LATER}. */
    Duration threshold(X509Certificate certificate, @Nullable Long warnDays) {
        Duration lifetime = Duration.between(
                certificate.getNotBefore().toInstant(),
                certificate.getNotAfter().toInstant());
        return switch (this) {
            case LATER -> throw new IllegalStateException("no threshold");
            case SOON -> warnDays == null ? soon(lifetime) : Duration.ofDays(warnDays);
            case IMMINENT -> imminent(lifetime);
        };
    }

    /**
     * The start of the warning of an expiry.
     *
     * @param warnDays as in {@link #of}
     * @return null if the warning is disabled
     */
    static @Nullable Instant warningAt(X509Certificate certificate, @Nullable Long warnDays) {
        Instant end = certificate.getNotAfter().toInstant();
        return warnDays != null && warnDays == 0 ? null : end.minus(SOON.threshold(certificate, warnDays));
    }

    private static Duration soon(Duration lifetime) {
        return lifetime.compareTo(SHORT_LIFETIME) <= 0
                ? SHORT_LIFETIME_SOON
                : Collections.min(List.of(MAX_SOON, lifetime.dividedBy(3)));
    }

    private static Duration imminent(Duration lifetime) {
        return Collections.max(List.of(MIN_IMMINENT, Collections.min(List.of(MAX_IMMINENT, lifetime.dividedBy(10)))));
    }
}
