package dev.plumbline.config;

import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules for settings that depend on each other. */
final class SettingRules {
    private static final Set<String> ALL_ROLES =
            Arrays.stream(NodeRole.values()).map(NodeRole::id).collect(Collectors.toUnmodifiableSet());

    private final Map<String, Object> values;
    private final List<String> faults;

    /**
     * @param values a text or a list of texts by name of the setting
     * @param faults receives one message for each violated rule
     */
    SettingRules(Map<String, Object> values, List<String> faults) {
        this.values = values;
        this.faults = faults;
    }

    void check() {
        if (isSet("http.tls_certificate") != isSet("http.tls_key")) {
            faults.add("Only one of http.tls_certificate and http.tls_key is set. Set both, or neither for HTTP.");
        }
        if (Stream.of("cluster.tls_certificate", "cluster.tls_key", "cluster.tls_ca")
                        .map(this::isSet)
                        .distinct()
                        .count()
                > 1) {
            faults.add(
                    "Only some of cluster.tls_certificate, cluster.tls_key and cluster.tls_ca are set. Set all three,"
                            + " or none of them and cluster.insecure for an event bus without TLS.");
        }
        if (items("asn.zones").stream()
                        .map(item -> item.replaceFirst("=.*", ""))
                        .distinct()
                        .count()
                < items("asn.zones").size()) {
            faults.add("asn.zones contains more than one zone for IPv4 or for IPv6. Set at most one of each.");
        }
        checkPorts();
        Set<String> roles = items("node.roles");
        if (roles.isEmpty()) {
            faults.add("node.roles is empty. Set one or more of http, run and coordinate.");
        }
        if (isTrue("cluster.enabled")) {
            checkCluster();
        } else if (!roles.isEmpty() && !roles.equals(ALL_ROLES) && ALL_ROLES.containsAll(roles)) {
            String found = Arrays.stream(NodeRole.values())
                    .map(NodeRole::id)
                    .filter(roles::contains)
                    .collect(Collectors.joining(","));
            faults.add("node.roles is " + found + ", but cluster.enabled is false. A node without a cluster needs all"
                    + " roles. Set cluster.enabled to true, or set node.roles to http,run,coordinate.");
        }
    }

    private record Listener(String name, String host, int port) {
        boolean collidesWith(Listener other) {
            return port == other.port && (host.equals(other.host) || isWildcard() || other.isWildcard());
        }

        private boolean isWildcard() {
            return host.equals("0.0.0.0") || host.equals("::");
        }
    }

    /** Vert.x would share the socket of two servers with the same address. */
    private void checkPorts() {
        List<Listener> listeners = new ArrayList<>();
        if (items("node.roles").contains(NodeRole.HTTP.id())) {
            add(listeners, "http.port", "http.host", "http.port", 0);
        }
        add(listeners, "management.port", "management.host", "management.port", 0);
        if (isTrue("cluster.enabled")) {
            add(listeners, "cluster.port", "cluster.host", "cluster.port", 0);
            add(listeners, "cluster.port + 1 (event bus)", "cluster.host", "cluster.port", 1);
        }
        for (int i = 0; i < listeners.size(); i++) {
            for (Listener other : listeners.subList(i + 1, listeners.size())) {
                if (listeners.get(i).collidesWith(other)) {
                    faults.add(listeners.get(i).name + " and " + other.name + " are both " + other.port
                            + ". Set different ports.");
                }
            }
        }
    }

    private void add(List<Listener> listeners, String name, String hostKey, String portKey, int offset) {
        String host = String.join(",", items(hostKey));
        String port = String.join(",", items(portKey));
        if (port.matches("[1-9][0-9]{0,4}")) {
            listeners.add(new Listener(name, host, Integer.parseInt(port) + offset));
        }
    }

    private void checkCluster() {
        if (!isSet("database.url")) {
            faults.add("database.url is empty, but cluster.enabled is true. Set database.url to the PostgreSQL database"
                    + " that all nodes share.");
        }
        if (!isSet("session.secret")) {
            faults.add(
                    "session.secret is empty, but cluster.enabled is true. Set the same session.secret on every node,"
                            + " such as the output of `openssl rand -base64 48`.");
        }
        String host = String.join(",", items("cluster.host"));
        if (!isLoopback(host) && !isSet("cluster.tls_certificate") && !isTrue("cluster.insecure")) {
            faults.add("cluster.host is " + host + ", which is not a loopback address, but cluster.tls_certificate,"
                    + " cluster.tls_key and cluster.tls_ca are empty. Set them, or set cluster.insecure to true if only"
                    + " the nodes can connect to cluster.port and cluster.port + 1.");
        }
    }

    /** Names are not resolved, so that the result does not depend on the resolver. */
    private static boolean isLoopback(String host) {
        InetAddress address = IpAddressText.parse(host);
        return address == null ? host.equals("localhost") : address.isLoopbackAddress();
    }

    private boolean isTrue(String key) {
        return items(key).equals(Set.of("true"));
    }

    private boolean isSet(String key) {
        return !items(key).isEmpty();
    }

    private Set<String> items(String key) {
        return SettingsBinder.items(Objects.requireNonNull(values.get(key), key))
                .collect(Collectors.toUnmodifiableSet());
    }
}
