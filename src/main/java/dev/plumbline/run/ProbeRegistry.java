package dev.plumbline.run;

import java.util.Map;

/** The probes by class. */
public final class ProbeRegistry {
    private final Map<Class<?>, Object> byType;

    public ProbeRegistry(Map<Class<?>, Object> byType) {
        this.byType = Map.copyOf(byType);
    }

    /** @throws IllegalArgumentException if there is no such probe */
    public <P> P get(Class<P> type) {
        Object probe = byType.get(type);
        if (probe == null) {
            throw new IllegalArgumentException("unknown probe: " + type.getSimpleName());
        }
        return type.cast(probe);
    }
}
