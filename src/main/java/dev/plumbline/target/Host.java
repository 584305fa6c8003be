package dev.plumbline.target;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * The host of a target: a name or an IP address.
 *
 * @param name lower-case A-labels without a trailing dot, or the canonical text of the address (IPv6 without brackets,
 *     RFC 5952)
 * @param literal the address; null for a hostname
 */
public record Host(String name, @Nullable InetAddress literal) {

    /** The host in URL syntax: an IPv6 address is enclosed in brackets. */
    public String inUrl() {
        return name.indexOf(':') >= 0 ? "[" + name + "]" : name;
    }
}
