package dev.plumbline.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process that the bench started, with what it printed, to be stopped by {@link #close}. */
final class Child implements AutoCloseable {
  private static final long STOP_SECONDS = 20;
  private static final long POLL_MS = 10;

  private final String name;
  private final Process process;
  private final Path out;
  private final Path err;

  private Child(String name, Process process, Path out, Path err) {
    this.name = name;
    this.process = process;
    this.out = out;
    this.err = err;
  }

  static Child start(
      String name, Path folder, List<String> command, Map<String, String> environment)
      throws IOException {
    Path out = Files.createTempFile(folder, name, ".out");
    Path err = Files.createTempFile(folder, name, ".err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(environment);
    return new Child(name, builder.start(), out, err);
  }

  /** Waits until it has printed this, and gives the first group. */
  String await(Pattern printed, long seconds) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end) {
      Matcher matcher = printed.matcher(Files.readString(out));
      if (matcher.find()) {
        return matcher.group(1);
      }
      mustLive();
      Thread.sleep(POLL_MS);
    }
    throw failed("was not ready within " + seconds + " s");
  }

  /** Waits until something listens on a port of the loopback. */
  void awaitPort(int port, long seconds) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
        return;
      } catch (IOException notYet) {
        mustLive();
        Thread.sleep(POLL_MS);
      }
    }
    throw failed("did not listen on port " + port + " within " + seconds + " s");
  }

  /** Resident memory in KiB. */
  long residentKib() throws IOException {
    for (String line : Files.readAllLines(proc("status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw failed("does not say how much memory it takes");
  }

  /** Processor time taken so far, in milliseconds, with that of children that have ended. */
  long cpuMillis() throws IOException {
    String stat = Files.readString(proc("stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    // utime and stime (proc(5), fields 14 and 15), in hundredths of a second
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10;
  }

  private Path proc(String file) {
    return Path.of("/proc", Long.toString(process.pid()), file);
  }

  private void mustLive() throws IOException {
    if (!process.isAlive()) {
      throw failed("ended with " + process.exitValue());
    }
  }

  private IOException failed(String what) throws IOException {
    String said = Files.readString(err) + Files.readString(out);
    return new IOException(name + " " + what + ": " + said.strip());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
