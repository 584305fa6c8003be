package dev.plumbline.dnssec;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * A zone of the chain of trust.
 *
 * @param anchors the DS records in the parent zone, or the trust anchors; empty if there are none
 * @param keys the DNSKEY records of the zone, validated if the zone is secure; empty if there are none
 * @param failure why the zone is not secure; null if it is
 * @param validity of the signature of the DS or DNSKEY records that expires first; null if the zone is not secure
 */
public record ZoneTrust(
        Name zone,
        List<Record> anchors,
        List<DNSKEYRecord> keys,
        @Nullable DnssecFailure failure,
        @Nullable SignatureValidity validity) {
    /** A zone whose status is known without its keys. */
    public static ZoneTrust failed(Name zone, List<Record> anchors, DnssecFailure failure) {
        return new ZoneTrust(zone, anchors, List.of(), failure, null);
    }

    public DnssecStatus status() {
        return failure == null ? DnssecStatus.SECURE : failure.reason().status();
    }

    public boolean secure() {
        return failure == null;
    }
}
