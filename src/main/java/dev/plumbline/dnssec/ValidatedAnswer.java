package dev.plumbline.dnssec;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * The validated response to the query for one name, without the targets of aliases.
 *
 * @param failure why the response is not secure; null if it is
 * @param nxdomain whether the name does not exist
 * @param records of the queried type; empty if there are none. Not authentic unless the response is secure.
 * @param alias the target of the CNAME record of the name; null if there is none
 * @param denial how the response proves the absence of records; null if it contains no valid proof
 * @param validity of the signature of the records; null if there is none
 */
public record ValidatedAnswer(
        Name name,
        @Nullable DnssecFailure failure,
        boolean nxdomain,
        List<Record> records,
        @Nullable Name alias,
        @Nullable DenialParameters denial,
        @Nullable SignatureValidity validity) {
    /** An answer without records. */
    static ValidatedAnswer failed(Name name, DnssecFailure failure) {
        return new ValidatedAnswer(name, failure, false, List.of(), null, null, null);
    }

    public DnssecStatus status() {
        return failure == null ? DnssecStatus.SECURE : failure.reason().status();
    }
}
