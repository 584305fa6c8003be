package dev.plumbline.tls;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The validity period of OCSP responses and CRLs. */
final class RevocationValidity {
    private static final Duration SKEW = Duration.ofMinutes(5);

    /** For a response without nextUpdate. */
    private static final Duration UNDATED = Duration.ofDays(7);

    private RevocationValidity() {}

    static boolean holds(@Nullable Instant from, @Nullable Instant until, Instant at) {
        if (from == null || from.isAfter(at.plus(SKEW))) {
            return false;
        }
        Instant end = until == null ? from.plus(UNDATED) : until;
        return !end.isBefore(at.minus(SKEW));
    }
}
