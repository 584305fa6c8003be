package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.bus.JobMessage.ResultLine;
import dev.plumbline.bus.JobState;
import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineComparison;
import dev.plumbline.portfolio.TargetIndex;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PrimitiveIterator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ChangeReaderTest {
    private static final LineComparison COMPARISON = new LineComparison(module(), false);

    private static ModuleDescription module() {
        return ModuleDescriptionBuilder.of("sample", "Sample", InputType.DOMAIN)
                .fields(Descriptions.integer("status", "Status", "Status."))
                .build();
    }

    private static JobSnapshot job(int lines, Map<String, Object> options) {
        return new JobSnapshot(
                1,
                "job_0000000000000000000000",
                "a",
                "sample",
                options,
                null,
                JobState.COMPLETED,
                1,
                lines,
                0,
                lines,
                0,
                0,
                0,
                0,
                List.of(),
                List.of(),
                Instant.EPOCH,
                Instant.EPOCH,
                Instant.EPOCH,
                Instant.EPOCH);
    }

    private static List<String> inputs(List<Integer> numbers) {
        return numbers.stream().map(number -> "Host" + number + ".test").toList();
    }

    /** Lines whose results have the status of their index; pages have at most this many lines. */
    private static LineStream.Source source(List<String> inputs, int pageLines) {
        return indexes -> Future.succeededFuture(indexes.stream()
                .limit(pageLines)
                .map(index -> new ResultLine(
                        index,
                        inputs.get(index),
                        ("{\"module\":\"sample\",\"target\":\"%s\",\"verdict\":\"pass\",\"fields\":{\"status\":%d},\"findings\":[],"
                                        + "\"truncated\":[],\"error\":null,\"checked_at\":\"2026-11-20T10:00:00.123Z\","
                                        + "\"duration_ms\":84,\"waited_ms\":null,\"cached\":false}")
                                .formatted(inputs.get(index).toLowerCase(Locale.ROOT), index)
                                .getBytes(StandardCharsets.UTF_8)))
                .toList());
    }

    private static JobComparison compare(List<String> later, List<String> earlier) {
        return JobComparison.of(
                COMPARISON, job(later.size(), Map.of()), later, job(earlier.size(), Map.of()), earlier, null);
    }

    /** Whatever the number of lines in each page and of rows at once, each row is compared once, in order. */
    @Property
    void rowsAreReadInOrder(
            @ForAll @NotEmpty @Size(max = 120) List<@IntRange(max = 30) Integer> later,
            @ForAll @NotEmpty @Size(max = 120) List<@IntRange(max = 30) Integer> earlier,
            @ForAll @IntRange(min = 1, max = 50) int laterPage,
            @ForAll @IntRange(min = 1, max = 50) int earlierPage,
            @ForAll @IntRange(min = 1, max = 50) int atOnce) {
        List<String> laterInputs = inputs(later);
        List<String> earlierInputs = inputs(earlier);
        ChangeReader reader = new ChangeReader(
                compare(laterInputs, earlierInputs),
                source(laterInputs, laterPage),
                source(earlierInputs, earlierPage),
                work -> {
                    work.run();
                    return Future.succeededFuture();
                });

        List<String> rows = new ArrayList<>();
        while (reader.hasNext()) {
            int before = rows.size();
            assertThat(reader.next((change, row) -> {
                                assertThat(row).isEqualTo(rows.size());
                                rows.add(change.target() + " " + change.index() + " " + change.againstIndex());
                                return rows.size() % atOnce != 0;
                            })
                            .succeeded())
                    .isTrue();
            assertThat(rows).hasSizeGreaterThan(before);
        }

        TargetIndex index = new TargetIndex();
        earlier.forEach(number -> index.add("host" + number + ".test"));
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < later.size(); i++) {
            String target = "host" + later.get(i) + ".test";
            int match = index.match(target);
            expected.add(target + " " + i + " " + (match < 0 ? null : match));
        }
        for (PrimitiveIterator.OfInt gone = index.unmatched().iterator(); gone.hasNext(); ) {
            int line = gone.nextInt();
            expected.add("host" + earlier.get(line) + ".test null " + line);
        }
        assertThat(rows).isEqualTo(expected);
    }

    @Test
    void optionsThatDifferAreListedByName() {
        Map<String, Object> earlier = Map.of("c", 2, "b", "text", "same", List.of("x"), "timeout_ms", 10_000);
        JobComparison comparison = JobComparison.of(
                COMPARISON,
                job(1, Map.of("c", 1, "fresh", true, "same", List.of("x"))),
                List.of("a.test"),
                job(1, earlier),
                List.of("a.test"),
                null);

        assertThat(comparison.optionsDiffer())
                .containsExactly(
                        // an option without a default
                        new FieldChange("b", null, "text"),
                        new FieldChange("c", 1L, 2L),
                        new FieldChange("fresh", true, false));
    }
}
