package dev.plumbline.check;

import java.net.InetAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that a name of the reverse tree stands for (RFC 1035 section 3.5, RFC 3596 section
 * 2.5): one address, or a block where the name is shorter.
 *
 * @param first the lowest of them
 * @param last the highest of them
 */
record ReverseName(InetAddress first, InetAddress last) {
    private static final String V4 = ".in-addr.arpa";
    private static final String V6 = ".ip6.arpa";

    /**
     * Reads a name; labels before those of an address belong to it (RFC 2317).
     *
     * @param name in lower case without trailing dot
     * @return null when it stands for no address
     */
    static @Nullable ReverseName of(String name) {
        boolean v4 = name.endsWith(V4);
        if (!v4 && !name.endsWith(V6)) {
            return null;
        }
        String[] labels =
                name.substring(0, name.length() - (v4 ? V4 : V6).length()).split("\\.");
        int bits = v4 ? 8 : 4;
        int most = v4 ? 4 : 32;
        byte[] first = new byte[v4 ? 4 : 16];
        byte[] last = first.clone();
        Arrays.fill(last, (byte) 0xff);
        int read = 0;
        while (read < Math.min(most, labels.length)) {
            int value = value(labels[labels.length - 1 - read], v4);
            if (value < 0) {
                break;
            }
            int at = read * bits / 8;
            int shift = 8 - bits - read * bits % 8;
            int mask = (1 << bits) - 1 << shift;
            first[at] = (byte) (first[at] & ~mask | value << shift);
            last[at] = (byte) (last[at] & ~mask | value << shift);
            read++;
        }
        return read == 0 ? null : new ReverseName(IpAddressText.of(first), IpAddressText.of(last));
    }

    /** The number, -1 when the label is none. */
    private static int value(String label, boolean v4) {
        if (!label.matches(v4 ? "[0-9]{1,3}" : "[0-9a-f]")) {
            return -1;
        }
        int value = Integer.parseInt(label, v4 ? 10 : 16);
        return value > 255 ? -1 : value;
    }
}
