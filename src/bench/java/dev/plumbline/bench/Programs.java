package dev.plumbline.bench;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the Debian programs that the service is compared with. */
final class Programs {
  private Programs() {}

  /**
   * The path of a program.
   *
   * @throws MissingProgramException naming the package
   */
  static String require(String program, String debianPackage) {
    List<String> directories = new ArrayList<>();
    String path = System.getenv("PATH");
    if (path != null) {
      directories.addAll(List.of(path.split(File.pathSeparator)));
    }
    directories.addAll(List.of("/usr/sbin", "/usr/local/sbin"));
    for (String directory : directories) {
      Path candidate = Path.of(directory, program);
      if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
        return candidate.toString();
      }
    }
    throw new MissingProgramException(debianPackage);
  }
}
