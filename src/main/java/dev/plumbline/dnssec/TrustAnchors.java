package dev.plumbline.dnssec;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.DSRecord;
import org.xbill.DNS.Master;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/** The keys from which validation starts, as DS or DNSKEY records. */
public record TrustAnchors(List<Record> records) {
    private static final int TTL = 3_600;

    /**
     * Reads trust anchors.
     *
     * @param lines DS or DNSKEY records in the form of a zone file, with absolute owner names
     * @throws IllegalArgumentException if one is malformed; the message contains it
     */
    public static TrustAnchors parse(List<String> lines) {
        List<Record> records = new ArrayList<>();
        for (String line : lines) {
            Record record = record(line);
            if (record == null) {
                throw new IllegalArgumentException("not a DS or DNSKEY record: " + line);
            }
            records.add(record);
        }
        return new TrustAnchors(List.copyOf(records));
    }

    public static boolean isValid(String line) {
        return record(line) != null;
    }

    private static @Nullable Record record(String line) {
        try (Master zone =
                new Master(new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)), Name.root, TTL)) {
            zone.disableIncludes(true);
            Record record = zone.nextRecord();
            boolean suitable =
                    record instanceof DSRecord || record instanceof DNSKEYRecord key && RrsetVerifier.isZoneKey(key);
            return suitable && zone.nextRecord() == null ? record : null;
        } catch (IOException | RuntimeException malformed) {
            return null;
        }
    }

    /** The longest name at or above a name that has a trust anchor; null if there is none. */
    public @Nullable Name closest(Name name) {
        Name closest = null;
        for (Record record : records) {
            Name zone = record.getName();
            if (name.subdomain(zone) && (closest == null || zone.labels() > closest.labels())) {
                closest = zone;
            }
        }
        return closest;
    }

    List<Record> of(Name zone) {
        return records.stream().filter(record -> record.getName().equals(zone)).toList();
    }
}
