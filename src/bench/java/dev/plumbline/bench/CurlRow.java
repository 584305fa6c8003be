package dev.plumbline.bench;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The curl of Debian, which fetches a list of URLs with the connections of the benchmark. */
final class CurlRow {
    private final String program;
    private final Path list;

    CurlRow(Path folder) {
        this.program = ProgramFinder.require("curl", "curl");
        this.list = folder.resolve("curl-list");
    }

    /** Fetches each URL once over a new connection. */
    ProgramRun fetch(List<String> urls) throws IOException, InterruptedException {
        StringBuilder conf = new StringBuilder();
        urls.forEach(url -> conf.append("url = \"").append(url).append("\"\n"));
        Files.writeString(list, conf, StandardCharsets.US_ASCII);
        List<String> command = List.of(
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
                list.toString());
        return ProgramRun.of(command, new File("/dev/null"));
    }
}
