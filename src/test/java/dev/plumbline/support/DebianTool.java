package dev.plumbline.support;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.opentest4j.TestAbortedException;

/** Finds the Debian programs that tests compare with. */
public final class DebianTool {
    private DebianTool() {}

    /**
     * The path of a program. If it is missing, the test is skipped on a developer machine and fails if {@code CI} is
     * {@code true}.
     */
    public static Path require(String program) {
        for (String directory : searched()) {
            Path path = Path.of(directory, program);
            if (Files.isExecutable(path) && !Files.isDirectory(path)) {
                return path;
            }
        }
        if ("true".equals(System.getenv("CI"))) {
            throw new AssertionError(program + " is not installed, and CI must not skip its tests");
        }
        throw new TestAbortedException(program + " is not installed");
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
