package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Debian's dig, with which what we say of the DNS is compared. */
public final class Dig {
    private Dig() {}

    /**
     * The lines that it prints. The test is skipped where there is no dig.
     *
     * @param port of a server on 127.0.0.1
     * @param question for example {@code +short}, a name and a type
     */
    public static List<String> ask(int port, String... question) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(DebianTool.require("dig").toString(), "@127.0.0.1", "-p", "" + port));
        command.addAll(List.of(question));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.lines().filter(line -> !line.isBlank()).toList();
    }

    /** The TXT records of a name, each with its strings joined (RFC 7208 section 3.3). */
    public static List<String> texts(int port, String name) throws IOException, InterruptedException {
        return ask(port, "+short", name, "TXT").stream()
                .map(line -> line.replace("\" \"", "").replace("\"", ""))
                .toList();
    }
}
