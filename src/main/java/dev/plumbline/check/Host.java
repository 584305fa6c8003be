package dev.plumbline.check;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A host as a target names it.
 *
 * @param name lower-case A-labels without a trailing dot, or the canonical text of the address (an
 *     IPv6 address without brackets, RFC 5952)
 * @param literal the address when the target names one, null when it names a host
 */
public record Host(String name, @Nullable InetAddress literal) {

    /** The host as it stands in a URL: an IPv6 address in brackets. */
    public String inUrl() {
        return name.indexOf(':') >= 0 ? "[" + name + "]" : name;
    }
}
