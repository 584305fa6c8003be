package dev.plumbline.lab;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.ExtendedFlags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Signed zones, and the responses that a resolver which does not validate returns for them. */
public final class SignedZones {
    private static final Set<Integer> SIGNATURES = Set.of(Type.RRSIG, Type.NSEC, Type.NSEC3);

    /** The number of labels of a top-level domain with the root label. */
    private static final int TOP_LEVEL = 2;

    private final List<SignedZone> zones = new ArrayList<>();

    public SignedZones(SignedZone... zones) {
        this.zones.addAll(List.of(zones));
    }

    /**
     * A root and the zone {@code test} with signed zones, of which some have faults. Other names below {@code test} are
     * not signed.
     *
     * @param address of the names of the zones
     */
    public static SignedZones ofLab(String address) {
        Instant now = Instant.now();
        SignedZone test = SignedZone.of("test.").denial(SignedZone.Denial.NSEC3_OPT_OUT, 0, "");
        SignedZone root = SignedZone.of(".")
                .denial(SignedZone.Denial.NSEC3_OPT_OUT, 0, "")
                .delegate(test);
        SignedZones all = new SignedZones(root, test);
        List<SignedZone> signed = List.of(
                SignedZone.of("secure.test."),
                SignedZone.of("nsec3.test.").denial(SignedZone.Denial.NSEC3, 0, ""),
                SignedZone.of("salted.test.").denial(SignedZone.Denial.NSEC3, 10, "salt"),
                SignedZone.of("iterated.test.").denial(SignedZone.Denial.NSEC3, 151, ""),
                SignedZone.of("expired.test.").validity(now.minus(9, ChronoUnit.DAYS), now.minus(1, ChronoUnit.DAYS)),
                SignedZone.of("future.test.").validity(now.plus(1, ChronoUnit.DAYS), now.plus(9, ChronoUnit.DAYS)),
                SignedZone.of("expiring.test.").validity(now.minus(9, ChronoUnit.DAYS), now.plus(6, ChronoUnit.HOURS)),
                SignedZone.of("bogus.test.").corrupt(Type.ANY),
                SignedZone.of("stripped.test.").unsigned(),
                SignedZone.of("undenied.test.").hide(Type.NSEC));
        for (SignedZone zone : signed) {
            test.delegate(zone);
            all.add(zone.record("@ A " + address).record("www A " + address));
        }
        SignedZone island = SignedZone.of("island.test.").record("@ A " + address);
        test.delegateUnsigned("island.test.");
        SignedZone mismatch = SignedZone.of("mismatch.test.").record("@ A " + address);
        test.delegate(SignedZone.of("mismatch.test."));
        return all.add(island).add(mismatch);
    }

    /** Adds a zone below the second zone, with a DS record. */
    SignedZones delegate(SignedZone zone) {
        zones.get(1).delegate(zone);
        return add(zone);
    }

    /** @param apex with the trailing dot */
    SignedZone zone(String apex) {
        return zones.stream()
                .filter(zone -> zone.apex().toString().equals(apex))
                .findFirst()
                .orElseThrow();
    }

    public SignedZones add(SignedZone zone) {
        zones.add(zone);
        return this;
    }

    /** The DS record of the first zone, in the form of a zone file. */
    public String trustAnchor() {
        return zones.get(0).ds(DNSSEC.Digest.SHA256).toString().replaceAll("\\s+", " ");
    }

    /** The response to a query. The zone of the parent contains the DS records of a zone. */
    public Message respond(Message query) {
        Record question = query.getQuestion();
        SignedZone zone = zone(question);
        if (zone == null) {
            throw new IllegalArgumentException("no zone for " + question.getName());
        }
        return zone.respond(query);
    }

    /** The response with signatures only if the query has the flag DO; null for names of other zones. */
    @Nullable
    Message respondIfSigned(Message query) {
        Record question = query.getQuestion();
        SignedZone zone = zone(question);
        boolean parent =
                question.getType() == Type.DS || zone != null && zone.apex().equals(question.getName());
        if (zone == null || zone.apex().labels() <= TOP_LEVEL && !parent) {
            return null;
        }
        Message response = zone.respond(query);
        if (query.getOPT() == null || (query.getOPT().getFlags() & ExtendedFlags.DO) == 0) {
            for (int section : List.of(Section.ANSWER, Section.AUTHORITY)) {
                response.getSection(section).stream()
                        .filter(record -> SIGNATURES.contains(record.getType()))
                        .toList()
                        .forEach(record -> response.removeRecord(record, section));
            }
        }
        return response;
    }

    private @Nullable SignedZone zone(Record question) {
        SignedZone authority = null;
        for (SignedZone zone : zones) {
            boolean parentOnly = question.getType() == Type.DS
                    && zone.apex().equals(question.getName())
                    && !zone.apex().equals(Name.root);
            if (question.getName().subdomain(zone.apex())
                    && !parentOnly
                    && (authority == null
                            || zone.apex().labels() > authority.apex().labels())) {
                authority = zone;
            }
        }
        return authority;
    }

    public Message respond(Name name, int type) {
        return respond(Message.newQuery(Record.newRecord(name, type, DClass.IN)));
    }
}
