package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** bin/plumbline with a JDK whose java prints its arguments and writes a cache. */
@Tag("integration")
class StartScriptTest {
    private static final String JAVA =
            """
            #!/bin/sh
            for argument; do
              case $argument in
                -XX:AOTCacheOutput=* | -XX:ArchiveClassesAtExit=*)
                  [ -e "$FAIL" ] || echo cache >"${argument#*=}"
                  exit ;;
              esac
            done
            printf '%s\\n' "$@"
            """;

    @TempDir
    Path folder;

    private Path home;
    private Path jdk;

    @BeforeEach
    void install() throws IOException {
        home = Files.createDirectory(folder.resolve("a home"));
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Files.writeString(home.resolve("lib/plumbline.jar"), "jar");
        executable(home.resolve("bin/plumbline"), Files.readString(Path.of("src/main/dist/bin/plumbline")));
        jdk = jdk("25.0.1");
    }

    private Path jdk(String version) throws IOException {
        Path root = folder.resolve("jdk-" + version);
        Files.createDirectories(root.resolve("bin"));
        Files.writeString(root.resolve("release"), "IMPLEMENTOR=\"a\"\nJAVA_VERSION=\"" + version + "\"\n");
        executable(root.resolve("bin/java"), JAVA);
        return root;
    }

