package dev.plumbline.lab.domain;

import dev.plumbline.target.IpAddressText;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The loopback addresses of a domain of the lab: IPv4 addresses in 127.16.0.0/13, and IPv6 addresses that are added to
 * the loopback interface. Requires root.
 *
 * @param number from 1 to {@link #MAX_NUMBER}, unique among the domains that exist at the same time
 */
record DomainAddresses(int number) {
    /** The networks of all addresses, in the format of {@code targets.allow}. */
    static final String NETWORKS = "127.16.0.0/13,fd00:19::/32";

    /** The highest number. */
    static final int MAX_NUMBER = 600;

    private static final int FIRST_NETWORK = 19;

    /** The number of domains with addresses in the same network of the form 127.x.0.0/16. */
    private static final int PER_NETWORK = 120;

    /** The hosts that need addresses of their own. */
    enum Host {
        SITE,
        MTA_STS,
        MAIL,
        NS1,
        NS2,
        PARENT,
        UNUSED,
        NS3
    }

    /** The second nameserver is in another network. */
    String v4(Host host) {
        int network = (number - 1) / PER_NETWORK;
        int subnet = number - network * PER_NETWORK + (host == Host.NS2 ? PER_NETWORK : 0);
        return "127.%d.%d.%d".formatted(FIRST_NETWORK + network, subnet, host.ordinal() + 1);
    }

    String v6(Host host) {
        return "fd00:19:%x::%x".formatted(number, host.ordinal() + 1);
    }

    List<String> both(Host host) {
        return List.of(v4(host), v6(host));
    }

    List<InetAddress> parsed(Host host) {
        return both(host).stream()
                .map(text -> Objects.requireNonNull(IpAddressText.parse(text)))
                .toList();
    }

    /** Adds the IPv6 addresses to the loopback interface. */
    static void add(Collection<DomainAddresses> all) {
        run("replace", " nodad", all);
    }

    static void remove(Collection<DomainAddresses> all) {
        run("delete", "", all);
    }

    private static void run(String action, String flags, Collection<DomainAddresses> all) {
        String commands = all.stream()
                .flatMap(addresses -> Stream.of(Host.values()).map(addresses::v6))
                .map(address -> "address " + action + " " + address + "/128 dev lo" + flags + "\n")
                .collect(Collectors.joining());
        try {
            Process ip = new ProcessBuilder("ip", "-6", "-force", "-batch", "-")
                    .redirectErrorStream(true)
                    .start();
            ip.getOutputStream().write(commands.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            ip.getOutputStream().close();
            String output = new String(ip.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (ip.waitFor() != 0) {
                throw new IllegalStateException("cannot " + action + " IPv6 addresses: " + output);
            }
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
