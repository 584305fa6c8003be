package dev.plumbline.portfolio;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The lines of the earlier results by target, to match those of the later results. Equal targets are matched by their
 * order. Uses about 110 bytes per line besides its target. Not thread-safe.
 */
public final class TargetIndex {
    private static final int NONE = -1;

    /** The last line with the target that is not matched. */
    private final Map<String, Integer> last = new HashMap<>();
    /** For each line, the next line with the same target that is not matched; the first one for the last one. */
    private int[] next = new int[1024];

    private final BitSet matched = new BitSet();
    private int size;

    /** Adds the next line. Lines are numbered from 0. */
    public void add(String target) {
        if (size == next.length) {
            next = Arrays.copyOf(next, Math.addExact(size, size));
        }
        int line = size++;
        Integer previous = last.put(target, line);
        if (previous == null) {
            next[line] = line;
        } else {
            next[line] = next[previous];
            next[previous] = line;
        }
    }

    /** Returns the first line with this target that was not returned before, or -1. */
    public int match(String target) {
        Integer end = last.get(target);
        if (end == null) {
            return NONE;
        }
        int line = next[end];
        if (line == end) {
            last.remove(target);
        } else {
            next[end] = next[line];
        }
        matched.set(line);
        return line;
    }

    /** The lines that were not returned, in order. */
    public IntStream unmatched() {
        return IntStream.range(0, size).filter(line -> !matched.get(line));
    }
}
