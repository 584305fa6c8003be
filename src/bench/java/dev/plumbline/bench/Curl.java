package dev.plumbline.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Debian's curl, fetching a list of URLs as many at once as the bench has connections. */
final class Curl {
  private final String program;
  private final Path list;

  Curl(Path folder) {
    this.program = Programs.require("curl", "curl");
    this.list = folder.resolve("curl-list");
  }

  /**
   * What one run took.
   *
   * @param exitCode 0 if everything was fetched
   */
  record Run(double seconds, double cpuMillis, int exitCode) {}

  /** Fetches each once, over a fresh connection. */
  Run fetch(List<String> urls) throws IOException, InterruptedException {
    StringBuilder conf = new StringBuilder();
    urls.forEach(url -> conf.append("url = \"").append(url).append("\"\n"));
    Files.writeString(list, conf, StandardCharsets.US_ASCII);
    List<String> command =
        new ArrayList<>(
            List.of(
                program,
                "-s",
                "-k",
                "-Z",
                "--parallel-max",
                Integer.toString(BenchOptions.CONNECTIONS),
                "--http1.1",
                "-H",
                "Connection: close",
                "-K",
                list.toString()));
    long self = ProcessHandle.current().pid();
    long cpuBefore = ProcFiles.endedChildrenCpuMillis(self);
    long began = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      int code = process.waitFor();
      double seconds = (System.nanoTime() - began) / 1e9;
      return new Run(seconds, ProcFiles.endedChildrenCpuMillis(self) - cpuBefore, code);
    } finally {
      process.destroyForcibly();
    }
  }
}
