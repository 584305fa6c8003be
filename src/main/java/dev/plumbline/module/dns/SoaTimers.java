package dev.plumbline.module.dns;

import java.util.List;
import org.xbill.DNS.SOARecord;

/** Evaluates the intervals of an SOA record, in seconds (RFC 1912 section 2.2, RFC 2308 section 5). */
final class SoaTimers {
    private static final long MIN_REFRESH = 1_200;
    private static final long MAX_REFRESH = 86_400;
    private static final long MIN_RETRY = 180;
    private static final long MIN_EXPIRE = 7 * 86_400;
    private static final long MAX_EXPIRE = 42 * 86_400;
    private static final long MIN_MINIMUM = 60;
    private static final long MAX_MINIMUM = 86_400;

    private SoaTimers() {}

    /** @param errors receives a sentence for each contradiction */
    static void evaluate(SOARecord soa, Soa.Findings findings, List<String> errors) {
        long refresh = soa.getRefresh();
        long retry = soa.getRetry();
        long expire = soa.getExpire();
        if (refresh < MIN_REFRESH) {
            findings.refreshLow(refresh);
        } else if (refresh > MAX_REFRESH) {
            findings.refreshHigh(refresh);
        }
        if (retry >= refresh) {
            findings.retryNotBelowRefresh(retry, refresh);
            errors.add("RETRY (%d) is not less than REFRESH (%d).".formatted(retry, refresh));
        } else if (retry < MIN_RETRY) {
            findings.retryLow(retry);
        }
        if (expire <= refresh) {
            findings.expireNotAboveRefresh(expire, refresh);
            errors.add("EXPIRE (%d) is not greater than REFRESH (%d).".formatted(expire, refresh));
        } else if (expire < MIN_EXPIRE) {
            findings.expireLow(expire);
        } else if (expire > MAX_EXPIRE) {
            findings.expireHigh(expire);
        }
        if (soa.getMinimum() < MIN_MINIMUM) {
            findings.minimumLow(soa.getMinimum());
        } else if (soa.getMinimum() > MAX_MINIMUM) {
            findings.minimumHigh(soa.getMinimum());
        }
    }
}
