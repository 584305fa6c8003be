package dev.plumbline.support;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.opentest4j.TestAbortedException;

/**
 * Network namespaces that are connected by a bridge, one host in each. The host at the bridge is this machine. All
 * addresses are in the benchmark network 198.18.0.0/15. Requires root and iproute2.
 *
 * <p>A partition is a neighbor entry with an unused hardware address. Blackhole routes fail at once, so that no timeout
 * is tested, iptables is often not installed, and nodes would bypass proxies, because they connect to published
 * addresses.
 */
public final class NetworkNamespaces implements AutoCloseable {
    /** An address that no interface has: packets to it are lost without an error. */
    private static final String UNUSED_ADDRESS = "02:00:5e:00:53:99";

    private final Path ip = DebianTool.require("ip");
    private final int subnet = ThreadLocalRandom.current().nextInt(1, 255);
    private final String id = Integer.toHexString(ThreadLocalRandom.current().nextInt(0x1000, 0x10000));
    private final List<String> created = new ArrayList<>();

    private NetworkNamespaces() {}

    /**
     * Creates the namespaces. The test is skipped if they cannot be created.
     *
     * @param count the number of hosts, numbered from 1
     */
    public static NetworkNamespaces create(int count) throws IOException, InterruptedException {
        NetworkNamespaces network = new NetworkNamespaces();
        try {
            network.createBridge();
            for (int host = 1; host <= count; host++) {
                network.createHost(host);
            }
        } catch (IOException refused) {
            network.close();
            throw new TestAbortedException("Network namespaces cannot be created: " + refused.getMessage());
        }
        return network;
    }

    private void createBridge() throws IOException, InterruptedException {
        run("link", "add", bridge(), "type", "bridge");
        run("addr", "add", address(0) + "/24", "dev", bridge());
        run("link", "set", bridge(), "up");
        run("route", "add", "local", targets() + ".0/24", "dev", "lo");
    }

    private void createHost(int host) throws IOException, InterruptedException {
        String name = namespace(host);
        run("netns", "add", name);
        created.add(name);
        run("link", "add", link(host), "type", "veth", "peer", "name", "eth0", "netns", name);
        run("link", "set", link(host), "master", bridge(), "up");
        run("-n", name, "addr", "add", address(host) + "/24", "dev", "eth0");
        run("-n", name, "link", "set", "lo", "up");
        run("-n", name, "link", "set", "eth0", "up");
        run("-n", name, "route", "add", "default", "via", address(0));
    }

    private String bridge() {
        return "plb" + id;
    }

    private String link(int host) {
        return "plv" + id + host;
    }

    private String namespace(int host) {
        return "plumbline-" + id + "-" + host;
    }

    /** The address of a host; 0 for this machine. */
    public String address(int host) {
        return "198.18." + subnet + "." + (host + 1);
    }

    /** The first three octets of a network whose addresses all belong to this machine. */
    public String targets() {
        return "198.19." + subnet;
    }

    /** The command that becomes another command in the namespace of a host. */
    public List<String> launcher(int host) {
        return List.of(ip.toString(), "netns", "exec", namespace(host));
    }

    /** Loses all packets between two hosts from now on. */
    public void partition(int one, int other) throws IOException, InterruptedException {
        run(
                "-n",
                namespace(one),
                "neigh",
                "replace",
                address(other),
                "lladdr",
                UNUSED_ADDRESS,
                "dev",
                "eth0",
                "nud",
                "permanent");
        run(
                "-n",
                namespace(other),
                "neigh",
                "replace",
                address(one),
                "lladdr",
                UNUSED_ADDRESS,
                "dev",
                "eth0",
                "nud",
                "permanent");
    }

    /** Loses all packets of a host from now on. */
    public void isolate(int host) throws IOException, InterruptedException {
        run("link", "set", link(host), "nomaster");
    }

    /** Ends all failures. */
    public void heal() throws IOException, InterruptedException {
        for (int host = 1; host <= created.size(); host++) {
            run("link", "set", link(host), "master", bridge());
            run("-n", namespace(host), "neigh", "flush", "dev", "eth0", "nud", "permanent");
        }
    }

    private void run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(ip.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output.strip());
        }
    }

    /** Removes the namespaces and the bridge. */
    @Override
    public void close() throws InterruptedException {
        List<List<String>> commands = new ArrayList<>();
        for (int host = 1; host <= created.size(); host++) {
            commands.add(List.of("link", "del", link(host)));
            commands.add(List.of("netns", "del", namespace(host)));
        }
        commands.add(List.of("route", "del", "local", targets() + ".0/24", "dev", "lo"));
        commands.add(List.of("link", "del", bridge()));
        for (List<String> command : commands) {
            try {
                run(command.toArray(String[]::new));
            } catch (IOException absent) {
                // was not created
            }
        }
    }
}
