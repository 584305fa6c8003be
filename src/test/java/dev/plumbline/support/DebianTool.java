package dev.plumbline.support;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** Finds the Debian programs that tests compare with. */
public final class DebianTool {
    private DebianTool() {}

    /**
     * The path of a program. If it is missing, the test is skipped on a developer machine and fails if {@code CI} is
     * {@code true}.
     */
    public static Path require(String program) {
        Path path = find(program);
        if (path == null && "true".equals(System.getenv("CI"))) {
            throw new AssertionError(program + " is not installed, and CI must not skip its tests");
        }
        return present(program, path);
    }

    /** The path of a program that Debian does not package. If it is missing, the test is skipped. */
    public static Path ifInstalled(String program) {
        return present(program, find(program));
    }

    private static Path present(String program, @Nullable Path path) {
        if (path == null) {
            throw new TestAbortedException(program + " is not installed");
        }
        return path;
    }

    private static @Nullable Path find(String program) {
        for (String directory : searched()) {
            Path path = Path.of(directory, program);
            if (Files.isExecutable(path) && !Files.isDirectory(path)) {
                return path;
            }
        }
        return null;
    }

    private static List<String> searched() {
        List<String> directories = new ArrayList<>();
        String path = System.getenv("PATH");
        if (path != null) {
            directories.addAll(List.of(path.split(File.pathSeparator)));
        }
        directories.addAll(List.of("/usr/sbin", "/sbin", "/usr/local/sbin"));
        return directories;
    }
}
