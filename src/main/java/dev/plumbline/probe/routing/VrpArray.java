package dev.plumbline.probe.routing;

import dev.plumbline.target.IpPrefix;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Validated ROA payloads of one address family in parallel arrays: 14 bytes each for IPv4, 22 for IPv6, because the
 * RPKI has more than half a million. They are sorted by prefix after {@link #sort}.
 */
final class VrpArray {
    private static final int FIRST_CAPACITY = 64;

    private final boolean v4;
    private long[] high = new long[FIRST_CAPACITY];
    private long @Nullable [] low;
    private byte[] lengths = new byte[FIRST_CAPACITY];
    private byte[] maxLengths = new byte[FIRST_CAPACITY];
    private int[] asns = new int[FIRST_CAPACITY];
    private int size;

    /** The prefix lengths that occur, so that a lookup does not search for others. */
    private final boolean[] present = new boolean[IpPrefix.V6_BITS + 1];

    VrpArray(boolean v4) {
        this.v4 = v4;
        this.low = v4 ? null : new long[FIRST_CAPACITY];
    }

    int size() {
        return size;
    }

    void add(IpPrefix prefix, int maxLength, long asn) {
        if (size == high.length) {
            resize(size + (size >> 1));
        }
        high[size] = prefix.high();
        if (low != null) {
            low[size] = prefix.low();
        }
        lengths[size] = (byte) prefix.length();
        maxLengths[size] = (byte) maxLength;
        asns[size] = (int) asn;
        present[prefix.length()] = true;
        size++;
    }

    private void resize(int capacity) {
        high = Arrays.copyOf(high, capacity);
        low = low == null ? null : Arrays.copyOf(low, capacity);
        lengths = Arrays.copyOf(lengths, capacity);
        maxLengths = Arrays.copyOf(maxLengths, capacity);
        asns = Arrays.copyOf(asns, capacity);
    }

    /** Sorts by prefix in place (heapsort), because an array of indexes or objects would need twice the memory. */
    void sort() {
        resize(size);
        for (int i = size / 2 - 1; i >= 0; i--) {
            siftDown(i, size);
        }
        for (int end = size - 1; end > 0; end--) {
            swap(0, end);
            siftDown(0, end);
        }
    }

    private void siftDown(int start, int end) {
        int root = start;
        int child = 2 * root + 1;
        while (child < end) {
            if (child + 1 < end && compare(child, child + 1) < 0) {
                child++;
            }
            if (compare(root, child) >= 0) {
                return;
            }
            swap(root, child);
            root = child;
            child = 2 * root + 1;
        }
    }

    private int compare(int i, int j) {
        return compare(i, high[j], low(j), lengths[j]);
    }

    private int compare(int i, long otherHigh, long otherLow, int otherLength) {
        int order = Long.compareUnsigned(high[i], otherHigh);
        order = order != 0 ? order : Long.compareUnsigned(low(i), otherLow);
        return order != 0 ? order : Integer.compare(lengths[i] & 0xff, otherLength & 0xff);
    }

    private long low(int i) {
        return low == null ? 0 : low[i];
    }

    private void swap(int i, int j) {
        long first = high[i];
        high[i] = high[j];
        high[j] = first;
        if (low != null) {
            long last = low[i];
            low[i] = low[j];
            low[j] = last;
        }
        byte length = lengths[i];
        lengths[i] = lengths[j];
        lengths[j] = length;
        byte maxLength = maxLengths[i];
        maxLengths[i] = maxLengths[j];
        maxLengths[j] = maxLength;
        int asn = asns[i];
        asns[i] = asns[j];
        asns[j] = asn;
    }

    /** Calls the action with the index of each payload that covers a prefix, the shortest first. */
    void forEachCovering(IpPrefix prefix, IntConsumer action) {
        for (int length = 0; length <= prefix.length(); length++) {
            if (present[length]) {
                IpPrefix covering = prefix.truncate(length);
                int i = first(covering);
                while (i < size && compare(i, covering.high(), covering.low(), length) == 0) {
                    action.accept(i);
                    i++;
                }
            }
        }
    }

    /** The first index whose prefix is not before this one. */
    private int first(IpPrefix prefix) {
        int from = 0;
        int to = size;
        while (from < to) {
            int middle = from + to >>> 1;
            if (compare(middle, prefix.high(), prefix.low(), prefix.length()) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    int maxLength(int i) {
        return maxLengths[i] & 0xff;
    }

    long asn(int i) {
        return Integer.toUnsignedLong(asns[i]);
    }

    Vrp get(int i) {
        return new Vrp(new IpPrefix(v4, high[i], low(i), lengths[i] & 0xff), maxLength(i), asn(i));
    }
}
