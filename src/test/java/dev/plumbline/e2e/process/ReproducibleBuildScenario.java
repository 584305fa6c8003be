package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.DebianTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/**
 * Two builds of the current commit, in different directories and with another umask, time zone and locale, create the
 * same files.
 */
@Tag("scenario")
class ReproducibleBuildScenario {
    private static final PathMatcher PUBLISHED =
            FileSystems.getDefault().getPathMatcher("glob:plumbline{.jar,.cdx.json,-*.tar.gz,_*.deb}");
    private static final int PUBLISHED_COUNT = 4;

    @TempDir
    Path folder;

    @Test
    void twoBuildsOfOneCommitCreateTheSameFiles() throws Exception {
        Map<String, String> first = build("first", "022", "UTC", "-Duser.language=en -Duser.country=US");

        // the Turkish lower case of I is not i
        Map<String, String> second =
                build("another/directory", "077", "Pacific/Auckland", "-Duser.language=tr -Duser.country=TR");

        assertThat(first).hasSize(PUBLISHED_COUNT);
        assertThat(second).isEqualTo(first);
    }

    /** Returns the SHA-256 of each published file by its name. */
    private Map<String, String> build(String directory, String umask, String timeZone, String locale) throws Exception {
        if (!Files.exists(Path.of(".git"))) {
            throw new TestAbortedException("this directory is not a Git repository");
        }
        Path git = DebianTool.ifInstalled("git");
        Path maven = DebianTool.ifInstalled("mvn");
        Path clone = folder.resolve(directory);
        Files.createDirectories(clone);
        Path log = folder.resolve("log");
        ProcessBuilder builder = new ProcessBuilder(
                        "sh",
                        "-ec",
                        "umask " + umask + "; " + git + " clone -q \"$1\" \"$2\"; cd \"$2\"; exec " + maven
                                + " -q -B -Pdeb -DskipTests package",
                        "sh",
                        Path.of("").toAbsolutePath().toString(),
                        clone.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("TZ", timeZone);
        builder.environment().merge("JAVA_TOOL_OPTIONS", locale, (present, added) -> present + " " + added);
        int code = builder.start().waitFor();
        assertThat(code).as(Files.readString(log, StandardCharsets.UTF_8)).isZero();
        Map<String, String> hashes = new TreeMap<>();
        try (Stream<Path> files = Files.list(clone.resolve("target"))) {
            for (Path file :
                    files.filter(file -> PUBLISHED.matches(file.getFileName())).toList()) {
                hashes.put(file.getFileName().toString(), sha256(file));
            }
        }
        return hashes;
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError(missing);
        }
    }
}
