package dev.plumbline.dnssec;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Record;

/**
 * The result of a validated lookup.
 *
 * @param zones from the trust anchor to the zone of the name
 * @param answers of the name and, in order, of the targets of its CNAME records; not empty
 */
public record DnssecResult(List<ZoneTrust> zones, List<ValidatedAnswer> answers) {
    /** A later status determines the status of a lookup with several answers. */
    private static final List<DnssecStatus> SEVERITY =
            List.of(DnssecStatus.SECURE, DnssecStatus.INSECURE, DnssecStatus.INDETERMINATE, DnssecStatus.BOGUS);

    public DnssecStatus status() {
        DnssecFailure failure = failure();
        return failure == null ? DnssecStatus.SECURE : failure.reason().status();
    }

    /** Why the lookup is not secure; null if it is. */
    public @Nullable DnssecFailure failure() {
        return answers.stream()
                .map(ValidatedAnswer::failure)
                .filter(Objects::nonNull)
                .max(Comparator.comparing(
                        failure -> SEVERITY.indexOf(failure.reason().status())))
                .orElse(null);
    }

    /** The answer at the end of the CNAME chain. */
    public ValidatedAnswer last() {
        return answers.get(answers.size() - 1);
    }

    /** The records of the queried type; empty if there are none. Not authentic unless the lookup is secure. */
    public List<Record> records() {
        return last().records();
    }
}
