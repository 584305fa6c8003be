package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Debian's dnssec-keygen and dnssec-signzone: a private root and zones below it, each with its own keys. */
public final class BindZoneSigner {
    private final Path folder;
    private final String nameserver;
    private final Map<String, String> files = new LinkedHashMap<>();

    /** @param folder for keys and zone files */
    public BindZoneSigner(Path folder) {
        this(folder, "ns1.test.");
    }

    /** @param nameserver of all zones */
    public BindZoneSigner(Path folder, String nameserver) {
        this.folder = folder;
        this.nameserver = nameserver;
    }

    /** The files by the name of their zone. */
    public Map<String, String> files() {
        return files;
    }

    /**
     * Signs a zone, and writes its DS records to a file for the parent zone.
     *
     * @param zone without the trailing dot
     * @param algorithm for example {@code ECDSAP256SHA256}, or {@code RSASHA256 -b 1024}; RSA keys have 2048 bits
     *     otherwise
     * @param records in addition to SOA and NS
     * @param options of dnssec-signzone, for example {@code -3 - -H 0}
     * @param change of the signed zone file
     */
    public void sign(String zone, String algorithm, String records, String options, UnaryOperator<String> change)
            throws IOException, InterruptedException {
        String name = zone.isEmpty() ? "." : zone;
        String bits = algorithm.matches("RSA\\w+") ? "-b 2048 " : "";
        run("dnssec-keygen", "-q -a " + algorithm + " " + bits + "-f KSK -n ZONE " + name);
        run("dnssec-keygen", "-q -a " + algorithm + " " + bits + "-n ZONE " + name);
        write(zone, records);
        String file = file(zone);
        run("dnssec-signzone", "-S -P -K . -O full -o %s %s -f %s.signed %s".formatted(name, options, file, file));
        Path signed = folder.resolve(file + ".signed");
        Files.writeString(signed, change.apply(Files.readString(signed)));
        files.put(name, file + ".signed");
    }

    /** Adds a zone without signatures. */
    public void add(String zone, String records) throws IOException {
        write(zone, records);
        files.put(zone, file(zone));
    }

    private void write(String zone, String records) throws IOException {
        Files.writeString(
                folder.resolve(file(zone)),
                """
                $TTL 300
                @ SOA %1$s hostmaster.test. 1 3600 600 86400 60
                @ NS %1$s
                %2$s
                """
                        .formatted(nameserver, records));
    }

    private static String file(String zone) {
        return (zone.isEmpty() ? "root" : zone) + ".zone";
    }

    /** The records of a delegation with the DS records of a signed zone. */
    public String delegation(String zone) throws IOException {
        return "%s. NS %s\n%s".formatted(zone, nameserver, ds(zone));
    }

    /** The DS records of a signed zone; empty: of the root. */
    public String ds(String zone) throws IOException {
        return Files.readString(folder.resolve("dsset-" + zone + "."));
    }

    /** The DS record of the root in the form of a zone file. */
    public String trustAnchor() throws IOException {
        // dnssec-signzone splits long digests.
        return ds("").strip().replaceFirst("([0-9A-F]{56}) ", "$1").replaceAll("\\s+", " ");
    }

    /** Writes the trust anchor in the format of delv to {@code anchors.conf}. */
    public Path writeAnchors() throws IOException {
        String[] parts = trustAnchor().split(" ");
        return Files.writeString(
                folder.resolve("anchors.conf"),
                "trust-anchors { . static-ds %s %s %s \"%s\"; };".formatted(parts[3], parts[4], parts[5], parts[6]));
    }

    /** Returns the output of a tool. */
    public String run(String tool, String arguments) throws IOException, InterruptedException {
        Run run = tryRun(tool, arguments);
        assertThat(run.exitCode()).as(run.output()).isZero();
        return run.output();
    }

    /** The exit code and the output of a tool. */
    public record Run(int exitCode, String output) {}

    public Run tryRun(String tool, String arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(DebianTool.require(tool).toString()));
        command.addAll(List.of(arguments.trim().split(" +")));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }
}
