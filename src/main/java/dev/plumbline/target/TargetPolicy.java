package dev.plumbline.target;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which addresses, names and ports can be targets. Applied to each target before any network access and to each
 * address before a connection.
 */
public final class TargetPolicy {
    /** Special-use names that are not in the public DNS (RFC 6761, 6762, 7686, 8375, and ICANN for .internal). */
    private static final Set<String> SPECIAL_NAMES = Set.of("localhost", "local", "internal", "home.arpa", "onion");

    private static final int MAX_PORT_RULES_LENGTH = 500;
    private static final InetAddress[] LOOPBACK = {
        IpAddressText.v4(0x7f000001), IpAddressText.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
    };

    /**
     * The settings of the operator.
     *
     * @param allow special-purpose CIDR blocks that are allowed as targets
     * @param deny names (including their subdomains), addresses and CIDR blocks that are rejected
     * @param denySuffixes suffixes of names that are not looked up
     * @param ports the allowed ports: numbers, ranges such as 8000-8100, or "*" for all
     */
    public record Rules(List<String> allow, List<String> deny, List<String> denySuffixes, List<String> ports) {}

    private final Cidr[] allowed;
    private final Cidr[] denied;
    private final Set<String> deniedNames = new HashSet<>();
    private final Set<String> deniedSuffixes = new HashSet<>();
    private final BitSet ports;
    private final String portRules;
    private final BiPredicate<InetAddress, Integer> ownSocket;

    /**
     * @param ownSocket whether an address and port is a listening socket of this service, which is always rejected
     * @throws IllegalArgumentException if a rule is not valid; the message contains the rule
     */
    public TargetPolicy(Rules rules, BiPredicate<InetAddress, Integer> ownSocket) {
        this.ownSocket = ownSocket;
        allowed = rules.allow().stream().map(Cidr::parse).toArray(Cidr[]::new);
        List<Cidr> deniedBlocks = new ArrayList<>();
        for (String rule : rules.deny()) {
            Cidr block = Cidr.tryParse(rule);
            if (block != null) {
                deniedBlocks.add(block);
            } else {
                deniedNames.add(name(rule));
            }
        }
        denied = deniedBlocks.toArray(new Cidr[0]);
        rules.denySuffixes().forEach(suffix -> deniedSuffixes.add(name(suffix)));
        ports = ports(rules.ports());
        portRules = PrintableText.cut(String.join(", ", rules.ports()), MAX_PORT_RULES_LENGTH);
    }

    /** Returns why a target is rejected before any lookup; null if it is allowed. */
    public @Nullable String refusal(Target target) {
        return refusalOfHost(target.host(), target.port());
    }

    /** As {@link #refusal(Target)}, also for the host of the option {@code connect_to}. */
    public @Nullable String refusal(Target target, @Nullable Host connectTo) {
        String refusal = refusal(target);
        return refusal == null && connectTo != null ? refusalOfHost(connectTo, target.port()) : refusal;
    }

    /** Returns why a host is rejected on all ports before any lookup; null if it is allowed. */
    public @Nullable String refusal(Host host) {
        return refusalOfHost(host, 0);
    }

    /** Returns why a name must not be looked up; null if it is allowed. */
    public @Nullable String refusalOfName(String name) {
        if (name.indexOf('.') < 0) {
            return name + " is a single label. Single labels are not looked up.";
        }
        for (int start = 0; ; ) {
            String suffix = start == 0 ? name : name.substring(start);
            if (SPECIAL_NAMES.contains(suffix)) {
                return "Names under ." + suffix + " are reserved for local use and cannot be checked.";
            }
            if (deniedNames.contains(suffix)) {
                return name + " is not allowed (denied by " + suffix + "). An operator can change `targets.deny`.";
            }
            if (deniedSuffixes.contains(suffix)) {
                return "Names under " + suffix + " are not looked up. An operator can change `dns.deny_suffixes`.";
            }
            int dot = name.indexOf('.', start);
            if (dot < 0) {
                return refusalOfReverse(name);
            }
            start = dot + 1;
        }
    }

    /**
     * As {@link #refusalOfName}, for lookups of the nameservers and keys of a zone: the root (an empty text) and
     * top-level domains are allowed.
     */
    public @Nullable String refusalOfZone(String zone) {
        boolean topLevel = zone.indexOf('.') < 0;
        return topLevel
                        && !SPECIAL_NAMES.contains(zone)
                        && !deniedNames.contains(zone)
                        && !deniedSuffixes.contains(zone)
                ? null
                : refusalOfName(zone);
    }

    /** Rejects reverse names of private addresses, which internal resolvers answer (RFC 6303). */
    private @Nullable String refusalOfReverse(String name) {
        ReverseName reverse = ReverseName.of(name);
        if (reverse == null || refusalOf(reverse.first()) == null) {
            return null;
        }
        String refusal = refusalOf(reverse.last());
        return refusal == null ? null : name + " is the reverse DNS name of an address that is not allowed. " + refusal;
    }

