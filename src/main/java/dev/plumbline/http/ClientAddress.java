package dev.plumbline.http;

import dev.plumbline.target.Cidr;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.handler.HttpException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Determines the client address: the peer, or, if the peer is a trusted proxy, the right-most address of
 * {@code Forwarded} (RFC 7239) or {@code X-Forwarded-For} that is not a trusted proxy. Addresses further left can be
 * forged. If both headers exist and disagree, one of them can be forged, so the peer address is used.
 */
public final class ClientAddress {
    private static final Pattern FOR =
            Pattern.compile("(?:^|;)\\s*for\\s*=\\s*(?:\"([^\"]*)\"|([^;\\s]*))", Pattern.CASE_INSENSITIVE);
    private static final Pattern WITH_PORT = Pattern.compile("\\[([0-9A-Fa-f:.]+)](?::\\d{1,5})?|([0-9.]+):\\d{1,5}");

    private static final String UNKNOWN = "unknown";

    /** An unknown or obfuscated node, with or without port (RFC 7239, 6.2 and 6.3). */
    private static final Pattern HIDDEN =
            Pattern.compile("(?:unknown|_[A-Za-z0-9._-]+)(?::[A-Za-z0-9._-]+)?", Pattern.CASE_INSENSITIVE);

    private final List<Cidr> trusted;

    /** @param trustedProxies addresses and CIDR blocks */
    public ClientAddress(List<String> trustedProxies) {
        this.trusted = trustedProxies.stream().map(Cidr::parse).toList();
    }

    /**
     * Returns the rate limit key of the client: the IPv4 address, or the /64 network of the IPv6 address.
     *
     * @throws HttpException 400 if a trusted proxy sent a malformed client address
     */
    public String quotaKey(HttpServerRequest request) {
        if (trusted.isEmpty()) {
            String peer = request.remoteAddress() == null
                    ? null
                    : request.remoteAddress().hostAddress();
            if (peer != null && peer.indexOf(':') < 0) {
                return peer;
            }
        }
        return key(of(request));
    }

    /**
     * Returns the connection limit key of a peer: the IPv4 address, or the /64 network of the IPv6 address. Null for a
     * trusted proxy, whose connections belong to many clients.
     */
    public @Nullable String connectionKey(InetAddress peer) {
        InetAddress address = unmapped(peer);
        return isTrusted(address) ? null : key(address);
    }

    private static String key(InetAddress client) {
        if (!(client instanceof Inet6Address)) {
            return client.getHostAddress();
        }
        byte[] network = Arrays.copyOf(Arrays.copyOf(client.getAddress(), 8), 16);
        return IpAddressText.of(network).getHostAddress() + "/64";
    }

    /**
     * Returns the client address.
     *
     * @throws HttpException 400 if a trusted proxy sent a malformed client address
     */
    public InetAddress of(HttpServerRequest request) {
        InetAddress peer = peer(request.remoteAddress());
        if (trusted.isEmpty() || !isTrusted(peer)) {
            return peer;
        }
        List<String> forwarded = request.headers().getAll("Forwarded");
        List<String> xForwardedFor = request.headers().getAll("X-Forwarded-For");
        if (forwarded.isEmpty() || xForwardedFor.isEmpty()) {
            return walk(peer, forwarded.isEmpty() ? elements(xForwardedFor) : forElements(elements(forwarded)));
        }
        // a proxy sets one header and forwards the other as the client sent it
        InetAddress first = walk(peer, forElements(elements(forwarded)));
        InetAddress second = walk(peer, elements(xForwardedFor));
        return first.equals(second) ? first : peer;
    }

    /** Follows the hops from right to left while they are trusted proxies. */
    private InetAddress walk(InetAddress peer, List<String> hops) {
        InetAddress client = peer;
        for (int i = hops.size() - 1; i >= 0; i--) {
            String hop = hops.get(i).strip();
            if (hop.isEmpty()) {
                // empty list elements are ignored (RFC 9110, 5.6.1.2)
                continue;
            }
            if (HIDDEN.matcher(hop).matches()) {
                return client;
            }
            InetAddress address = literal(hop);
            if (address == null) {
                // otherwise the request would share the rate limit of the proxy with hidden clients
                throw new HttpException(
                        400,
                        "The Forwarded or X-Forwarded-For header of a proxy contains a client that is neither an IP"
                                + " address nor 'unknown'.");
            }
            client = address;
            if (!isTrusted(address)) {
                return client;
            }
        }
        return client;
    }

    private static List<String> elements(List<String> fields) {
        return fields.isEmpty() ? List.of() : List.of(String.join(",", fields).split(",", -1));
    }

    private static List<String> forElements(List<String> elements) {
        return elements.stream()
                .map(FOR::matcher)
                .map(found -> !found.find() ? UNKNOWN : found.group(1) != null ? found.group(1) : found.group(2))
                .toList();
    }

    /** Whether a peer is a trusted proxy. */
    public boolean isTrusted(SocketAddress peer) {
        return !trusted.isEmpty() && isTrusted(peer(peer));
    }

    private boolean isTrusted(InetAddress address) {
        return trusted.stream().anyMatch(network -> network.contains(address));
    }

    private static InetAddress peer(@Nullable SocketAddress remote) {
        InetAddress address = remote == null ? null : literal(remote.hostAddress());
        return address == null ? InetAddress.getLoopbackAddress() : address;
    }

    private static @Nullable InetAddress literal(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String plain = text.strip();
        Matcher withPort = WITH_PORT.matcher(plain);
        if (withPort.matches()) {
            plain = withPort.group(1) != null ? withPort.group(1) : withPort.group(2);
        }
        InetAddress address = IpAddressText.parse(plain);
        return address == null ? null : unmapped(address);
    }

    /** Converts an IPv4-mapped IPv6 address to IPv4. */
    private static InetAddress unmapped(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
