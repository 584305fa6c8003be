package dev.plumbline;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Arguments to a command, and nothing else. */
@Command(
    name = "plumbline",
    description = "Checks domains and URLs, one at a time or in bulk. Without a command: serve.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {ServeCommand.class, CheckCommand.class})
public final class Main implements Callable<Integer> {
  @Mixin private ConfigOption config = new ConfigOption();

  private Main() {}

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main());
  }

  @Override
  public Integer call() {
    return ServeCommand.serve(config);
  }
}
