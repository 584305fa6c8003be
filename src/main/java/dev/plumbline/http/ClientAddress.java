package dev.plumbline.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whose request it is: the peer, or, when the peer is a trusted proxy, the right-most address of
 * {@code Forwarded} (RFC 7239) or {@code X-Forwarded-For} that is not a trusted proxy itself. What
 * stands further left was written by strangers.
 */
public final class ClientAddress {
  private static final Pattern FOR =
      Pattern.compile(
          "(?:^|;)\\s*for\\s*=\\s*(?:\"([^\"]*)\"|([^;\\s]*))", Pattern.CASE_INSENSITIVE);
  private static final Pattern LITERAL =
      Pattern.compile("\\[?([0-9A-Fa-f:.]{2,45})\\]?(?::\\d{1,5})?");
  private static final Pattern IPV4_AND_PORT = Pattern.compile("([0-9.]{7,15})(?::\\d{1,5})?");

  private record Network(byte[] address, int bits) {
    boolean holds(InetAddress candidate) {
      byte[] other = candidate.getAddress();
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((other[bit / 8] & mask) != (address[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }
  }

  private final List<Network> trusted;

  /**
   * @param trustedProxies addresses and CIDRs
   */
  public ClientAddress(List<String> trustedProxies) {
    this.trusted = trustedProxies.stream().map(ClientAddress::network).toList();
  }

  /** Whose quota pays: an IPv4 address, or an IPv6 address's /64. */
  public String quotaKey(HttpServerRequest request) {
    if (trusted.isEmpty()) {
      String peer = request.remoteAddress() == null ? null : request.remoteAddress().hostAddress();
      if (peer != null && peer.indexOf(':') < 0) {
        return peer;
      }
    }
    InetAddress client = of(request);
    if (!(client instanceof Inet6Address)) {
      return client.getHostAddress();
    }
    byte[] network = Arrays.copyOf(Arrays.copyOf(client.getAddress(), 8), 16);
    try {
      return InetAddress.getByAddress(network).getHostAddress() + "/64";
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  InetAddress of(HttpServerRequest request) {
    InetAddress peer = peer(request.remoteAddress());
    if (trusted.isEmpty() || !isTrusted(peer)) {
      return peer;
    }
    List<String> hops = hops(request);
    InetAddress client = peer;
    for (String hop : hops) {
      InetAddress address = literal(hop);
      if (address == null) {
        return client;
      }
      client = address;
      if (!isTrusted(address)) {
        return client;
      }
    }
    return client;
  }

  /** The addresses that proxies wrote down, the nearest first. */
  private static List<String> hops(HttpServerRequest request) {
    List<String> hops = new ArrayList<>();
    List<String> forwarded = request.headers().getAll("Forwarded");
    if (!forwarded.isEmpty()) {
      for (String element : String.join(",", forwarded).split(",", -1)) {
        Matcher matcher = FOR.matcher(element);
        hops.add(
            !matcher.find() ? "" : matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
      }
    } else {
      List<String> lists = request.headers().getAll("X-Forwarded-For");
      if (!lists.isEmpty()) {
        hops.addAll(List.of(String.join(",", lists).split(",", -1)));
      }
    }
    Collections.reverse(hops);
    return hops;
  }

  private boolean isTrusted(InetAddress address) {
    return trusted.stream().anyMatch(network -> network.holds(address));
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
    Matcher four = IPV4_AND_PORT.matcher(plain);
    Matcher any = LITERAL.matcher(plain);
    String address =
        four.matches()
            ? four.group(1)
            : plain.startsWith("[") && any.matches()
                ? any.group(1)
                : plain.matches("[0-9A-Fa-f:.]{2,45}") && plain.indexOf(':') >= 0 ? plain : null;
    if (address == null || (address.indexOf(':') < 0 && address.split("\\.", -1).length != 4)) {
      return null;
    }
    try {
      // only literals come this far, so nothing is looked up
      return InetAddress.getByName(address);
    } catch (UnknownHostException notAnAddress) {
      return null;
    }
  }

  private static Network network(String cidr) {
    int slash = cidr.indexOf('/');
    InetAddress address = literal(slash < 0 ? cidr : cidr.substring(0, slash));
    if (address == null) {
      throw new IllegalArgumentException("no address or CIDR: " + cidr);
    }
    byte[] bytes = address.getAddress();
    return new Network(
        bytes, slash < 0 ? bytes.length * 8 : Integer.parseInt(cidr.substring(slash + 1)));
  }
}
