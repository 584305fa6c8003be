package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Debian's zonemaster-cli. */
public final class Zonemaster {
    private static final Pattern TAG =
            Pattern.compile("^\\s*[0-9.]+ +[A-Z]+ +(?:\\S+ +)?([A-Z0-9_]+)", Pattern.MULTILINE);

    private Zonemaster() {}

    /**
     * The tags that Zonemaster reports for a zone.
     *
     * @param hints the root hints
     * @param modules of Zonemaster
     */
    public static Set<String> tags(Path hints, String zone, String... modules)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "timeout",
                "300",
                DebianTool.require("zonemaster-cli").toString(),
                "--hints",
                hints.toString(),
                "--no-ipv6",
                "--raw",
                "--level",
                "DEBUG",
                "--no-progress"));
        for (String module : modules) {
            command.addAll(List.of("--test", module));
        }
        command.add(zone);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        Set<String> tags = new TreeSet<>();
        Matcher matcher = TAG.matcher(output);
        while (matcher.find()) {
            tags.add(matcher.group(1));
        }
        assertThat(tags).as(output).isNotEmpty();
        return tags;
    }
}
