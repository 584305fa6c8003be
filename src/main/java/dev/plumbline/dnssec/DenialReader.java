package dev.plumbline.dnssec;

import dev.plumbline.dnssec.DenialProof.Outcome;
import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.NSECRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Record;

/** The valid NSEC and NSEC3 records in the authority section of a response. */
final class DenialReader {
    /** A proof needs at most three records (RFC 5155 section 7.2). */
    private static final int MAX_RECORDS = 8;

    private final List<DenialProof> proofs = new ArrayList<>();
    private @Nullable DnssecFailure failure;

    private interface Proof {
        Outcome apply(DenialProof proof) throws DnssecException;
    }

    private DenialReader() {}

    /** @throws DnssecException if the NSEC3 records have too many iterations, or a limit is exceeded */
    static DenialReader of(List<SignedSet> authority, ZoneTrust zone, RrsetVerifier verifier) throws DnssecException {
        DenialReader reader = new DenialReader();
        List<NSECRecord> nsec = new ArrayList<>();
        List<NSEC3Record> nsec3 = new ArrayList<>();
        int count = 0;
        for (SignedSet set : authority) {
            Record record = set.records().get(0);
            if ((record instanceof NSECRecord || isUsable(record, zone.zone(), nsec3)) && ++count <= MAX_RECORDS) {
                if (reader.isValid(set, zone, verifier)) {
                    if (record instanceof NSECRecord next) {
                        nsec.add(next);
                    } else {
                        nsec3.add((NSEC3Record) record);
                    }
                }
            }
        }
        if (!nsec.isEmpty()) {
            reader.proofs.add(new NsecProof(nsec));
        }
        if (!nsec3.isEmpty()) {
            reader.proofs.add(new Nsec3Proof(zone.zone(), nsec3, verifier.limits()));
        }
        return reader;
    }

    /** Whether an NSEC3 record has a supported hash and the parameters of the other records (RFC 5155 section 8.2). */
    private static boolean isUsable(Record record, Name zone, List<NSEC3Record> others) {
        if (!(record instanceof NSEC3Record nsec3)
                || nsec3.getHashAlgorithm() != NSEC3Record.SHA1_DIGEST_ID
                || nsec3.getFlags() > 1
                || !new Name(nsec3.getName(), 1).equals(zone)) {
            return false;
        }
        return others.isEmpty()
                || others.get(0).getIterations() == nsec3.getIterations()
                        && Arrays.equals(others.get(0).getSalt(), nsec3.getSalt());
    }

    /** A record of a wildcard does not prove anything about the name to which it was expanded. */
    private boolean isValid(SignedSet set, ZoneTrust zone, RrsetVerifier verifier) throws DnssecException {
        try {
            RRSIGRecord signature = verifier.verify(set, zone.zone(), zone.keys());
            return signature.getLabels() == RrsetSignature.labels(set.name());
        } catch (DnssecException invalid) {
            if (invalid.failure().reason() == Reason.LIMIT_EXCEEDED) {
                throw invalid;
            }
            failure = failure == null ? invalid.failure() : failure.orMoreSpecific(invalid.failure());
            return false;
        }
    }

    /** Null if the response contains no valid record. */
    @Nullable
    DenialParameters parameters() {
        return proofs.isEmpty() ? null : proofs.get(0).parameters();
    }

    Outcome nodata(Name name, int type) throws DnssecException {
        return first(name, type, proof -> proof.nodata(name, type));
    }

    /** The result for a response with the code NXDOMAIN. Some servers return this code for empty non-terminals. */
    Outcome nxdomain(Name name, int type) throws DnssecException {
        return first(name, type, proof -> {
            Outcome outcome = proof.nxdomain(name);
            return outcome == Outcome.NOT_PROVED ? proof.nodata(name, type) : outcome;
        });
    }

    Outcome noCloserMatch(Name name, int type, Name encloser) throws DnssecException {
        return first(name, type, proof -> proof.noCloserMatch(name, encloser));
    }

    boolean isDelegation(Name name) throws DnssecException {
        return best(proof -> proof.isDelegation(name) ? Outcome.PROVED : Outcome.NOT_PROVED) == Outcome.PROVED;
    }

    boolean isNxdomain(Name name) throws DnssecException {
        for (DenialProof proof : proofs) {
            if (proof.nxdomain(name) != Outcome.NOT_PROVED) {
                return true;
            }
        }
        return false;
    }

    private Outcome best(Proof proof) throws DnssecException {
        Outcome outcome = Outcome.NOT_PROVED;
        for (DenialProof each : proofs) {
            if (outcome != Outcome.PROVED) {
                outcome = outcome.or(proof.apply(each));
            }
        }
        return outcome;
    }

    private Outcome first(Name name, int type, Proof proof) throws DnssecException {
        Outcome outcome = best(proof);
        if (outcome == Outcome.NOT_PROVED) {
            throw new DnssecException(failure != null ? failure : new DnssecFailure(Reason.DENIAL_MISSING, name, type));
        }
        return outcome;
    }
}
