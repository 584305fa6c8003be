package dev.plumbline.probe.dns;

import dev.plumbline.dnssec.DnssecResult;
import dev.plumbline.dnssec.DnssecStatus;
import dev.plumbline.result.CheckError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Record;

/**
 * The result of a lookup that this service validated with DNSSEC.
 *
 * @param error why the status is indeterminate; null for other statuses
 */
public record ValidatedLookup(DnssecResult result, @Nullable CheckError error) {

    public DnssecStatus status() {
        return result.status();
    }

    /** Whether the records are authentic. */
    public boolean secure() {
        return status() == DnssecStatus.SECURE;
    }

    /** The records of the queried type at the end of the CNAME chain. Do not use them unless the lookup is secure. */
    public List<Record> records() {
        return result.records();
    }
}
