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
     * What it writes when it is asked for a URL, whatever certificate it meets. The test is skipped
     * where there is no curl.
     *
     * @param options for example {@code --head}
     */
    public static String say(String url, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                DebianTool.require("curl").toString(), "--silent", "--show-error", "--insecure", "--noproxy", "*"));
        command.addAll(List.of(options));
        command.add(url);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip();
    }
}
