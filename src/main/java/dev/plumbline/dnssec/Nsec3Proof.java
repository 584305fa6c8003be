package dev.plumbline.dnssec;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;
import org.xbill.DNS.utils.base32;

/** Proofs with NSEC3 records (RFC 5155 section 8). */
final class Nsec3Proof implements DenialProof {
    /**
     * The maximum number of additional iterations. RFC 9276 section 3.2 permits validators to treat zones with more as
     * insecure. BIND 9.18, Unbound 1.17 and Knot Resolver use this limit.
     */
    static final int MAX_ITERATIONS = 150;

    private static final int OPT_OUT = 1;
    private static final base32 BASE32_HEX = new base32(base32.Alphabet.BASE32HEX, false, false);

    private final Name zone;
    private final List<NSEC3Record> records;
    private final byte[][] owners;
    private final ValidationLimits limits;
    private final Map<Name, byte[]> hashes = new HashMap<>();

    /** @param cover of the next closer name */
    private record ClosestEncloser(Name name, NSEC3Record cover) {}

    /**
     * @param records with the same parameters; not empty
     * @throws DnssecException if they have too many iterations
     */
    Nsec3Proof(Name zone, List<NSEC3Record> records, ValidationLimits limits) throws DnssecException {
        this.zone = zone;
        this.records = records;
        this.limits = limits;
        if (records.get(0).getIterations() > MAX_ITERATIONS) {
            throw new DnssecException(new DnssecFailure(Reason.TOO_MANY_ITERATIONS, zone, Type.NSEC3));
        }
        this.owners = new byte[records.size()][];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = BASE32_HEX.fromString(records.get(i).getName().getLabelString(0));
        }
    }

    @Override
    public DenialParameters parameters() {
        return DenialParameters.nsec3(records.get(0));
    }

    @Override
    public Outcome nodata(Name name, int type) throws DnssecException {
        NSEC3Record match = match(name);
        if (match != null) {
            return DenialProof.lacks(match::hasType, name, type) ? Outcome.PROVED : Outcome.NOT_PROVED;
        }
        ClosestEncloser encloser = closestEncloser(name);
        if (encloser == null) {
            return Outcome.NOT_PROVED;
        }
        NSEC3Record wildcard = match(wildcard(encloser.name(), name));
        if (wildcard != null) {
            return DenialProof.lacks(wildcard::hasType, name, type) ? outcome(encloser.cover()) : Outcome.NOT_PROVED;
        }
        return isOptOut(encloser.cover()) ? Outcome.OPT_OUT : Outcome.NOT_PROVED;
    }

    @Override
    public Outcome nxdomain(Name name) throws DnssecException {
        ClosestEncloser encloser = match(name) == null ? closestEncloser(name) : null;
        return encloser == null || cover(wildcard(encloser.name(), name)) == null
                ? Outcome.NOT_PROVED
                : outcome(encloser.cover());
    }

    @Override
    public Outcome noCloserMatch(Name name, Name encloser) throws DnssecException {
        Name nextCloser = new Name(name, name.labels() - encloser.labels() - 1);
        NSEC3Record cover = cover(nextCloser);
        return cover == null ? Outcome.NOT_PROVED : outcome(cover);
    }

    @Override
    public boolean isDelegation(Name name) throws DnssecException {
        NSEC3Record match = match(name);
        return match != null && DenialProof.isOfParent(match::hasType);
    }

    private static Outcome outcome(NSEC3Record cover) {
        return isOptOut(cover) ? Outcome.OPT_OUT : Outcome.PROVED;
    }

    private static boolean isOptOut(NSEC3Record record) {
        return (record.getFlags() & OPT_OUT) != 0;
    }

    private static Name wildcard(Name encloser, Name name) {
        return name.wild(name.labels() - encloser.labels());
    }

    /** RFC 5155 section 8.3. */
    private @Nullable ClosestEncloser closestEncloser(Name name) throws DnssecException {
        Name nextCloser = name;
        while (nextCloser.labels() > zone.labels()) {
            Name candidate = new Name(nextCloser, 1);
            NSEC3Record match = match(candidate);
            if (match != null) {
                NSEC3Record cover = DenialProof.hidesDescendants(match::hasType) ? null : cover(nextCloser);
                return cover == null ? null : new ClosestEncloser(candidate, cover);
            }
            nextCloser = candidate;
        }
        return null;
    }

    private @Nullable NSEC3Record match(Name name) throws DnssecException {
        byte[] hash = hash(name);
        for (int i = 0; i < owners.length; i++) {
            if (Arrays.equals(owners[i], hash)) {
                return records.get(i);
            }
        }
        return null;
    }

    private @Nullable NSEC3Record cover(Name name) throws DnssecException {
        byte[] hash = hash(name);
        for (int i = 0; i < owners.length; i++) {
            byte[] next = records.get(i).getNext();
            boolean afterOwner = owners[i] != null && Arrays.compareUnsigned(owners[i], hash) < 0;
            boolean beforeNext = Arrays.compareUnsigned(hash, next) < 0;
            boolean last = owners[i] != null && Arrays.compareUnsigned(next, owners[i]) <= 0;
            if (last ? afterOwner || beforeNext : afterOwner && beforeNext) {
                return records.get(i);
            }
        }
        return null;
    }

    private byte[] hash(Name name) throws DnssecException {
        byte[] known = hashes.get(name);
        if (known != null) {
            return known;
        }
        limits.countHash(name, Type.NSEC3);
        try {
            byte[] hash = records.get(0).hashName(name);
            hashes.put(name, hash);
            return hash;
        } catch (NoSuchAlgorithmException unsupported) {
            throw new IllegalStateException(unsupported);
        }
    }
}
