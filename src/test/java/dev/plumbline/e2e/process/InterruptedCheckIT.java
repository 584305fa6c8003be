package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.HttpLabFixture;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C during {@code check} of many targets, one of which never responds. */
@Tag("integration")
class InterruptedCheckIT {
    @RegisterExtension
    static final HttpLabFixture LAB = new HttpLabFixture();

    @TempDir
    Path folder;

    @Test
    void completedResultsAndASummaryArePrinted() throws Exception {
        Process check = check("/ok?unordered", "--unordered", "--output", "ndjson");
        Path out = folder.resolve("out");
        Await.until(() -> lines(out).size() == 3);

        long startNanos = System.nanoTime();
        ServiceProcess.signal("INT", "" + check.pid());

        assertThat(check.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos))
                .as("seconds, without the timeout of the running check")
                .isLessThan(8);
        assertThat(check.exitValue()).isEqualTo(130);
        assertThat(lines(out))
                .extracting(line -> new JsonObject(line).getString("verdict"))
                .containsOnly("pass");
        assertThat(Files.readString(folder.resolve("err")))
                .isEqualTo("plumbline: Interrupted. 3 of 4 targets checked: 3 pass, 0 warn, 0 fail, 0 error.\n");
    }

    /** The first target never responds, so that the other results wait for it. */
    @Test
    void resultsThatWaitForAnEarlierOneAreWritten() throws Exception {
        Process check = check("/ok?ordered", "--output", "json", "-c", "2");
        Await.until(() -> !LAB.lab().requestsFor("/ok?ordered").isEmpty());

        ServiceProcess.signal("INT", "" + check.pid());

        assertThat(check.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(check.exitValue()).isEqualTo(130);
        JsonArray results = new JsonArray(Files.readString(folder.resolve("out")));
        // with two concurrent checks, the first two were complete before the third one started
        assertThat(results.stream().map(result -> ((JsonObject) result).getInteger("index")))
                .startsWith(1, 2);
    }

    @Test
    void aTextReportHasOneSummary() throws Exception {
        Process check = check("/ok?text", "--unordered");
        Await.until(() -> lines(folder.resolve("out")).size() == 3);

        ServiceProcess.signal("INT", "" + check.pid());

        assertThat(check.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(lines(folder.resolve("out"))).hasSize(3).allMatch(line -> line.startsWith("PASS"));
        assertThat(Files.readString(folder.resolve("err")))
                .isEqualTo("plumbline: Interrupted. 3 of 4 targets checked: 3 pass, 0 warn, 0 fail, 0 error.\n");
    }

    @Test
    void theCheckOfASingleTargetIsInterrupted() throws Exception {
        Process check = start("http-status", LAB.lab().http("/never?single"), "-o", "timeout_ms=20000");
        Await.until(() -> !LAB.lab().requestsFor("/never?single").isEmpty());

        ServiceProcess.signal("INT", "" + check.pid());

        assertThat(check.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(check.exitValue()).isEqualTo(130);
        assertThat(Files.readString(folder.resolve("out"))).isEmpty();
        assertThat(Files.readString(folder.resolve("err")))
                .isEqualTo("plumbline: Interrupted. 0 of 1 targets checked.\n");
    }

    private Process check(String last, String... options) throws IOException {
        Path input = Files.write(
                folder.resolve("input"),
                List.of(
                        LAB.lab().http("/never"),
                        LAB.lab().http("/ok?1"),
                        LAB.lab().http("/ok?2"),
                        LAB.lab().http(last)));
        List<String> arguments =
                new ArrayList<>(List.of("http-status", "--input", input.toString(), "-o", "timeout_ms=20000"));
        arguments.addAll(List.of(options));
        return start(arguments.toArray(String[]::new));
    }

    private Process start(String... arguments) throws IOException {
        Path settings =
                Files.writeString(folder.resolve("settings.yaml"), "targets: {allow: [127.0.0.0/8], ports: ['*']}\n");
        // a background process of a shell, such as this one, can inherit that SIGINT is ignored
        List<String> command = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-jar",
                ServiceProcess.JAR.toString(),
                "check",
                "--conf",
                settings.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PLUMBLINE_"));
        return builder.start();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
