package dev.plumbline;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The program as it is used at a terminal, in this process. */
final class Terminal {
  private Terminal() {}

  /** What a command left behind; the outputs without white space at their ends. */
  record Ended(int code, String out, String err) {}

  /** Runs {@code check --conf SETTINGS MODULE TARGET MORE...}. */
  static Ended check(Path settings, String module, String target, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("check", "--conf", settings.toString(), module, target));
    arguments.addAll(List.of(more));
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream capturedOut = new ByteArrayOutputStream();
    ByteArrayOutputStream capturedErr = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(capturedOut, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(capturedErr, true, StandardCharsets.UTF_8));
      int code = Main.commandLine().execute(arguments.toArray(String[]::new));
      return new Ended(
          code,
          capturedOut.toString(StandardCharsets.UTF_8).strip(),
          capturedErr.toString(StandardCharsets.UTF_8).strip());
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }
}
