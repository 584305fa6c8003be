package dev.plumbline.run;

import java.util.Map;

/** The probes that checks may use, by class. */
public final class ProbeRegistry {
    private final Map<Class<?>, Object> byType;

    public ProbeRegistry(Map<Class<?>, Object> byType) {
        this.byType = Map.copyOf(byType);
    }

    /**
     * @throws IllegalArgumentException when there is no such probe
     */
    public <P> P get(Class<P> type) {
        Object probe = byType.get(type);
        if (probe == null) {
            throw new IllegalArgumentException("there is no probe " + type.getSimpleName());
        }
        return type.cast(probe);
    }
}
