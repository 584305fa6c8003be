package dev.plumbline.store;

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

/** Runs the programs of PostgreSQL, as a user that PostgreSQL accepts. */
final class PostgresCommands {
    private static final String NOT_AS_ROOT =
            "PostgreSQL does not run as root, and user namespaces (unshare -U) are not available here;"
                    + " start the service as another user, or set database.url.";

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

    /** Refuses with a sentence where root cannot shed its name. */
    void checkUser() {
        if (!prefix.isEmpty()) {
            List<String> whoAmI = new ArrayList<>(prefix);
            whoAmI.addAll(List.of("id", "-u"));
            Outcome outcome;
            try {
                outcome = run(whoAmI, "", Duration.ofSeconds(10));
            } catch (StoreException noSuchProgram) {
                throw new StoreException(NOT_AS_ROOT, noSuchProgram);
            }
            if (outcome.code != 0 || outcome.output.strip().equals("0")) {
                throw new StoreException(NOT_AS_ROOT);
            }
        }
    }

    /**
     * What a program answered.
     *
     * @param code its exit code
     * @param output what it printed, at most 64 KiB
     */
    record Outcome(int code, String output) {
        boolean good() {
            return code == 0;
        }

        /** The line that says most, without a full stop. */
        String complaint() {
            String last = "no message";
            for (String line : output.lines().toList()) {
                String lower = line.toLowerCase(Locale.ROOT);
                if (lower.contains("error:") || lower.contains("fatal:") || lower.contains("panic:")) {
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
     * Runs one program to its end.
     *
     * @param input what it reads on its standard input
     * @throws StoreException if it cannot be run or does not end in time
     */
    Outcome run(Duration deadline, String input, String program, List<String> arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(folder.resolve("bin").resolve(program).toString());
        command.addAll(arguments);
        return run(command, input, deadline);
    }

    private Outcome run(List<String> command, String input, Duration deadline) {
        Path output = home.resolve("output");
        try {
            // A file, not a pipe: a server that pg_ctl leaves behind must not hold us.
            Files.deleteIfExists(output);
            DataDirectory.createFile(output);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
            builder.environment().put("LC_ALL", "C");
            Process process = builder.start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException endedBeforeReading) {
                // its exit code tells
            }
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new StoreException(
                        command.get(command.size() - 1) + " did not end within " + deadline.toSeconds() + " s.");
            }
            return new Outcome(process.exitValue(), head(output));
        } catch (IOException e) {
            throw new StoreException("PostgreSQL cannot be run: " + e.getMessage() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("The start of PostgreSQL was interrupted.", e);
        }
    }

    private static String head(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(1 << 16), StandardCharsets.UTF_8);
        }
    }
}
