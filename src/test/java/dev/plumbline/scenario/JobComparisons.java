package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Jobs that are repeated and compared with their first run. */
final class JobComparisons {
    /** The number of runs of each job after the first one. */
    static final int RUNS = Integer.getInteger("scenario.runs", 10);

    private static final Set<String> UNCHANGED = Set.of("unchanged");
    private static final long TIMEOUT_SECONDS = 1_200;
    private static final int MAX_TEXT = 700;

    private final BulkJobClient client;
    private final Map<Job, String> first = new LinkedHashMap<>();

    /**
     * A job without cached results.
     *
     * @param options without {@code fresh}
     */
    record Job(String module, List<String> items, Map<String, Object> options) {
        Job(String module, List<String> items) {
            this(module, items, Map.of());
        }
    }

    JobComparisons(BulkJobClient client) {
        this.client = client;
    }

    /**
     * Runs jobs at the same time, for the first time.
     *
     * @return the number of lines by error code; {@code none}: a verdict
     */
    Map<String, Integer> runFirst(List<Job> jobs) {
        Map<String, Integer> outcomes = new HashMap<>();
        create(jobs).forEach((job, token) -> {
            client.awaitOutcomes(token, TIMEOUT_SECONDS)
                    .forEach((code, lines) -> outcomes.merge(code, lines, Integer::sum));
            first.put(job, token);
        });
        return outcomes;
    }

    private Map<Job, String> create(List<Job> jobs) {
        Map<Job, String> tokens = new LinkedHashMap<>();
        for (Job job : jobs) {
            JsonObject options = new JsonObject(new HashMap<>(job.options())).put("fresh", true);
            tokens.put(job, client.create(job.module(), job.items(), options));
        }
        return tokens;
    }

    /**
     * Runs jobs again several times, and returns all changes since the first run.
     *
     * @param name of the jobs in the output
     */
    List<Change> repeat(String name, List<Job> jobs) {
        List<Change> changes = new ArrayList<>();
        for (int run = 1; run <= RUNS; run++) {
            long start = System.nanoTime();
            List<Change> latest = runAgain(jobs);
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            System.out.println(name + " run " + run + ": " + seconds + " s, changed lines: " + latest.size());
            changes.addAll(latest);
        }
        return changes;
    }

    /** Runs jobs again at the same time, and returns their changes since the first run. */
    List<Change> runAgain(List<Job> jobs) {
        List<Change> changes = new ArrayList<>();
        create(jobs).forEach((job, token) -> {
            client.awaitOutcomes(token, TIMEOUT_SECONDS);
            JsonObject comparison = client.compare(token, first.get(job));
            JsonArray lines = comparison.getJsonArray("lines");
            lines.forEach(line -> changes.add(new Change(job.module(), (JsonObject) line)));
            JsonObject counts = comparison.getJsonObject("counts");
            int changed = counts.stream()
                    .filter(count -> !UNCHANGED.contains(count.getKey()))
                    .mapToInt(count -> (Integer) count.getValue())
                    .sum();
            assertThat(lines).as("lines of %s", counts).hasSize(changed);
            assertThat(changed + counts.getInteger("unchanged"))
                    .isEqualTo(job.items().size());
        });
        return changes;
    }

    /** A line of a comparison that is not unchanged. */
    record Change(String module, JsonObject line) {
        String target() {
            return line.getString("target");
        }

        /** For example {@code worse}. */
        String kind() {
            return line.getString("change");
        }

        List<JsonObject> findingsAdded() {
            return line.getJsonArray("findings_added").stream()
                    .map(JsonObject.class::cast)
                    .toList();
        }

        List<String> fieldsChanged() {
            return line.getJsonArray("fields").stream()
                    .map(field -> ((JsonObject) field).getString("name"))
                    .toList();
        }

        @Override
        public String toString() {
            String text = module + " " + line.encode();
            return text.substring(0, Math.min(text.length(), MAX_TEXT));
        }
    }
}
