package dev.plumbline.postgres.embedded;

import com.google.common.collect.Lists;
import dev.plumbline.postgres.PostgresException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Runs PostgreSQL programs as a non-root user. */
final class PostgresCommands {
    private static final String NOT_AS_ROOT =
            "PostgreSQL does not run as root, and user namespaces (unshare -U) are not available."
                    + " Start the service as another user, or set database.url.";

    /** In the response to a connection while the server starts or recovers. */
    private static final String NOT_READY = "fatal:  the database system is ";

    private final Path folder;
    private final Path home;
    private final List<String> prefix;

    PostgresCommands(Path folder, Path home) {
        this.folder = folder;
        this.home = home;
        this.prefix = isRoot() ? List.of("unshare", "-U") : List.of();
    }

    private static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException e) {
            return System.getProperty("user.name", "").equals("root");
        }
    }

    /** Throws if the process is root and user namespaces are not available. */
    void checkUser() {
        if (!prefix.isEmpty()) {
            Outcome outcome;
            try {
                outcome = run(List.of("id", "-u"), "", Duration.ofSeconds(10));
            } catch (PostgresException e) {
                throw new PostgresException(NOT_AS_ROOT, e);
            }
            if (outcome.code != 0 || outcome.output.strip().equals("0")) {
                throw new PostgresException(NOT_AS_ROOT);
            }
        }
    }

    /**
     * The outcome of a program.
     *
     * @param code exit code
     * @param output stdout and stderr, at most 64 KiB
     */
    record Outcome(int code, String output) {
        boolean succeeded() {
            return code == 0;
        }

        /**
         * The first error line that is not the rejection of a connection during the start, or the last line, without a
         * full stop.
         */
        String errorMessage() {
            String last = "no message";
            for (String line : output.lines().toList()) {
                String lower = line.toLowerCase(Locale.ROOT);
                boolean error = lower.contains("error:") || lower.contains("fatal:") || lower.contains("panic:");
                if (error && !lower.contains(NOT_READY)) {
                    return line.strip();
                }
                if (!line.isBlank()) {
                    last = line.strip();
                }
            }
            return last;
        }
    }

    /**
     * Runs a program and waits for it.
     *
     * @param input its standard input
     * @throws PostgresException if it cannot be started or exceeds the deadline
     */
    Outcome run(Duration deadline, String input, String program, String... arguments) {
        return run(Lists.asList(folder.resolve("bin").resolve(program).toString(), arguments), input, deadline);
    }

    private Outcome run(List<String> programAndArguments, String input, Duration deadline) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(programAndArguments);
        Path output = home.resolve("output");
        try {
            // a file instead of a pipe, because a server started by pg_ctl keeps a pipe open
            Files.deleteIfExists(output);
            DataDirectory.openFile(output).close();
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
            builder.environment().put("LC_ALL", "C");
            Process process = builder.start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // the exit code indicates the failure
            }
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new PostgresException(
                        command.get(command.size() - 1) + " did not complete within " + deadline.toSeconds() + " s.");
            }
            return new Outcome(process.exitValue(), head(output));
        } catch (IOException e) {
            throw new PostgresException("PostgreSQL cannot be run: " + e.getMessage() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresException("The start of PostgreSQL was interrupted.", e);
        }
    }

    private static String head(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(1 << 16), StandardCharsets.UTF_8);
        }
    }
}