    /** Returns why an address is rejected on all ports; null if it is allowed. */
    public @Nullable String refusalOf(InetAddress address) {
        return refusalOfAddress(address, 0);
    }

    /**
     * Whether a name is a subdomain of a special-use name or of a suffix that is not looked up. False for a single
     * label.
     */
    public boolean isPrivateName(String name) {
        if (name.indexOf('.') < 0) {
            return false;
        }
        for (String suffix = name; ; suffix = suffix.substring(suffix.indexOf('.') + 1)) {
            if (SPECIAL_NAMES.contains(suffix) || deniedSuffixes.contains(suffix)) {
                return true;
            }
            if (suffix.indexOf('.') < 0) {
                return false;
            }
        }
    }

    /** Returns why a connection to this address and port is rejected; null if it is allowed. */
    public @Nullable String refusalOf(InetAddress address, int port) {
        String refusal = refusalOfAddress(address, port);
        return refusal == null && !ports.get(port) ? refusalOfPort(port) : refusal;
    }

    private @Nullable String refusalOfHost(Host host, int port) {
        if (host.literal() == null && host.name().indexOf('.') < 0) {
            return host.name() + " is a single label. Enter a fully qualified domain name, such as example.com.";
        }
        String refusal = host.literal() == null ? refusalOfName(host.name()) : refusalOfAddress(host.literal(), port);
        return refusal == null && port != 0 && !ports.get(port) ? refusalOfPort(port) : refusal;
    }

    private String refusalOfPort(int port) {
        return "Port %s is not allowed. Allowed ports: %s. An operator can change `targets.ports`."
                .formatted(port, portRules);
    }

    private @Nullable String refusalOfAddress(InetAddress address, int port) {
        String refusal = refusalOfOne(address, port);
        if (refusal != null || address.getAddress().length == 4) {
            return refusal;
        }
        for (EmbeddedIpv4.Address embedded : EmbeddedIpv4.in(address)) {
            String inner = refusalOfOne(embedded.address(), port);
            if (inner != null) {
                return "%s contains an IPv4 address (%s). %s"
                        .formatted(IpAddressText.format(address), embedded.mechanism(), inner);
            }
        }
        return null;
    }

    private @Nullable String refusalOfOne(InetAddress address, int port) {
        if (isOwn(address, port)) {
            return "The target is this service, which cannot check itself.";
        }
        if (address.isAnyLocalAddress()) {
            return IpAddressText.format(address) + " is the unspecified address and cannot be checked.";
        }
        Cidr deniedBy = find(denied, address);
        if (deniedBy != null) {
            return "%s is not allowed (denied by %s). An operator can change `targets.deny`."
                    .formatted(IpAddressText.format(address), deniedBy.text());
        }
        String purpose = SpecialAddresses.purpose(address);
        if (purpose == null || find(allowed, address) != null) {
            return null;
        }
        return "%s is %s, which is not allowed. An operator can change `targets.allow`."
                .formatted(IpAddressText.format(address), purpose);
    }

    /** Connections to the unspecified address reach the local host. */
    private boolean isOwn(InetAddress address, int port) {
        if (port == 0) {
            return false;
        }
        if (address.isAnyLocalAddress()) {
            return ownSocket.test(LOOPBACK[0], port) || ownSocket.test(LOOPBACK[1], port);
        }
        return ownSocket.test(address, port);
    }

    private static @Nullable Cidr find(Cidr[] blocks, InetAddress address) {
        for (Cidr block : blocks) {
            if (block.contains(address)) {
                return block;
            }
        }
        return null;
    }

    private static String name(String rule) {
        String bare = rule.strip();
        bare = bare.startsWith("*.") ? bare.substring(2) : bare;
        bare = bare.startsWith(".") ? bare.substring(1) : bare;
        try {
            String name = HostParser.name(bare, true);
            if (!IpAddressText.endsInNumber(name) && rule.indexOf('/') < 0) {
                return name;
            }
        } catch (InvalidTargetException notAName) {
            throw new IllegalArgumentException("not a name, address or CIDR block: " + rule, notAName);
        }
        throw new IllegalArgumentException("not a name, address or CIDR block: " + rule);
    }

    private static BitSet ports(List<String> rules) {
        BitSet set = new BitSet(65_536);
        for (String rule : rules) {
            String text = rule.strip();
            if (text.equals("*")) {
                set.set(1, 65_536);
                continue;
            }
            int dash = text.indexOf('-');
            int from = port(dash < 0 ? text : text.substring(0, dash), rule);
            int to = dash < 0 ? from : port(text.substring(dash + 1), rule);
            if (to < from) {
                throw new IllegalArgumentException("not a port: " + rule);
            }
            set.set(from, to + 1);
        }
        return set;
    }

    private static int port(String digits, String rule) {
        try {
            int port = UrlAuthority.port(digits.strip());
            if (port != 0) {
                return port;
            }
        } catch (InvalidTargetException notAPort) {
            throw new IllegalArgumentException("not a port: " + rule, notAPort);
        }
        throw new IllegalArgumentException("not a port: " + rule);
    }
}
