package dev.plumbline.dnssec;

import java.time.Duration;
import java.time.Instant;
import org.xbill.DNS.RRSIGRecord;

/** The period in which a signature is valid (RFC 4034 section 3.1.5). */
public record SignatureValidity(Instant inception, Instant expiration) {
    /** Signers replace signatures after at most nine tenths of their validity. */
    private static final int RESERVE = 10;

    static SignatureValidity of(RRSIGRecord signature) {
        return new SignatureValidity(signature.getTimeSigned(), signature.getExpire());
    }

    /** The one that ends first. */
    public SignatureValidity earlier(SignatureValidity other) {
        return other.expiration.isBefore(expiration) ? other : this;
    }

    /** Whether less than a tenth of the period remains. */
    public boolean endsSoon(Instant at) {
        Duration remaining = Duration.between(at, expiration);
        return remaining.multipliedBy(RESERVE).compareTo(Duration.between(inception, expiration)) < 0;
    }
}
