package dev.plumbline.lab.domain;

import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A change of one thing that makes the domain of the lab faulty.
 *
 * @param name in a few words, unique
 * @param code the expected code of the first cause
 * @param modules the modules of which one has the first cause
 * @param area the area of the overview to which it belongs
 * @param subject what is changed
 */
public record Fault(
        String name, Consumer<DomainSpec> change, String code, Set<String> modules, String area, Subject subject)
        implements Consumer<DomainSpec> {

    @Override
    public void accept(DomainSpec spec) {
        change.accept(spec);
    }

    /** Whether a cause of a result is this fault. */
    public boolean causes(Map<String, Object> cause) {
        return code.equals(cause.get("code")) && modules.contains(String.valueOf(cause.get("module")));
    }

    /** Whether both faults can be observed at the same time, and each is a cause of its own. */
    public boolean isCompatible(Fault other) {
        return subject.isCompatible(other.subject) && !code.equals(other.code);
    }

    @Override
    public String toString() {
        return name;
    }
}
