package dev.plumbline.check;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What may be a target at all: which addresses, names, ports and schemes. Pure; the one place that
 * decides it, for the refusal before any packet leaves and for every address that is about to be
 * dialled.
 */
public final class TargetPolicy {
    /** Names that no public DNS serves (RFC 6761, 6762, 7686, 8375, and ICANN for .internal). */
    private static final Set<String> SPECIAL_NAMES = Set.of("localhost", "local", "internal", "home.arpa", "onion");

    private static final InetAddress[] LOOPBACK = {
        IpAddressText.v4(0x7f000001), IpAddressText.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
    };

    /**
     * What the operator has decided.
     *
     * @param allow CIDRs that are let through although special-purpose
     * @param deny names (with all below them), addresses and CIDRs that are never targets
     * @param denySuffixes names below these are never looked up
     * @param ports what may be connected to: ports, ranges such as 8000-8100, or "*" for any
     */
    public record Rules(List<String> allow, List<String> deny, List<String> denySuffixes, List<String> ports) {}

    private final Cidr[] allowed;
    private final Cidr[] denied;
    private final Set<String> deniedNames = new HashSet<>();
    private final Set<String> deniedSuffixes = new HashSet<>();
    private final BitSet ports;
    private final BiPredicate<InetAddress, Integer> ownSocket;

    /**
     * @param ownSocket whether an address and port is one of the service's own listening sockets,
     *     which are never targets whatever the rules say
     * @throws IllegalArgumentException when a rule cannot be read, naming it
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
    }

    /** Why this target is refused before any look-up, null when it is not. */
    public @Nullable String refusal(Target target) {
        if (target instanceof Target.Url url) {
            return refusalOfHost(url.host(), url.port());
        }
        if (target instanceof Target.HostPort hostPort) {
            return refusalOfHost(hostPort.host(), hostPort.port());
        }
        if (target instanceof Target.AnyHost any) {
            return refusalOfHost(any.host(), 0);
        }
        if (target instanceof Target.Ip ip) {
            return refusalOfHost(ip.host(), 0);
        }
        if (target instanceof Target.Email email) {
            return refusalOfName(email.domain());
        }
        return refusalOfName(target.text());
    }

    /** Why this name may not be looked up, null when it may. */
    public @Nullable String refusalOfName(String name) {
        if (name.indexOf('.') < 0) {
            return "The name "
                    + name
                    + " is a single label, and names without a dot are not checked; write a whole name, such as"
                    + " example.com.";
        }
        for (int start = 0; ; ) {
            String suffix = start == 0 ? name : name.substring(start);
            if (SPECIAL_NAMES.contains(suffix)) {
                return "Names under ." + suffix + " belong to a local network, which is not checked.";
            }
            if (deniedNames.contains(suffix)) {
                return "The name " + name + " is denied here; an operator can remove " + suffix + " from targets.deny.";
            }
            if (deniedSuffixes.contains(suffix)) {
                return "Names under "
                        + suffix
                        + " are not looked up here; an operator can remove it from dns.deny_suffixes.";
            }
            int dot = name.indexOf('.', start);
            if (dot < 0) {
                return refusalOfReverse(name);
            }
            start = dot + 1;
        }
    }

    /** What a private resolver knows of its own addresses is no stranger's business (RFC 6303). */
    private @Nullable String refusalOfReverse(String name) {
        ReverseName reverse = ReverseName.of(name);
        String refusal = reverse == null ? null : refusalOf(reverse.last());
        if (refusal == null || refusalOf(reverse.first()) == null) {
            return null;
        }
        return "The name " + name + " stands for addresses that are not checked. " + refusal;
    }

    /** Why this address may not be contacted at any port, null when it may. */
    public @Nullable String refusalOf(InetAddress address) {
        return refusalOfAddress(address, 0);
    }

    /**
     * Whether a name is one that only a private resolver knows: below a special name or below one of
     * the suffixes that are not looked up. A name without a dot says nothing of where it belongs.
     */
    public boolean belongsInside(String name) {
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

    /** Why this address and port may not be connected to, null when it may. */
    public @Nullable String refusalOf(InetAddress address, int port) {
        String refusal = refusalOfAddress(address, port);
        return refusal == null && !ports.get(port) ? refusalOfPort(port) : refusal;
    }

    private @Nullable String refusalOfHost(Host host, int port) {
        String refusal = host.literal() == null ? refusalOfName(host.name()) : refusalOfAddress(host.literal(), port);
        return refusal == null && port != 0 && !ports.get(port) ? refusalOfPort(port) : refusal;
    }

    private static String refusalOfPort(int port) {
        return "Port " + port + " is not checked here; an operator can add it to targets.ports.";
    }

    private @Nullable String refusalOfAddress(InetAddress address, int port) {
        String refusal = refusalOfOne(address, port);
        if (refusal != null || address.getAddress().length == 4) {
            return refusal;
        }
        for (EmbeddedIpv4.Address embedded : EmbeddedIpv4.in(address)) {
            String inner = refusalOfOne(embedded.address(), port);
            if (inner != null) {
                return IpAddressText.format(address)
                        + " leads to another address ("
                        + embedded.mechanism()
                        + "). "
                        + inner;
            }
        }
        return null;
    }

    private @Nullable String refusalOfOne(InetAddress address, int port) {
        if (isOwn(address, port)) {
            return "The service does not check itself.";
        }
        if (address.isAnyLocalAddress()) {
            return IpAddressText.format(address) + " names no host.";
        }
        Cidr deniedBy = find(denied, address);
        if (deniedBy != null) {
            return IpAddressText.format(address)
                    + " is denied here; an operator can remove "
                    + deniedBy.text()
                    + " from targets.deny.";
        }
        String purpose = SpecialAddresses.purpose(address);
        if (purpose == null || find(allowed, address) != null) {
            return null;
        }
        return IpAddressText.format(address)
                + " is "
                + purpose
                + ", which is not checked; an operator can add it to targets.allow.";
    }

    /** A connection to the unspecified address reaches this machine. */
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
