package dev.plumbline.dnssec;

import dev.plumbline.dnssec.Delegation.Kind;
import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * The zones from the trust anchor to a name. They end with the zone of the name or the first zone that is not secure.
 */
final class ChainOfTrust {
    private final DnssecValidator validator;
    private final Name name;
    private final List<ZoneTrust> zones = new ArrayList<>();
    private @Nullable Delegation signed;

    /** The number of labels of the next name to examine. */
    private int labels;

    private boolean complete;

    ChainOfTrust(DnssecValidator validator, Name name) {
        this.validator = validator;
        this.name = name;
    }

    List<ZoneTrust> zones() {
        return List.copyOf(zones);
    }

    /** The zone of the name; not secure if one of its parents is not. */
    ZoneTrust last() {
        return zones.get(zones.size() - 1);
    }

    /** The next query; null if the chain is complete. */
    @Nullable
    DnssecQuery next() {
        while (!complete) {
            DnssecQuery query = step(null);
            if (query != null) {
                return query;
            }
        }
        return null;
    }

    /** Continues with the response to the query that {@link #next} returned. */
    void accept(Message response) {
        step(response);
    }

    /** Uses the response, or what earlier chains have in common with this one. Returns the query that is missing. */
    private @Nullable DnssecQuery step(@Nullable Message response) {
        if (zones.isEmpty()) {
            Name anchor = validator.anchors().closest(name);
            if (anchor == null) {
                add(ZoneTrust.failed(
                        Name.root, List.of(), new DnssecFailure(Reason.NO_TRUST_ANCHOR, name, Type.DNSKEY)));
                return null;
            }
            ZoneTrust zone = validator.anchor(anchor, response);
            return zone == null ? new DnssecQuery(anchor, Type.DNSKEY) : add(zone);
        }
        if (signed != null) {
            ZoneTrust zone = validator.keys(signed, response);
            if (zone == null) {
                return new DnssecQuery(signed.name(), Type.DNSKEY);
            }
            signed = null;
            return add(zone);
        }
        if (labels > name.labels()) {
            complete = true;
            return null;
        }
        Name child = new Name(name, name.labels() - labels);
        ZoneTrust known = validator.known(child);
        if (known != null) {
            return add(known);
        }
        Delegation delegation = validator.delegation(last(), child, response);
        if (delegation == null) {
            return new DnssecQuery(child, Type.DS);
        }
        labels++;
        if (delegation.failure() != null) {
            return add(ZoneTrust.failed(child, delegation.ds(), delegation.failure()));
        }
        signed = delegation.kind() == Kind.SIGNED ? delegation : null;
        complete = delegation.kind() == Kind.NONEXISTENT;
        return null;
    }

    private @Nullable DnssecQuery add(ZoneTrust zone) {
        zones.add(zone);
        labels = zone.zone().labels() + 1;
        complete = !zone.secure();
        return null;
    }
}
