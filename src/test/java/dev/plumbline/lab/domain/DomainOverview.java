package dev.plumbline.lab.domain;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.LabRunner;
import dev.plumbline.result.CheckResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs {@code overview} for domains of the lab with faults, without a cache. */
public final class DomainOverview implements AutoCloseable {
    private final DomainLab lab;
    private final LabRunner runner;
    private int runs;

    /** @param folder for the files to which settings refer */
    public DomainOverview(Path folder) throws IOException {
        this(folder, Map.of());
    }

    /**
     * @param folder for the files to which settings refer
     * @param additional environment variables in addition to the settings of the lab
     */
    public DomainOverview(Path folder, Map<String, String> additional) throws IOException {
        lab = new DomainLab(folder);
        Map<String, String> settings = new HashMap<>(additional);
        lab.settings().forEach((name, value) -> settings.put("PLUMBLINE_" + name, value));
        try {
            runner = LabRunner.start(lab.resolver(), settings);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Runs other checks of the domain. */
    public LabRunner runner() {
        return runner;
    }

    /** The resolver of the checks. */
    public DnsLab resolver() {
        return lab.resolver();
    }

    /** Checks a domain with these faults. */
    public Result check(List<? extends Consumer<DomainSpec>> faults) {
        DomainSpec spec = new DomainSpec("d" + runs + ".test", 1 + runs % DomainAddresses.MAX_NUMBER);
        runs++;
        faults.forEach(fault -> fault.accept(spec));
        lab.serve(spec);
        return new Result(runner.check("overview", spec.domain()));
    }

    /** The result of {@code overview}. */
    public record Result(CheckResult result) {
        /** Null if it was not determined. */
        public @Nullable Integer score() {
            return (Integer) result.fields().get("score");
        }

        public @Nullable String grade() {
            return (String) result.fields().get("grade");
        }

        public List<Map<String, Object>> parts() {
            return list("parts");
        }

        /** A field that is a list of objects; empty if the result does not have the field. */
        @SuppressWarnings("unchecked")
        public List<Map<String, Object>> list(String field) {
            Object value = result.fields().get(field);
            return value == null ? List.of() : (List<Map<String, Object>>) value;
        }
    }

    @Override
    public void close() {
        runner.close();
        lab.close();
    }
}
