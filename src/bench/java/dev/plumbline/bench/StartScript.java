package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The start script of the distribution that the build creates next to the jar. */
final class StartScript {
    private StartScript() {}

    /** The command that runs the script with the JDK of this process, after the script has created its cache. */
    static List<String> withCache(BenchStage stage) throws IOException, InterruptedException {
        Path target = stage.options().jar().getParent();
        Path script;
        try (Stream<Path> files = Files.list(target)) {
            script = files.map(file -> file.resolve("bin/plumbline"))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new IOException("no distribution in " + target));
        }
        List<String> command = List.of("env", "JAVA_HOME=" + System.getProperty("java.home"), script.toString());
        List<String> cache = new ArrayList<>(command);
        cache.add("aot-cache");
        ProgramRun created =
                ProgramRun.of(cache, stage.folder().resolve("aot-cache").toFile());
        if (created.exitCode() != 0) {
            throw new IOException("the AOT cache could not be created");
        }
        return command;
    }
}
