package dev.plumbline.dnssec;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.NSECRecord;
import org.xbill.DNS.Name;

/** Proofs with NSEC records (RFC 4035 section 5.4). */
record NsecProof(List<NSECRecord> records) implements DenialProof {
    /** The type NXNAME: the name does not exist (RFC 9824 section 2). */
    private static final int NXNAME = 128;

    @Override
    public DenialParameters parameters() {
        return DenialParameters.NSEC;
    }

    @Override
    public Outcome nodata(Name name, int type) {
        NSECRecord match = match(name);
        if (match != null) {
            return outcome(DenialProof.lacks(match::hasType, name, type));
        }
        NSECRecord cover = cover(name);
        if (cover == null) {
            return Outcome.NOT_PROVED;
        }
        if (isEmptyNonTerminal(name, cover)) {
            return Outcome.PROVED;
        }
        NSECRecord wildcard = match(wildcard(name, cover));
        return outcome(wildcard != null && DenialProof.lacks(wildcard::hasType, wildcard.getName(), type));
    }

    @Override
    public Outcome nxdomain(Name name) {
        NSECRecord match = match(name);
        if (match != null) {
            return outcome(match.hasType(NXNAME));
        }
        NSECRecord cover = cover(name);
        return outcome(cover != null && !isEmptyNonTerminal(name, cover) && cover(wildcard(name, cover)) != null);
    }

    @Override
    public Outcome noCloserMatch(Name name, Name encloser) {
        NSECRecord cover = cover(name);
        return outcome(cover != null
                && !isEmptyNonTerminal(name, cover)
                && closestEncloser(name, cover).equals(encloser));
    }

    @Override
    public boolean isDelegation(Name name) {
        NSECRecord match = match(name);
        return match != null && DenialProof.isOfParent(match::hasType);
    }

    private static Outcome outcome(boolean proved) {
        return proved ? Outcome.PROVED : Outcome.NOT_PROVED;
    }

    private @Nullable NSECRecord match(Name name) {
        return records.stream()
                .filter(record -> record.getName().equals(name))
                .findFirst()
                .orElse(null);
    }

    private @Nullable NSECRecord cover(Name name) {
        for (NSECRecord record : records) {
            Name owner = record.getName();
            boolean last = record.getNext().compareTo(owner) <= 0;
            if (owner.compareTo(name) < 0
                    && (last || name.compareTo(record.getNext()) < 0)
                    && !(name.subdomain(owner) && DenialProof.hidesDescendants(record::hasType))) {
                return record;
            }
        }
        return null;
    }

    private static boolean isEmptyNonTerminal(Name name, NSECRecord cover) {
        return cover.getNext().subdomain(name) && !cover.getNext().equals(name);
    }

    private static Name wildcard(Name name, NSECRecord cover) {
        Name encloser = closestEncloser(name, cover);
        return name.wild(name.labels() - encloser.labels());
    }

    /** The longest existing ancestor of a name that does not exist. */
    private static Name closestEncloser(Name name, NSECRecord cover) {
        Name byOwner = commonAncestor(name, cover.getName());
        Name byNext = commonAncestor(name, cover.getNext());
        return byOwner.labels() >= byNext.labels() ? byOwner : byNext;
    }

    private static Name commonAncestor(Name name, Name other) {
        Name ancestor = new Name(name, 1);
        while (!other.subdomain(ancestor)) {
            ancestor = new Name(ancestor, 1);
        }
        return ancestor;
    }
}
