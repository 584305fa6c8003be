package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.support.DebianTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Dockerfile and the files in {@code src/deploy} match the program. */
class DeploymentFilesTest {
    private static final Path DEPLOY = Path.of("src/deploy");

    @TempDir
    Path folder;

    @Test
    void imageHasTheVersionOfThePom() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));
        String version = group(pom, "<artifactId>plumbline</artifactId>\\s*<version>([^<]+)</version>");

        assertThat(group(Files.readString(Path.of("Dockerfile")), "ARG VERSION=(\\S+)"))
                .isEqualTo(version);
    }

    @Test
    void environmentOfTheImageIsAValidConfiguration() throws Exception {
        String dockerfile = Files.readString(Path.of("Dockerfile"));
        Map<String, String> environment = new java.util.TreeMap<>();
        Pattern.compile("(PLUMBLINE_\\w+)=(\\S+)")
                .matcher(dockerfile)
                .results()
                .forEach(match -> environment.put(match.group(1), match.group(2)));

        Config config = ConfigLoader.load(null, environment);

        assertThat(config.http().host()).isEqualTo("0.0.0.0");
        assertThat(config.management().host()).isEqualTo("0.0.0.0");
        assertThat(dockerfile)
                .contains("EXPOSE " + config.http().port() + " "
                        + config.management().port() + "\n")
                .contains("VOLUME " + config.data().dir().getParent() + "\n")
                .contains("/dev/tcp/127.0.0.1/" + config.management().port());
    }

    @Test
    void imageHasLabelsAndAHealthCheckAndDoesNotRunAsRoot() throws IOException {
        String dockerfile = Files.readString(Path.of("Dockerfile"));
        String finalStage = dockerfile.substring(dockerfile.lastIndexOf("\nFROM "));

        assertThat(Pattern.compile("org\\.opencontainers\\.image\\.([a-z.]+)=\"(.+)\"")
                        .matcher(finalStage)
                        .results()
                        .map(match -> match.group(1)))
                .containsExactlyInAnyOrder(
                        "title", "description", "version", "revision", "source", "created", "base.name", "licenses");
        // an argument has a value in the stages that declare it only
        Pattern.compile("\\$\\{(\\w+)}").matcher(finalStage).results().forEach(match -> assertThat(finalStage)
                .containsPattern("\nARG " + match.group(1) + "[=\n]"));
        assertThat(finalStage).contains("\nUSER 10001:10001\n", "\nHEALTHCHECK ", "\nVOLUME /var/lib/plumbline\n");
    }

    @Tag("integration")
    @Test
    void startScriptOfTheImageIsSyntacticallyValid() throws Exception {
        Path file = DEPLOY.resolve("container/plumbline");

        assertThat(output(List.of("sh", "-n", file.toString()))).isEmpty();
        assertThat(Files.isExecutable(file)).isTrue();
    }

    @Tag("integration")
    @Test
    void systemdAcceptsTheUnit() throws Exception {
        String unit = Files.readString(DEPLOY.resolve("systemd/plumbline.service"));
        assertThat(unit).contains("ExecStart=plumbline serve ");
        Path copy = folder.resolve("plumbline.service");
        // plumbline is not installed; sh also has no path
        Files.writeString(copy, unit.replace("ExecStart=plumbline ", "ExecStart=sh "));

        assertThat(output(List.of(DebianTool.require("systemd-analyze").toString(), "verify", copy.toString())))
                .isEmpty();
    }

    private static String group(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    /** Runs a command; it must succeed. Returns stdout and stderr. */
    private static String output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(new ArrayList<>(command))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
