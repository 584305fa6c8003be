package dev.plumbline.dnssec;

import dev.plumbline.dnssec.DenialProof.Outcome;
import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DNAMERecord;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.NameTooLongException;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Validates the responses of one check for {@link DnssecLookup}. Zones and delegations are validated once. The queries
 * must have the flags DO and CD. CPU-bound. Thread-safe.
 */
public final class DnssecValidator {
    private final TrustAnchors anchors;
    private final Instant at;
    private final RrsetVerifier verifier;
    private final Function<Name, @Nullable ZoneTrust> shared;
    private final Map<Name, ZoneTrust> zones = new ConcurrentHashMap<>();
    private final Map<Name, Delegation> delegations = new ConcurrentHashMap<>();

    /**
     * @param at the time for which signatures must be valid
     * @param shared returns the zone with an apex that an earlier check validated; null if there is none. It is not
     *     used if its signatures have expired
     */
    public DnssecValidator(
            TrustAnchors anchors, Instant at, ValidationLimits limits, Function<Name, @Nullable ZoneTrust> shared) {
        this.anchors = anchors;
        this.at = at;
        this.verifier = new RrsetVerifier(at, limits);
        this.shared = shared;
    }

    /** The zone with this apex if it was validated; null otherwise. */
    @Nullable
    ZoneTrust known(Name zone) {
        return zones.computeIfAbsent(zone, this::sharedAndValid);
    }

    private @Nullable ZoneTrust sharedAndValid(Name apex) {
        ZoneTrust zone = shared.apply(apex);
        SignatureValidity validity = zone == null ? null : zone.validity();
        return validity != null && at.isBefore(validity.expiration()) ? zone : null;
    }

    TrustAnchors anchors() {
        return anchors;
    }

    /**
     * Validates the keys of a zone with its trust anchors.
     *
     * @param response to the query for the DNSKEY records of the zone
     * @return null if the zone was not validated yet and the response is null
     */
    @Nullable
    ZoneTrust anchor(Name zone, @Nullable Message response) {
        ZoneTrust known = known(zone);
        return known != null || response == null
                ? known
                : zones.computeIfAbsent(zone, missing -> anchorOf(zone, response));
    }

    private ZoneTrust anchorOf(Name zone, Message response) {
        List<Record> configured = anchors.of(zone);
        SignedSet set = SignedSet.find(answer(response), zone, Type.DNSKEY);
        if (isFailed(response) || set == null || set.signatures().isEmpty()) {
            Reason reason = isFailed(response) ? Reason.LOOKUP_FAILED : Reason.RESOLVER_UNSUITABLE;
            return ZoneTrust.failed(zone, configured, new DnssecFailure(reason, zone, Type.DNSKEY));
        }
        return keys(zone, configured, null, response);
    }

    /**
     * Validates what a secure zone contains about a name below its apex.
     *
     * @param response to the query for the DS records of the name
     * @return null if the name was not validated yet and the response is null
     */
    @Nullable
    Delegation delegation(ZoneTrust parent, Name name, @Nullable Message response) {
        return delegations.computeIfAbsent(
                name, missing -> response == null ? null : delegationOf(parent, name, response));
    }

    private Delegation delegationOf(ZoneTrust parent, Name name, Message response) {
        if (isFailed(response)) {
            return Delegation.failed(name, List.of(), new DnssecFailure(Reason.LOOKUP_FAILED, name, Type.DS));
        }
        try {
            List<SignedSet> answer = answer(response);
            SignedSet ds = SignedSet.find(answer, name, Type.DS);
            if (ds != null) {
                return signedDelegation(parent, ds);
            }
            SignedSet cname = SignedSet.find(answer, name, Type.CNAME);
            if (cname != null) {
                alias(parent, cname, response);
                return Delegation.of(name, Delegation.Kind.SAME_ZONE);
            }
            DenialReader denial = denial(parent, response);
            if (denial.nxdomain(name, Type.DS) == Outcome.OPT_OUT || denial.isDelegation(name)) {
                return Delegation.failed(name, List.of(), new DnssecFailure(Reason.NO_DS, name, Type.DS));
            }
            return Delegation.of(
                    name, denial.isNxdomain(name) ? Delegation.Kind.NONEXISTENT : Delegation.Kind.SAME_ZONE);
        } catch (DnssecException invalid) {
            return Delegation.failed(name, List.of(), invalid.failure());
        }
    }

    private Delegation signedDelegation(ZoneTrust parent, SignedSet ds) {
        try {
            RRSIGRecord signature = verifier.verify(ds, parent.zone(), parent.keys());
            if (signature.getLabels() != RrsetSignature.labels(ds.name())) {
                throw new DnssecException(new DnssecFailure(Reason.SIGNATURE_INVALID, ds.name(), Type.DS));
            }
            if (DelegationSigner.usable(ds.records()).isEmpty()) {
                return Delegation.failed(
                        ds.name(), ds.records(), new DnssecFailure(Reason.UNSUPPORTED_ALGORITHM, ds.name(), Type.DS));
            }
            return new Delegation(
                    ds.name(), Delegation.Kind.SIGNED, ds.records(), null, SignatureValidity.of(signature));
        } catch (DnssecException invalid) {
            return Delegation.failed(ds.name(), ds.records(), invalid.failure());
        }
    }

