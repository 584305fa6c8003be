package dev.plumbline.module.dns;

import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dnssec.DnssecStatus;
import dev.plumbline.dnssec.ZoneTrust;
import dev.plumbline.probe.dns.ValidatedLookup;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CDNSKEYRecord;
import org.xbill.DNS.CDSRecord;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.DSRecord;
import org.xbill.DNS.Record;

/**
 * The CDS and CDNSKEY records by which a zone requests DS records from its parent zone (RFC 7344, RFC 8078).
 *
 * @param cds the lookup of the CDS records
 * @param cdnskey the lookup of the CDNSKEY records
 */
record ChildRecords(ValidatedLookup cds, ValidatedLookup cdnskey) {
    /** The algorithm of a record that requests the deletion of the DS records (RFC 8078 section 4). */
    private static final int DELETE_ALGORITHM = 0;

    /** The number of records that are compared with keys, which requires a hash for each. */
    private static final int MAX_COMPARED = 20;

    /** The records as in a zone file; null if they are unknown. */
    static @Nullable List<String> texts(ValidatedLookup lookup) {
        return isKnown(lookup)
                ? lookup.records().stream().map(Record::rdataToString).toList()
                : null;
    }

    private static boolean isKnown(ValidatedLookup lookup) {
        return lookup.status() == DnssecStatus.SECURE || lookup.status() == DnssecStatus.INSECURE;
    }

    /**
     * Reports the requests of a zone. Parent zones ignore records that are not secure (RFC 7344 section 4.1).
     *
     * @param zone the secure zone of the domain
     * @param parent whether the anchors of the zone are the DS records in its parent zone
     */
    void report(ZoneTrust zone, boolean parent, Dnssec.Findings findings) {
        if (!cds.secure() || !cdnskey.secure() || !zone.secure()) {
            return;
        }
        String name = DnsResolver.text(zone.zone());
        List<DSRecord> requested = records(cds, CDSRecord.class).stream()
                .map(DSRecord.class::cast)
                .limit(MAX_COMPARED)
                .toList();
        List<DNSKEYRecord> keys = records(cdnskey, CDNSKEYRecord.class).stream()
                .map(DNSKEYRecord.class::cast)
                .limit(MAX_COMPARED)
                .toList();
        if (requested.stream().anyMatch(ds -> ds.getAlgorithm() == DELETE_ALGORITHM)
                || keys.stream().anyMatch(key -> key.getAlgorithm() == DELETE_ALGORITHM)) {
            findings.dsDeletionRequested(name);
            return;
        }
        List<String> unmatched = requested.stream()
                .filter(ds -> zone.keys().stream().noneMatch(key -> matches(ds, key)))
                .map(Record::rdataToString)
                .toList();
        boolean different = !requested.isEmpty()
                && !keys.isEmpty()
                && (requested.stream().anyMatch(ds -> keys.stream().noneMatch(key -> matches(ds, key)))
                        || keys.stream().anyMatch(key -> requested.stream().noneMatch(ds -> matches(ds, key))));
        if (!unmatched.isEmpty()) {
            findings.cdsUnmatched(name, unmatched);
        }
        if (different) {
            findings.cdsDiffersFromCdnskey(name);
        }
        Set<String> wanted = texts(requested);
        if (parent && unmatched.isEmpty() && !wanted.isEmpty() && !wanted.equals(texts(zone.anchors()))) {
            findings.dsChangeRequested(name, wanted);
        }
    }

    private static <T extends Record> List<T> records(ValidatedLookup lookup, Class<T> type) {
        return lookup.records().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    private static Set<String> texts(List<? extends Record> records) {
        return records.stream().map(Record::rdataToString).collect(Collectors.toSet());
    }

    /** Whether a DS record is that of a key. A digest type that is not supported matches by key tag. */
    private static boolean matches(DSRecord ds, DNSKEYRecord key) {
        if (ds.getAlgorithm() != key.getAlgorithm() || ds.getFootprint() != key.getFootprint()) {
            return false;
        }
        try {
            DSRecord own = new DSRecord(ds.getName(), ds.getDClass(), ds.getTTL(), ds.getDigestID(), key);
            return Arrays.equals(own.getDigest(), ds.getDigest());
        } catch (IllegalArgumentException unsupported) {
            return true;
        }
    }
}
