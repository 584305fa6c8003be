package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Debian's curl, with which web modules are compared. */
public final class Curl {
    private Curl() {}

    /**
     * Returns the output of curl for a URL, without certificate validation. The test is skipped if curl is not
     * installed.
     *
     * @param options for example {@code --head}
     */
    public static String run(String url, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                DebianTool.require("curl").toString(), "--silent", "--show-error", "--insecure", "--noproxy", "*"));
        command.addAll(List.of(options));
        command.add(url);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = process.waitFor();
        if (exitCode != 0) {
            DebianTool.requireSupport("curl", output);
        }
        assertThat(exitCode).as(output).isZero();
        return output.strip();
    }
}
