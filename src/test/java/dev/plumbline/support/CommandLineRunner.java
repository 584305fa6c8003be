package dev.plumbline.support;

import dev.plumbline.Main;
import dev.plumbline.cli.StandardOutput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs commands in this process. */
public final class CommandLineRunner {
    private CommandLineRunner() {}

    /** Runs {@code check --conf SETTINGS MODULE TARGET MORE...}. */
    public static CommandResult check(Path settings, String module, String target, String... more) {
        List<String> arguments = new ArrayList<>(List.of("check", "--conf", settings.toString(), module, target));
        arguments.addAll(List.of(more));
        return run("", arguments.toArray(String[]::new));
    }

    /**
     * Runs any command.
     *
     * @param in the content of stdin
     */
    public static CommandResult run(String in, String... arguments) {
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        CommandResult ended = run(in, captured, arguments);
        return new CommandResult(
                ended.code(), captured.toString(StandardCharsets.UTF_8).strip(), ended.err());
    }

    /**
     * Runs any command with an unbuffered stdout as the process does.
     *
     * @return without the output on stdout
     */
    public static CommandResult run(String in, OutputStream stdout, String... arguments) {
        InputStream stdin = System.in;
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream capturedErr = new ByteArrayOutputStream();
        try {
            System.setIn(new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)));
            StandardOutput checked = new StandardOutput(stdout, StandardCharsets.UTF_8);
            System.setOut(checked);
            System.setErr(new PrintStream(capturedErr, true, StandardCharsets.UTF_8));
            int code = checked.exitCode(Main.commandLine().execute(arguments));
            return new CommandResult(
                    code, "", capturedErr.toString(StandardCharsets.UTF_8).strip());
        } finally {
            System.setIn(stdin);
            System.setOut(out);
            System.setErr(err);
        }
    }
}
