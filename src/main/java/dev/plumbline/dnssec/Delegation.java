package dev.plumbline.dnssec;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * What a secure zone contains about a name below its apex.
 *
 * @param kind whether the name is the apex of a child zone
 * @param ds the DS records; empty if there are none
 * @param failure of an unsigned or broken delegation; null for other kinds
 * @param validity of the signature of the DS records; null if there are none
 */
public record Delegation(
        Name name, Kind kind, List<Record> ds, @Nullable DnssecFailure failure, @Nullable SignatureValidity validity) {

    /** The kinds. */
    public enum Kind {
        /** The child zone has DS records with supported algorithms. */
        SIGNED,
        /** The child zone does not have DS records, or validators do not support them. */
        UNSIGNED,
        /** The name belongs to the same zone. */
        SAME_ZONE,
        /** The name and the names below it do not exist in the zone. */
        NONEXISTENT,
        /** The validation failed. */
        BROKEN
    }

    static Delegation of(Name name, Kind kind) {
        return new Delegation(name, kind, List.of(), null, null);
    }

    static Delegation failed(Name name, List<Record> ds, DnssecFailure failure) {
        boolean unsigned = failure.reason().status() == DnssecStatus.INSECURE;
        return new Delegation(name, unsigned ? Kind.UNSIGNED : Kind.BROKEN, ds, failure, null);
    }
}
