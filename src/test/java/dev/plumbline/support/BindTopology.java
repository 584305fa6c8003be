package dev.plumbline.support;

import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.opentest4j.TestAbortedException;

/**
 * Debian's BIND servers as authoritative nameservers on port 53 of loopback addresses, from the root down, and Debian's
 * Unbound as the resolver.
 */
public final class BindTopology implements AutoCloseable {
    /** The root server. */
    public static final String ROOT = "127.15.3.240";

    /** The resolver. */
    public static final String RESOLVER = "127.15.3.250";

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    private BindTopology(Path folder) {
        this.folder = folder;
    }

    /**
     * Starts the root server and the resolver. The test is skipped if the programs are not installed.
     *
     * @param root the records of the root zone without SOA and NS records
     */
    public static BindTopology start(Path folder, String root) throws IOException {
        return startWithRoot(
                folder,
                ROOT,
                RESOLVER,
                """
                $TTL 3600
                @ IN SOA a.root-servers.net. hostmaster.root-servers.net. 1 1800 900 604800 86400
                @ IN NS a.root-servers.net.
                a.root-servers.net. IN A %s
                """
                                .formatted(ROOT)
                        + root);
    }

    /**
     * Like {@link #start}, with a complete root zone, for example a signed one, and with other addresses, so that the
     * tests can run in parallel.
     *
     * @param root has {@code a.root-servers.net} with the address of the root server as its nameserver
     */
    public static BindTopology startWithRoot(Path folder, String rootServer, String resolver, String root)
            throws IOException {
        BindTopology topology = new BindTopology(folder);
        Files.writeString(
                folder.resolve("hints"),
                ". 3600 IN NS a.root-servers.net.\na.root-servers.net. 3600 IN A " + rootServer + "\n");
        try {
            topology.nameserver(rootServer, "recursion no;", Map.of(".", root));
            topology.resolver(resolver);
        } catch (IOException | RuntimeException | AssertionError failed) {
            topology.close();
            throw failed;
        }
        return topology;
    }

    /** The root hints in the form of a zone file. */
    public Path hints() {
        return folder.resolve("hints");
    }

    /**
     * Starts a nameserver.
     *
     * @param options statements of the options block, for example {@code recursion no;}
     * @param zones the zone files by name
     */
    public void nameserver(String address, String options, Map<String, String> zones) throws IOException {
        addAddress(address);
        Path directory = Files.createDirectories(folder.resolve(address));
        StringBuilder configuration = new StringBuilder(
                """
            options {
              directory "%1$s";
              pid-file none;
              session-keyfile none;
              managed-keys-directory "%1$s";
              listen-on { %2$s; };
              listen-on-v6 { none; };
              query-source address %2$s;
              dnssec-validation no;
              empty-zones-enable no;
              notify no;
              minimal-responses no;
              check-names primary ignore;
              %3$s
            };
            controls { };
            """
                        .formatted(directory, address, options));
        if (!zones.containsKey(".")) {
            configuration.append("zone \".\" { type hint; file \"" + hints() + "\"; };\n");
        }
        for (Map.Entry<String, String> zone : zones.entrySet()) {
            String file = zone.getKey().equals(".") ? "root" : zone.getKey();
            Files.writeString(directory.resolve(file), zone.getValue());
            configuration.append("zone \"%s\" { type primary; file \"%s\"; check-names ignore; check-integrity no; };\n"
                    .formatted(zone.getKey(), file));
        }
        Path file = Files.writeString(directory.resolve("named.conf"), configuration);
        start(address, DebianTool.require("named").toString(), "-g", "-n", "1", "-c", file.toString());
    }

    /** Adds an address to the loopback interface, because BIND listens on the addresses of interfaces only. */
    private void addAddress(String address) throws IOException {
        if (!isIpSuccessful("replace", address)) {
            throw new TestAbortedException("an address cannot be added to the loopback interface");
        }
        addresses.add(address);
    }

    private static boolean isIpSuccessful(String action, String address) throws IOException {
        try {
            return new ProcessBuilder(
                                    DebianTool.require("ip").toString(),
                                    "address",
                                    action,
                                    address + "/32",
                                    "dev",
                                    "lo")
                            .start()
                            .waitFor()
                    == 0;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void resolver(String address) throws IOException {
        Path file = Files.writeString(
                folder.resolve("unbound.conf"),
                """
            server:
              interface: %1$s
              port: 53
              do-ip6: no
              do-daemonize: no
              use-syslog: no
              verbosity: 1
              username: ""
              chroot: ""
              pidfile: ""
              directory: "%2$s"
              root-hints: "%3$s"
              module-config: "iterator"
              do-not-query-localhost: no
              num-threads: 1
              qname-minimisation: no
              local-zone: "test." nodefault
            remote-control:
              control-enable: no
            """
                        .formatted(address, folder, hints()));
        start(address, DebianTool.require("unbound").toString(), "-d", "-c", file.toString());
    }

    private void start(String address, String... command) throws IOException {
        File log = folder.resolve("log-" + address).toFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        processes.add(process);
        for (int i = 0; i < 200 && process.isAlive(); i++) {
            try (Socket socket = new Socket(InetAddress.getByName(address), 53)) {
                if (socket.isConnected()) {
                    return;
                }
            } catch (ConnectException notYet) {
                LockSupport.parkNanos(50_000_000);
            }
        }
        String output = Files.readString(log.toPath(), StandardCharsets.UTF_8);
        DebianTool.requireSupport(command[0], output);
        throw new AssertionError(command[0] + " did not start: " + output);
    }

    @Override
    public void close() throws IOException {
        processes.forEach(Process::destroy);
        for (Process process : processes) {
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        for (String address : addresses) {
            isIpSuccessful("delete", address);
        }
    }
}
