package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.LabPorts;
import dev.plumbline.lab.LabTarget;
import dev.plumbline.support.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code plumbline lab} with the two jars of the distribution and no other class path. */
@Tag("integration")
class LabCommandIT {
    private static final Pattern SETTING = Pattern.compile("export PLUMBLINE_([A-Z_]+)='([^']*)'");
    private static final String LAB_JAR = "plumbline-lab.jar";

    @TempDir
    Path folder;

    @BeforeEach
    void install() throws IOException {
        Files.createSymbolicLink(folder.resolve("plumbline.jar"), ServiceProcess.JAR.toAbsolutePath());
        Files.createSymbolicLink(
                folder.resolve(LAB_JAR), ServiceProcess.JAR.toAbsolutePath().resolveSibling(LAB_JAR));
    }

    @Test
    void eachStartPrintsTheSameTargetsAndTheServiceReturnsTheExpectedResults() throws Exception {
        int base = base();
        String first = targets(base);

        try (LabProcess lab = start(base)) {
            assertThat(lab.targets()).isEqualTo(first).contains("http-status\thttp://127.0.0.1:" + base + "/ok\t200");
            Map<String, LabTarget> byModule = oneTargetPerModule(lab.targets());
            assertThat(byModule).hasSizeGreaterThan(25);
            try (ServiceProcess service = ServiceProcess.start(folder, lab.settings())) {
                byModule.values().forEach(target -> assertExpected(service, target));
            }
            assertThat(lab.messages()).contains("The test lab is ready").doesNotContain("CANARY");
        }
    }

    private static void assertExpected(ServiceProcess service, LabTarget target) {
        HttpResponse<String> response = service.instant(target.module(), target.input());
        assertThat(response.statusCode()).as("%s", target).isEqualTo(200);
        JsonObject result = new JsonObject(response.body());
        JsonObject error = result.getJsonObject("error");
        List<String> actual = new ArrayList<>(List.of("verdict=" + result.getString("verdict")));
        if (error == null) {
            JsonObject fields = result.getJsonObject("fields");
            actual.add(String.valueOf(fields.getValue("status")));
            fields.forEach(field -> actual.add(field.getKey() + "=" + field.getValue()));
        } else {
            actual.addAll(List.of(error.getString("code"), "error=" + error.getString("code")));
        }
        assertThat(actual).as("%s", target).containsAnyElementsOf(target.outcomes());
    }

    private static Map<String, LabTarget> oneTargetPerModule(String printed) {
        Map<String, LabTarget> targets = new LinkedHashMap<>();
        printed.lines().skip(1).map(line -> line.split("\t", -1)).forEach(columns -> {
            LabTarget target = new LabTarget(columns[0], columns[1], columns[2]);
            if (target.hasOneOutcome() && target.options().isEmpty()) {
                targets.putIfAbsent(target.module(), target);
            }
        });
        return targets;
    }

    @Test
    void namesAPortThatIsInUse() throws Exception {
        int base = base();
        try (ServerSocket taken = new ServerSocket(base + 7, 1, InetAddress.getLoopbackAddress());
                LabProcess lab = launch("lab", "--port-base", "" + base)) {
            assertThat(lab.process.waitFor(60, TimeUnit.SECONDS)).isTrue();

            assertThat(lab.process.exitValue()).isEqualTo(1);
            assertThat(lab.messages())
                    .startsWith("plumbline: Port " + taken.getLocalPort() + " is in use.")
                    .contains("--port-base")
                    .hasLineCount(1);
        }
    }

    @Test
    void statesWhereToGetAMissingLaboratory() throws Exception {
        Files.delete(folder.resolve(LAB_JAR));
        // the JVM resolves the class path of the manifest against the target of a link
        Files.copy(ServiceProcess.JAR, folder.resolve("plumbline.jar"), StandardCopyOption.REPLACE_EXISTING);
        try (LabProcess lab = launch("lab")) {
            assertThat(lab.process.waitFor(60, TimeUnit.SECONDS)).isTrue();

            assertThat(lab.process.exitValue()).isEqualTo(1);
            assertThat(lab.messages())
                    .startsWith("plumbline: The test lab is not installed. Copy plumbline-lab.jar")
                    .hasLineCount(1);
        }
    }

    /** The first of enough consecutive ports that are free, below those that the kernel and other tests select. */
    private static int base() {
        for (int base = 20_000; ; base += LabPorts.COUNT) {
            try {
                LabPorts.from(base);
                return base;
            } catch (BindException taken) {
                assertThat(base).isLessThan(32_000);
            }
        }
    }

    private String targets(int base) throws Exception {
        try (LabProcess lab = start(base)) {
            return lab.targets();
        }
    }

    private LabProcess start(int base) throws IOException {
        LabProcess lab = launch("lab", "--port-base", "" + base, "--dir", "settings");
        Await.until(() -> !lab.process.isAlive() || lab.messages().contains("ready"));
        assertThat(lab.process.isAlive()).as(lab.messages()).isTrue();
        return lab;
    }

    private LabProcess launch(String... arguments) throws IOException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-jar", folder.resolve("plumbline.jar").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PLUMBLINE_"));
        return new LabProcess(builder.start(), out, err, folder.resolve("settings/environment"));
    }

    private record LabProcess(Process process, Path out, Path err, Path environment) implements AutoCloseable {
        String targets() throws IOException {
            return Files.readString(out);
        }

        String messages() {
            try {
                return Files.readString(err).strip();
            } catch (IOException unreadable) {
                throw new AssertionError(unreadable);
            }
        }

        /** The settings of the service by the name of the environment variable without the prefix. */
        Map<String, String> settings() throws IOException {
            Map<String, String> settings = new LinkedHashMap<>();
            try (Stream<String> lines = Files.lines(environment)) {
                lines.forEach(line -> {
                    Matcher setting = SETTING.matcher(line);
                    assertThat(setting.matches()).as(line).isTrue();
                    settings.put(setting.group(1), setting.group(2));
                });
            }
            return settings;
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
