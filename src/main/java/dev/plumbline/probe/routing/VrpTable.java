package dev.plumbline.probe.routing;

import dev.plumbline.probe.routing.RouteValidity.State;
import dev.plumbline.target.IpPrefix;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Validated ROA payloads (VRP). Immutable after the last {@link Builder#add}. */
public final class VrpTable {
    private final VrpArray v4;
    private final VrpArray v6;

    private VrpTable(VrpArray v4, VrpArray v6) {
        this.v4 = v4;
        this.v6 = v6;
    }

    /** Collects payloads in any order. */
    static final class Builder {
        private final VrpArray v4 = new VrpArray(true);
        private final VrpArray v6 = new VrpArray(false);

        /** @param asn an unsigned number of 32 bits */
        Builder add(IpPrefix prefix, int maxLength, long asn) {
            (prefix.v4() ? v4 : v6).add(prefix, maxLength, asn);
            return this;
        }

        int size() {
            return v4.size() + v6.size();
        }

        VrpTable build() {
            v4.sort();
            v6.sort();
            return new VrpTable(v4, v6);
        }
    }

    public int size() {
        return v4.size() + v6.size();
    }

    /**
     * Whether a payload covers an address. If none does, none covers a route of the address either, so that each of
     * them is {@link State#NOT_FOUND}.
     */
    public boolean covers(InetAddress address) {
        return !validate(IpPrefix.of(address), 0).covering().isEmpty();
    }

    /**
     * Validates a route (RFC 6811 section 2.1). A payload of AS 0 does not match any route (RFC 6483 section 4).
     *
     * @param asn the origin AS
     */
    public RouteValidity validate(IpPrefix prefix, long asn) {
        VrpArray array = prefix.v4() ? v4 : v6;
        Map<Long, Vrp> covering = new LinkedHashMap<>();
        boolean[] valid = new boolean[1];
        boolean[] omitted = new boolean[1];
        array.forEachCovering(prefix, i -> {
            long authorized = array.asn(i);
            boolean ofOrigin = authorized == asn;
            valid[0] |= ofOrigin && asn != 0 && prefix.length() <= array.maxLength(i);
            if (ofOrigin || covering.size() < RouteValidity.MAX_COVERING || covering.containsKey(authorized)) {
                covering.merge(
                        authorized, array.get(i), (one, other) -> other.maxLength() > one.maxLength() ? other : one);
            } else {
                omitted[0] |= authorized != 0;
            }
        });
        State state = valid[0] ? State.VALID : covering.isEmpty() ? State.NOT_FOUND : State.INVALID;
        return new RouteValidity(new Route(prefix, asn), state, List.copyOf(covering.values()), !omitted[0]);
    }
}
