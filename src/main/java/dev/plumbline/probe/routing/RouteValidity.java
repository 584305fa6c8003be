package dev.plumbline.probe.routing;

import java.util.List;

/**
 * The validity of a route (RFC 6811 section 2).
 *
 * @param covering payloads whose prefix contains that of the route, the shortest first; at most {@value #MAX_COVERING}
 */
public record RouteValidity(Route route, State state, List<Vrp> covering) {
    static final int MAX_COVERING = 10;

    public enum State {
        VALID,
        INVALID,
        NOT_FOUND
    }
}
