package dev.plumbline.support;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of a Go module in the resources, whose dependencies have pinned versions. */
public final class GoProgram {
    private static final int MAX_SECONDS = 600;

    private GoProgram() {}

    /**
     * Builds the program. The test is skipped if Go is not installed or its modules are not available.
     *
     * @param module the folder of the resources with {@code main.go}, {@code go.mod} and {@code go.sum}
     * @return its path
     */
    public static Path build(String module, Path folder) throws IOException, InterruptedException {
        Path go = DebianTool.ifInstalled("go");
        for (String file : List.of("main.go", "go.mod", "go.sum")) {
            try (InputStream in = GoProgram.class.getResourceAsStream("/" + module + "/" + file)) {
                Files.copy(in, folder.resolve(file));
            }
        }
        Path log = folder.resolve("build.log");
        Process build = new ProcessBuilder(go.toString(), "build", "-o", "server", ".")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean built = build.waitFor(MAX_SECONDS, TimeUnit.SECONDS) && build.exitValue() == 0;
        build.destroyForcibly();
        assumeTrue(built, () -> module + " cannot be built: " + read(log));
        return folder.resolve("server");
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
