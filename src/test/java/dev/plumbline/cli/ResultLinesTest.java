package dev.plumbline.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.plumbline.portfolio.PortfolioLine;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultLinesTest {
    private static final String FIRST = "job_0000000000000000000001";
    private static final String SECOND = "job_0000000000000000000002";

    @TempDir
    Path folder;

    private static String line(String members) {
        return ("{'verdict':'pass'," + members + "}\n").replace('\'', '"');
    }

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("", lines)).toString();
    }

    /** Jobs of three lines, of which the results contain the second one. */
    private static final class Jobs implements ResultLines.JobReader {
        private final List<String> requests = new ArrayList<>();

        @Override
        public JsonObject job(String token) {
            requests.add("job " + token);
            return new JsonObject()
                    .put("token", token)
                    .put("module", "hsts")
                    .put("counts", new JsonObject().put("total", 3));
        }

        @Override
        public byte[] ndjson(String token, boolean stored) {
            requests.add("lines " + token);
            return line("'index':1,'input':'" + token + "'").stripTrailing().getBytes(UTF_8);
        }
    }

    private static ResultLines open(List<String> names, ResultLines.JobReader jobs, boolean again) throws Exception {
        return ResultLines.open(names, jobs, new ResultLines.CommonModule(null, new PolicyOptions(), false), again);
    }

    private static List<PortfolioLine> all(ResultLines lines) throws Exception {
        List<PortfolioLine> all = new ArrayList<>();
        for (PortfolioLine line = lines.next(); line != null; line = lines.next()) {
            all.add(line);
        }
        return all;
    }

    @Test
    void theLinesOfAJobAreRequestedWhenThoseOfTheEarlierSourcesHaveBeenRead() throws Exception {
        Jobs jobs = new Jobs();
        try (ResultLines lines = open(List.of(FIRST, SECOND), jobs, false)) {
            assertThat(jobs.requests).containsExactly("job " + FIRST, "job " + SECOND, "lines " + FIRST);
            assertThat(lines.next().input()).isEqualTo(FIRST);
            assertThat(jobs.requests).hasSize(3);
            assertThat(lines.next().input()).isEqualTo(SECOND);
            assertThat(jobs.requests).hasSize(4).endsWith("lines " + SECOND);
            assertThat(lines.next()).isNull();
        }
    }

    @Test
    void fewFilesAreOpenAtOnce() throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            names.add(file(i + ".ndjson", line("'input':'" + i + "'")));
        }
        for (boolean again : new boolean[] {false, true}) {
            long before = openFiles();
            try (ResultLines lines = open(names, new Jobs(), again)) {
                assertThat(all(lines)).hasSize(200);
                for (int i = 0; again && i < 200; i += 7) {
                    assertThat(lines.line(i).input()).isEqualTo(Integer.toString(i));
                }
                assertThat(openFiles()).isLessThan(before + 100);
            }
        }
    }

    private static long openFiles() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    @Test
    void theIndexIsThatOfTheLineAndContinuesFromSourceToSource() throws Exception {
        List<String> names = List.of(
                file("filtered", line("'index':7,'input':'a'"), "\n", line("'index':3,'input':'b'")),
                FIRST,
                file("positions", line("'input':'c'"), line("'input':'d'")),
                SECOND,
                file("end", line("'index':0,'input':'e'")));
        for (boolean again : new boolean[] {false, true}) {
            try (ResultLines lines = open(names, new Jobs(), again)) {
                List<PortfolioLine> all = all(lines);

                assertThat(all).extracting(PortfolioLine::index).containsExactly(7L, 3L, 9L, 11L, 12L, 14L, 16L);
                assertThat(lines.sources())
                        .extracting(ResultLines.Source::firstIndex)
                        .containsExactly(0L, 8L, 11L, 13L, 16L);
                assertThat(lines.sources()).extracting(ResultLines.Source::name).isEqualTo(names);
                for (int i : again ? new int[] {6, 0, 2, 5, 1, 3, 4, 0} : new int[0]) {
                    assertThat(lines.line(i)).isEqualTo(all.get(i));
                }
            }
        }
    }

    @Test
    void aHugeIndexDoesNotOverflow() throws Exception {
        String huge = file("huge", line("'index':" + Long.MAX_VALUE + ",'input':'a'"));

        try (ResultLines lines = open(List.of(huge, huge), new Jobs(), false)) {
            assertThat(all(lines)).extracting(PortfolioLine::index).containsExactly(Long.MAX_VALUE, Long.MAX_VALUE);
        }
    }

    @Test
    void sourcesAreCheckedBeforeTheFirstLineIsRead() throws IOException {
        String file = file("1", line("'input':'a','module':'caa'"));
        Jobs jobs = new Jobs();

        assertThatThrownBy(() -> open(List.of(FIRST, folder + "/missing"), jobs, false))
                .isInstanceOf(IOException.class)
                .hasMessage(folder + "/missing");
        assertThat(jobs.requests).containsExactly("job " + FIRST);
        assertThatThrownBy(() -> open(List.of("-", file, "-"), jobs, false))
                .isInstanceOf(CommandException.class)
                .hasMessage("stdin is given more than once. Use a file for one of them.");
        assertThatThrownBy(() -> open(List.of(file, ""), jobs, false))
                .isInstanceOf(CommandException.class)
                .hasMessage("The name of a file is empty. Use an NDJSON file or the token of a job.");
        assertThatThrownBy(() -> open(List.of(file, FIRST), jobs, false))
                .isInstanceOf(CommandException.class)
                .hasMessage("File '" + file
                        + "', line 1: the module is 'caa', not 'hsts'. Use results of the same module.");
    }

    @Test
    void namesAreSeparatedByCommas() throws IOException {
        String comma = file("a,b", "");

        assertThat(ResultLines.split("a,b")).containsExactly("a", "b");
        assertThat(ResultLines.split("a,,b,")).containsExactly("a", "", "b", "");
        assertThat(ResultLines.split("")).containsExactly("");
        assertThat(ResultLines.split(comma)).containsExactly(comma);
    }

    @Test
    void positionsOfManyLinesAreKept() throws Exception {
        String[] lines = IntStream.range(0, 3_000)
                .mapToObj(i -> line("'input':'" + i + "'"))
                .toArray(String[]::new);

        try (ResultLines read = open(List.of(file("many", lines)), new Jobs(), true)) {
            all(read);
            assertThat(read.line(2_999).input()).isEqualTo("2999");
            assertThat(read.line(1_023).input()).isEqualTo("1023");
        }
    }
}
