package dev.plumbline.support;

import dev.plumbline.target.TargetPolicy;
import java.util.List;

/** Target policies for tests. */
public final class TestPolicies {
    private TestPolicies() {}

    /** Allows all public targets, all ports and loopback addresses. */
    public static TargetPolicy open() {
        return new TargetPolicy(
                new TargetPolicy.Rules(List.of("127.0.0.0/8"), List.of(), List.of(), List.of("*")),
                (address, port) -> false);
    }
}
