package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Debian's dig, with which DNS results are compared. */
public final class Dig {
    private Dig() {}

    /**
     * Returns the lines of its output. The test is skipped if dig is not installed.
     *
     * @param port of a server on 127.0.0.1
     * @param question for example {@code +short}, a name and a type
     */
    public static List<String> query(int port, String... question) throws IOException, InterruptedException {
        return run("127.0.0.1", port, question);
    }

    /** Like {@link #query}, with a server on port 53 of an address. */
    public static List<String> queryAt(String address, String... question) throws IOException, InterruptedException {
        return run(address, 53, question);
    }

    private static List<String> run(String address, int port, String... question)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(DebianTool.require("dig").toString(), "@" + address, "-p", "" + port));
        command.addAll(List.of(question));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().filter(line -> !line.isBlank()).toList();
    }

    /** The TXT records of a name, each with its strings joined (RFC 7208 section 3.3). */
    public static List<String> texts(int port, String name) throws IOException, InterruptedException {
        return query(port, "+short", name, "TXT").stream()
                .map(line -> line.replace("\" \"", "").replace("\"", ""))
                .toList();
    }
}
