package dev.plumbline.support;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * Finds the programs that tests start. The system property {@code test.programs} hides all programs except those that
 * it lists, separated by commas; {@code none} hides all.
 */
public final class DebianTool {
    /** Searched after the directories of {@code PATH}, which does not contain all of them for users other than root. */
    private static final List<String> SYSTEM_DIRECTORIES = List.of(
            "/usr/local/sbin",
            "/usr/local/bin",
            "/usr/sbin",
            "/usr/bin",
            "/sbin",
            "/bin",
            "/usr/lib/postfix/sbin",
            "/usr/libexec/postfix");

    /** What programs print if they lack a feature, are older than it, or cannot listen on a well-known port. */
    private static final Pattern UNSUPPORTED = Pattern.compile(
            "(?i)unknown (directive|option|setting|keyword)|invalid command|cannot load|does not support this"
                    + "|permission denied|address (already )?in use"
                    + "|must be dovecot_config_version");

    private static final String VISIBLE = "test.programs";

    private DebianTool() {}

    /**
     * The path of a program. If it is missing, the test is skipped on a developer machine and fails if {@code CI} is
     * {@code true}.
     */
    public static Path require(String program) {
        return required(program, find(program));
    }

    /** The path of a program that Debian does not package. If it is missing, the test is skipped. */
    public static Path ifInstalled(String program) {
        Path path = find(program);
        if (path == null) {
            throw new TestAbortedException(program + " is not installed");
        }
        return path;
    }

    /**
     * A file of the documentation of a package, which may be installed without it. If it is missing, the test is
     * skipped.
     */
    public static Path documentationIfInstalled(String debianPackage, String name) {
        Path file = Path.of("/usr/share/doc", debianPackage, name);
        if (!isVisible(debianPackage) || !Files.exists(file)) {
            throw new TestAbortedException(file + " is not installed");
        }
        return file;
    }

    /** As {@link #require}, for a Python interpreter with modules. */
    public static Path requirePython(String... modules) {
        return required(
                "python3 with " + String.join(", ", modules),
                paths("python3")
                        .filter(python -> canImport(python, modules))
                        .findFirst()
                        .orElse(null));
    }

    private static boolean canImport(Path python, String... modules) {
        try {
            Process process = new ProcessBuilder(python.toString(), "-c", "import " + String.join(", ", modules))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException unusable) {
            return false;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /**
     * Skips the test, or fails it if {@code CI} is {@code true}, if the output of a program says that it does not
     * support an option, a directive or a module.
     */
    public static void requireSupport(String program, String output) {
        output.lines()
                .filter(line -> UNSUPPORTED.matcher(line).find())
                .findFirst()
                .ifPresent(line -> missing(program + " does not have a required feature: " + line.strip()));
    }

    private static Path required(String name, @Nullable Path path) {
        if (path == null) {
            missing(name + " is not installed");
        }
        return path;
    }

    private static void missing(String message) {
        if ("true".equals(System.getenv("CI")) && System.getProperty(VISIBLE) == null) {
            throw new AssertionError(message + ", and CI must not skip its tests");
        }
        throw new TestAbortedException(message);
    }

    /** The path of a program, or null. */
    public static @Nullable Path find(String program) {
        return paths(program).findFirst().orElse(null);
    }

    private static Stream<Path> paths(String program) {
        String path = System.getenv("PATH");
        List<String> directories =
                new ArrayList<>(path == null ? List.of() : Arrays.asList(path.split(File.pathSeparator)));
        directories.addAll(SYSTEM_DIRECTORIES);
        return directories.stream()
                .filter(directory -> isVisible(program))
                .map(directory -> Path.of(directory, program))
                .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file));
    }

    private static boolean isVisible(String program) {
        String visible = System.getProperty(VISIBLE);
        return visible == null || Arrays.asList(visible.split(",", -1)).contains(program);
    }
}
