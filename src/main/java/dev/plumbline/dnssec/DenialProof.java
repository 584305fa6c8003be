package dev.plumbline.dnssec;

import java.util.function.IntPredicate;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/** Validated NSEC or NSEC3 records of a response, which prove that records do not exist. */
interface DenialProof {

    enum Outcome {
        PROVED,
        /** The name is in an opt-out range, so an unsigned delegation can exist (RFC 5155 section 6). */
        OPT_OUT,
        NOT_PROVED;

        Outcome or(Outcome other) {
            return compareTo(other) <= 0 ? this : other;
        }
    }

    DenialParameters parameters();

    /** Whether the name exists, or is an empty non-terminal, without records of the type. */
    Outcome nodata(Name name, int type) throws DnssecException;

    /** Whether the name does not exist and no wildcard matches it. */
    Outcome nxdomain(Name name) throws DnssecException;

    /**
     * Whether the name does not exist, so that a wildcard can match it.
     *
     * @param encloser the parent of the wildcard
     */
    Outcome noCloserMatch(Name name, Name encloser) throws DnssecException;

    /** Whether the name is the apex of a child zone. */
    boolean isDelegation(Name name) throws DnssecException;

    /** Whether a record with these types is from the parent zone of a delegation (RFC 6840 section 4.1). */
    static boolean isOfParent(IntPredicate types) {
        return types.test(Type.NS) && !types.test(Type.SOA);
    }

    /** Whether names below a name with these types are in another zone or are redirected. */
    static boolean hidesDescendants(IntPredicate types) {
        return isOfParent(types) || types.test(Type.DNAME);
    }

    /**
     * Whether a record with these types proves that the name has no records of the type. The parent zone is
     * authoritative for the type DS, the child zone for the other types.
     */
    static boolean lacks(IntPredicate types, Name name, int type) {
        boolean wrongZone = type == Type.DS ? types.test(Type.SOA) && !name.equals(Name.root) : isOfParent(types);
        return !types.test(type) && !types.test(Type.CNAME) && !wrongZone;
    }
}
