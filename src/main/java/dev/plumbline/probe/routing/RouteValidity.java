package dev.plumbline.probe.routing;

import java.util.List;

/**
 * The validity of a route (RFC 6811 section 2).
 *
 * @param covering payloads whose prefix contains that of the route, the shortest first: one of each AS, which has the
 *     longest maximum length. Those of the origin AS and of {@value #MAX_COVERING} others at most
 * @param complete whether each AS that payloads authorize has one in {@code covering}
 */
public record RouteValidity(Route route, State state, List<Vrp> covering, boolean complete) {
    static final int MAX_COVERING = 10;

    public enum State {
        VALID,
        INVALID,
        NOT_FOUND
    }
}