    private static void executable(Path file, String content) throws IOException {
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private record StartResult(int code, List<String> out, String err) {}

    private StartResult start(Map<String, String> variables, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin/plumbline").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("PLUMBLINE_") || name.startsWith("JAVA_"));
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("FAIL", folder.resolve("fail").toString());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("xdg").toString());
        builder.environment().putAll(variables);
        Path err = Files.createTempFile(folder, "err", "");
        Process process = builder.redirectError(err.toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new StartResult(process.exitValue(), out.lines().toList(), Files.readString(err));
    }

    /** Creates the cache and returns its path. */
    private Path cache() throws Exception {
        StartResult result = start(Map.of(), "aot-cache");
        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        return Path.of(result.out().get(0));
    }

    @ParameterizedTest
    @CsvSource({
        "17.0.15, .jsa, -XX:SharedArchiveFile=",
        "21, .jsa, -XX:SharedArchiveFile=",
        "25.0.1, .aot, -XX:AOTCache=",
        "26-ea, .aot, -XX:AOTCache="
    })
    void theCacheFitsTheVersionOfTheJdk(String version, String extension, String option) throws Exception {
        jdk = jdk(version);

        Path cache = cache();

        assertThat(cache).hasParent(home.resolve("cache")).exists();
        assertThat(cache.getFileName().toString()).endsWith(extension);
        assertThat(start(Map.of(), "check", "http-status", "a b").out())
                .contains(option + cache)
                .endsWith("-jar", home.resolve("lib/plumbline.jar").toString(), "check", "http-status", "a b");
    }

    @Test
    void concurrentFirstStartsCreateOneCache() throws Exception {
        List<CompletableFuture<StartResult>> starts = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return start(Map.of(), "--version");
                            } catch (Exception failed) {
                                throw new CompletionException(failed);
                            }
                        },
                        start -> new Thread(start).start()))
                .toList();

        assertThat(starts).extracting(CompletableFuture::join).allSatisfy(result -> assertThat(result.out())
                .endsWith("--version"));
        Path cache = cache();

        assertThat(start(Map.of(), "--version").out()).contains("-XX:AOTCache=" + cache);
        try (Stream<Path> files = Files.list(home.resolve("cache"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".aot"))).containsExactly(cache);
        }
    }

    @Test
    void aChangedJarAndAnotherJdkHaveTheirOwnCache() throws Exception {
        Path first = cache();
        Files.setLastModifiedTime(
                home.resolve("lib/plumbline.jar"), FileTime.from(Instant.ofEpochSecond(1_700_000_000)));
        Path changed = cache();
        jdk = jdk("25.0.2");
        Path other = cache();

        assertThat(List.of(first, changed, other)).doesNotHaveDuplicates();
    }

    @Test
    void aJarOfAnotherBuildWithTheSameSizeAndTimeHasItsOwnCache() throws Exception {
        Path jar = home.resolve("lib/plumbline.jar");
        FileTime time = Files.getLastModifiedTime(jar);
        Path first = cache();
        Files.writeString(jar, "war");
        Files.setLastModifiedTime(jar, time);

        assertThat(cache()).isNotEqualTo(first);
    }

    @Test
    void aFailedCreationIsNotRepeated() throws Exception {
        Files.createFile(folder.resolve("fail"));

        StartResult failed = start(Map.of(), "aot-cache");

        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("could not be created");
        assertThat(start(Map.of(), "tools").out()).noneMatch(argument -> argument.startsWith("-XX:AOTCache"));
        try (Stream<Path> files = Files.list(home.resolve("cache"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".aot")))
                    .singleElement()
                    .satisfies(file -> assertThat(file).isEmptyFile());
        }
    }

    @Test
    void aTruncatedCacheIsNotUsedAndCreatedAgain() throws Exception {
        Path cache = cache();
        Files.writeString(cache, "c");

        assertThat(start(Map.of(), "tools").out()).noneMatch(argument -> argument.startsWith("-XX:AOTCache"));
        assertThat(cache()).isEqualTo(cache).hasContent("cache");
    }

    /** A directory in the place of a file fails as a full file system does, also for root. */
    @ParameterizedTest
    @ValueSource(strings = {"", ".size"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aCacheThatCannotBeWrittenIsAnError(String suffix) throws Exception {
        Path cache = cache();
        Path size = Path.of(cache + ".size");
        Files.delete(cache);
        Files.delete(size);
        Files.createDirectory(Path.of(cache + suffix));

        StartResult result = start(Map.of(), "aot-cache");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).endsWith("plumbline: the AOT cache " + cache + " could not be written.\n");
    }

    @Test
    void withoutWritableInstallationTheCacheIsInTheDirectoryOfTheUser() throws Exception {
        // a file prevents the directory even for root
        Files.createFile(home.resolve("cache"));

        assertThat(cache()).hasParent(folder.resolve("xdg/plumbline"));

        Files.createFile(folder.resolve("no-directory"));
        Map<String, String> nowhere =
                Map.of("XDG_CACHE_HOME", folder.resolve("no-directory").toString());
        assertThat(start(nowhere, "tools").out()).endsWith("tools");
        assertThat(start(nowhere, "aot-cache").err()).contains("Set PLUMBLINE_AOT_CACHE");
    }

    @Test
    void theCacheCanBeDisabledOrMoved() throws Exception {
        cache();

        assertThat(start(Map.of("PLUMBLINE_AOT_CACHE", "off"), "tools").out())
                .noneMatch(argument -> argument.startsWith("-XX:AOTCache"));
        String elsewhere = folder.resolve("elsewhere").toString();
        assertThat(start(Map.of("PLUMBLINE_AOT_CACHE", elsewhere), "aot-cache").out())
                .singleElement()
                .asString()
                .startsWith(elsewhere + "/");
    }

    @Test
    void theServiceUsesTheOptionsOfItsFile() throws Exception {
        Map<String, String> off = Map.of("PLUMBLINE_AOT_CACHE", "off", "JAVA_OPTS", "-Xmx99m -Da=b");
        String options = "@" + home.resolve("conf/jvm.options");

        assertThat(start(off).out()).startsWith(options, "-Xmx99m", "-Da=b");
        assertThat(start(off, "serve", "--conf", "x").out()).startsWith(options);
        assertThat(start(off, "--conf", "x").out()).startsWith(options);
        assertThat(start(off, "check", "--help").out()).doesNotContain(options).contains("-Xmx99m");
        assertThat(start(off, "--help").out()).doesNotContain(options);
    }

    @Test
    void aMissingJavaIsReported() throws Exception {
        StartResult result = start(Map.of("JAVA_HOME", folder.toString()), "tools");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).contains("Install a JDK (17 or newer) or set JAVA_HOME");
    }

    @Test
    void aJdkWithoutReleaseFileHasNoCache() throws Exception {
        Files.delete(jdk.resolve("release"));

        assertThat(start(Map.of(), "tools").out()).endsWith("tools");
        assertThat(home.resolve("cache")).doesNotExist();
    }
}