    /**
     * Validates the keys of a zone with its DS records.
     *
     * @param delegation a signed one
     * @param response to the query for the DNSKEY records of the zone
     * @return null if the zone was not validated yet and the response is null
     */
    @Nullable
    ZoneTrust keys(Delegation delegation, @Nullable Message response) {
        return zones.computeIfAbsent(
                delegation.name(),
                missing -> response == null
                        ? null
                        : keys(delegation.name(), delegation.ds(), delegation.validity(), response));
    }

    private ZoneTrust keys(Name zone, List<Record> ds, @Nullable SignatureValidity dsValidity, Message response) {
        if (isFailed(response)) {
            return ZoneTrust.failed(zone, ds, new DnssecFailure(Reason.LOOKUP_FAILED, zone, Type.DNSKEY));
        }
        SignedSet set = SignedSet.find(answer(response), zone, Type.DNSKEY);
        List<DNSKEYRecord> keys = set == null
                ? List.of()
                : set.records().stream().map(DNSKEYRecord.class::cast).toList();
        try {
            List<Record> usable = DelegationSigner.usable(ds);
            List<DNSKEYRecord> entry = DelegationSigner.matching(usable, keys, verifier.limits());
            if (set == null || entry.isEmpty()) {
                return new ZoneTrust(
                        zone, ds, keys, DelegationSigner.mismatch(zone, usable, keys, verifier.limits()), null);
            }
            SignatureValidity validity = SignatureValidity.of(verifier.verify(set, zone, entry));
            return new ZoneTrust(zone, ds, keys, null, dsValidity == null ? validity : dsValidity.earlier(validity));
        } catch (DnssecException invalid) {
            return new ZoneTrust(zone, ds, keys, invalid.failure(), null);
        }
    }

    /**
     * Validates the response to a query.
     *
     * @param zone the zone of the name; if it is not secure, neither is the response
     */
    ValidatedAnswer answer(ZoneTrust zone, Name name, int type, Message response) {
        if (isFailed(response)) {
            return ValidatedAnswer.failed(name, new DnssecFailure(Reason.LOOKUP_FAILED, name, type));
        }
        List<SignedSet> answer = answer(response);
        SignedSet set = SignedSet.find(answer, name, type);
        SignedSet cname = set == null ? SignedSet.find(answer, name, Type.CNAME) : null;
        List<Record> records = set == null ? List.of() : set.records();
        Name alias = cname == null ? null : ((CNAMERecord) cname.records().get(0)).getTarget();
        boolean nxdomain = response.getRcode() == Rcode.NXDOMAIN && set == null && cname == null;
        DnssecFailure failure = zone.failure();
        DenialParameters parameters = null;
        SignatureValidity validity = null;
        if (failure == null) {
            try {
                if (set != null) {
                    validity = SignatureValidity.of(positive(zone, set, response));
                } else if (cname != null) {
                    validity = SignatureValidity.of(alias(zone, cname, response));
                } else {
                    DenialReader denial = denial(zone, response);
                    Outcome outcome = nxdomain ? denial.nxdomain(name, type) : denial.nodata(name, type);
                    nxdomain |= denial.isNxdomain(name);
                    parameters = denial.parameters();
                    requireNoOptOut(outcome, name, type);
                }
            } catch (DnssecException invalid) {
                failure = invalid.failure();
            }
        }
        return new ValidatedAnswer(name, failure, nxdomain, records, alias, parameters, validity);
    }

    /** The signature of records, which may be synthesized from a wildcard (RFC 4035 section 5.3.4). */
    private RRSIGRecord positive(ZoneTrust zone, SignedSet set, Message response) throws DnssecException {
        RRSIGRecord signature = verifier.verify(set, zone.zone(), zone.keys());
        Name owner = RrsetSignature.signedOwner(set.name(), signature);
        if (!owner.equals(set.name())) {
            Name encloser = new Name(owner, 1);
            requireNoOptOut(
                    denial(zone, response).noCloserMatch(set.name(), set.type(), encloser), set.name(), set.type());
        }
        return signature;
    }

    /**
     * The signature of a CNAME record, or of the DNAME record from which it was synthesized (RFC 6672 section 5.3.1).
     */
    private RRSIGRecord alias(ZoneTrust zone, SignedSet cname, Message response) throws DnssecException {
        if (cname.signatures().isEmpty()) {
            for (SignedSet set : answer(response)) {
                if (set.type() == Type.DNAME
                        && cname.name().subdomain(set.name())
                        && isSynthesized(cname, (DNAMERecord) set.records().get(0))) {
                    return positive(zone, set, response);
                }
            }
        }
        return positive(zone, cname, response);
    }

    private static boolean isSynthesized(SignedSet cname, DNAMERecord dname) {
        try {
            return cname.records().size() == 1
                    && !cname.name().equals(dname.getName())
                    && cname.name()
                            .fromDNAME(dname)
                            .equals(((CNAMERecord) cname.records().get(0)).getTarget());
        } catch (NameTooLongException tooLong) {
            return false;
        }
    }

    private DenialReader denial(ZoneTrust zone, Message response) throws DnssecException {
        return DenialReader.of(SignedSet.of(response.getSection(Section.AUTHORITY)), zone, verifier);
    }

    private static void requireNoOptOut(Outcome outcome, Name name, int type) throws DnssecException {
        if (outcome == Outcome.OPT_OUT) {
            throw new DnssecException(new DnssecFailure(Reason.OPT_OUT, name, type));
        }
    }

    private static List<SignedSet> answer(Message response) {
        return SignedSet.of(response.getSection(Section.ANSWER));
    }

    private static boolean isFailed(Message response) {
        return response.getRcode() != Rcode.NOERROR && response.getRcode() != Rcode.NXDOMAIN;
    }
}
