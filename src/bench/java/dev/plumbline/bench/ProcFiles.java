package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux tells of a process, see proc(5). */
final class ProcFiles {
  private static final long MILLIS_PER_TICK = 10;

  private ProcFiles() {}

  /**
   * A size in KiB.
   *
   * @param file such as {@code status}
   * @param line what its line begins with
   */
  static long kib(long pid, String file, String line) throws IOException {
    for (String each : Files.readAllLines(path(pid, file))) {
      if (each.startsWith(line)) {
        return Long.parseLong(each.substring(line.length()).replaceAll("\\D", ""));
      }
    }
    throw new IOException(path(pid, file) + " has no " + line);
  }

  /** Processor time that a process took itself, in milliseconds. */
  static long cpuMillis(long pid) throws IOException {
    // utime and stime
    return millis(pid, 14, 15);
  }

  /** Processor time that its children took which have ended, in milliseconds. */
  static long endedChildrenCpuMillis(long pid) throws IOException {
    // cutime and cstime
    return millis(pid, 16, 17);
  }

  private static long millis(long pid, int user, int system) throws IOException {
    String stat = Files.readString(path(pid, "stat"));
    // what follows the name, which may hold spaces, begins with field 3
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[user - 3]) + Long.parseLong(fields[system - 3]))
        * MILLIS_PER_TICK;
  }

  private static Path path(long pid, String file) {
    return Path.of("/proc", Long.toString(pid), file);
  }
}
