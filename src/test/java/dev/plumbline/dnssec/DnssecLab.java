package dev.plumbline.dnssec;

import dev.plumbline.lab.SignedZone;
import dev.plumbline.lab.SignedZones;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/** Lookups in signed zones without network I/O. */
final class DnssecLab {
    private final SignedZones zones;
    private final TrustAnchors anchors;
    private Instant at = Instant.now();
    private ValidationLimits limits = new ValidationLimits();
    private int queries;
    private Duration cpuTime = Duration.ZERO;

    /** @param root the zone of the trust anchor */
    DnssecLab(SignedZone root, SignedZone... others) {
        this.zones = new SignedZones(root);
        List.of(others).forEach(zones::add);
        this.anchors = TrustAnchors.parse(List.of(root.ds(DNSSEC.Digest.SHA256).toString()));
    }

    DnssecLab at(Instant time) {
        this.at = time;
        return this;
    }

    ValidationLimits limits() {
        return limits;
    }

    int queries() {
        return queries;
    }

    /** The CPU time of the validation in the last lookup, without the responses of the lab. */
    Duration cpuTime() {
        return cpuTime;
    }

    /** @param type for example {@code MX} */
    DnssecResult lookup(String name, String type) {
        limits = new ValidationLimits();
        queries = 0;
        cpuTime = Duration.ZERO;
        return lookup(new DnssecValidator(anchors, at, limits, zone -> null), name(name), Type.value(type));
    }

    private DnssecResult lookup(DnssecValidator validator, Name name, int type) {
        DnssecLookup lookup = new DnssecLookup(validator, name, type, true);
        for (DnssecQuery query = lookup.next(); query != null; query = lookup.next()) {
            queries++;
            Message response = zones.respond(query.name(), query.type());
            long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            lookup.accept(response);
            cpuTime = cpuTime.plusNanos(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before);
        }
        return lookup.result();
    }

    static Name name(String text) {
        try {
            return Name.fromString(text, Name.root);
        } catch (TextParseException malformed) {
            throw new IllegalArgumentException(text, malformed);
        }
    }
}
