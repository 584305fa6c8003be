package dev.plumbline.target;

import java.net.InetAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The address range of a reverse DNS name (RFC 1035 §3.5, RFC 3596 §2.5): one address, or a block if the name has fewer
 * labels.
 *
 * @param first the lowest address
 * @param last the highest address
 */
record ReverseName(InetAddress first, InetAddress last) {
    private static final String V4 = ".in-addr.arpa";
    private static final String V6 = ".ip6.arpa";

    /**
     * Parses a reverse DNS name. Additional leading labels are ignored (RFC 2317).
     *
     * @param name lower case, without trailing dot
     * @return null if it is not a reverse DNS name
     */
    static @Nullable ReverseName of(String name) {
        boolean v4 = name.endsWith(V4);
        if (!v4 && !name.endsWith(V6)) {
            return null;
        }
        String[] labels =
                name.substring(0, name.length() - (v4 ? V4 : V6).length()).split("\\.");
        int bits = v4 ? 8 : 4;
        int max = v4 ? 4 : 32;
        byte[] first = new byte[v4 ? 4 : 16];
        byte[] last = first.clone();
        Arrays.fill(last, (byte) 0xff);
        int read = 0;
        while (read < Math.min(max, labels.length)) {
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

    /** Returns the number, or -1 if the label is not a number in range. */
    private static int value(String label, boolean v4) {
        if (!label.matches(v4 ? "[0-9]{1,3}" : "[0-9a-f]")) {
            return -1;
        }
        int value = Integer.parseInt(label, v4 ? 10 : 16);
        return value > 255 ? -1 : value;
    }
}
