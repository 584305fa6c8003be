package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CommandResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The unpacked distribution with the JDK of the tests. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DistributionIT {
    private static final String ERROR_MESSAGE = "plumbline: 127.0.0.1 is a loopback address";

    @TempDir
    static Path folder;

    private Path home;
    private Path cache;

    @BeforeAll
    void install() throws Exception {
        home = folder.resolve("plumbline");
        for (String name : List.of("bin/plumbline", "conf/jvm.options", "lib/plumbline.jar")) {
            Path file = home.resolve(name);
            Files.createDirectories(file.getParent());
            Path source =
                    name.startsWith("lib") ? ServiceProcess.JAR : distribution().resolve(name);
            Files.copy(source, file, StandardCopyOption.COPY_ATTRIBUTES);
        }
        CommandResult training = start("aot-cache");
        assertThat(training.err()).isEmpty();
        cache = Path.of(training.out().strip());
        // prevents that a start creates it again while the tests end
        Files.createDirectory(cache.resolveSibling(cache.getFileName() + ".lock"));
    }

    /** The directory that the build creates next to the jar. */
    private static Path distribution() throws IOException {
        try (Stream<Path> files = Files.list(ServiceProcess.JAR.getParent())) {
            return files.filter(file -> Files.isExecutable(file.resolve("bin/plumbline")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private CommandResult start(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin/plumbline").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PLUMBLINE_") || name.startsWith("JAVA_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_OPTS", "-Xlog:class+load:file=" + folder.resolve("classes"));
        Path err = Files.createTempFile(folder, "err", "");
        Process process = builder.redirectError(err.toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new CommandResult(process.exitValue(), out, Files.readString(err));
    }

    @Test
    void commandsUseTheCache() throws Exception {
        assertThat(start("check", "http-status", "http://127.0.0.1/").err()).startsWith(ERROR_MESSAGE);

        assertThat(Files.readString(folder.resolve("classes")))
                .containsPattern("dev.plumbline.cli.CheckCommand source: shared objects file");
    }

    /** Its size is in the end record (PKWARE APPNOTE 4.3.16), which is the last 22 bytes of a jar without a comment. */
    @Test
    void theStartScriptReadsTheCompleteCentralDirectoryOfTheJar() throws Exception {
        Matcher tail =
                Pattern.compile("tail -c (\\d+) \"\\$jar\"").matcher(Files.readString(home.resolve("bin/plumbline")));
        assertThat(tail.find()).isTrue();
        ByteBuffer end = ByteBuffer.allocate(22).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel jar = FileChannel.open(ServiceProcess.JAR)) {
            jar.read(end, jar.size() - end.capacity());
        }
        assertThat(end.getInt(0)).isEqualTo(0x06054b50);

        assertThat(Integer.toUnsignedLong(end.getInt(12)) + end.capacity())
                .isLessThanOrEqualTo(Long.parseLong(tail.group(1)));
    }

    /** @param length new length in bytes; 0 to keep the length and overwrite a part */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 5_000_000})
    void aBrokenCacheDoesNotPreventTheStart(int length) throws Exception {
        byte[] intact = Files.readAllBytes(cache);
        try {
            byte[] broken = Arrays.copyOf(intact, length == 0 ? intact.length : length);
            Arrays.fill(broken, broken.length / 2, Math.min(broken.length, broken.length / 2 + 4096), (byte) 0x55);
            Files.write(cache, broken);

            CommandResult result = start("check", "http-status", "http://127.0.0.1/");

            assertThat(result.code()).isEqualTo(4);
            assertThat(result.err()).startsWith(ERROR_MESSAGE).hasLineCount(1);
            assertThat(result.out()).isEmpty();
        } finally {
            Files.write(cache, intact);
        }
    }
}
