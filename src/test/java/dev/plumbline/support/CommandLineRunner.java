package dev.plumbline.support;

import dev.plumbline.Main;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs commands in this process. */
public final class CommandLineRunner {
    private CommandLineRunner() {}

    /** The exit code and the stripped outputs of a command. */
    public record Ended(int code, String out, String err) {}

    /** Runs {@code check --conf SETTINGS MODULE TARGET MORE...}. */
    public static Ended check(Path settings, String module, String target, String... more) {
        List<String> arguments = new ArrayList<>(List.of("check", "--conf", settings.toString(), module, target));
        arguments.addAll(List.of(more));
        return run("", arguments.toArray(String[]::new));
    }

    /**
     * Runs any command.
     *
     * @param in the content of stdin
     */
    public static Ended run(String in, String... arguments) {
        InputStream stdin = System.in;
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream capturedOut = new ByteArrayOutputStream();
        ByteArrayOutputStream capturedErr = new ByteArrayOutputStream();
        try {
            System.setIn(new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)));
            System.setOut(new PrintStream(capturedOut, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(capturedErr, true, StandardCharsets.UTF_8));
            int code = Main.commandLine().execute(arguments);
            return new Ended(
                    code,
                    capturedOut.toString(StandardCharsets.UTF_8).strip(),
                    capturedErr.toString(StandardCharsets.UTF_8).strip());
        } finally {
            System.setIn(stdin);
            System.setOut(out);
            System.setErr(err);
        }
    }
}
