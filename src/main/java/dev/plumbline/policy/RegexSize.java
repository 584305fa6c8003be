package dev.plumbline.policy;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Estimates the size of a regular expression before it is compiled. RE2 copies repeated groups, so that
 * {@code (((a{1000}){1000}){1000})} would take all memory; its limit of 1,000 applies to each repetition alone.
 */
final class RegexSize {
    private static final int MAX_DIGITS = 4;

    private final String pattern;
    private int position;

    /** The sizes of the open groups without their last item. */
    private final Deque<Long> groups = new ArrayDeque<>();

    private long total;
    private long last;

    private RegexSize(String pattern) {
        this.pattern = pattern;
    }

    /**
     * Returns an upper bound of the number of instructions, which is exact enough to compare it with a limit.
     *
     * @param pattern without {@code \Q}
     */
    static long of(String pattern) {
        RegexSize size = new RegexSize(pattern);
        while (size.position < pattern.length()) {
            size.next();
        }
        while (!size.groups.isEmpty()) {
            size.close();
        }
        return size.total + size.last;
    }

    private void next() {
        char c = pattern.charAt(position++);
        switch (c) {
            case '\\' -> {
                skipEscape();
                add(1);
            }
            case '[' -> {
                skipClass();
                add(1);
            }
            case '(' -> {
                groups.push(total + last);
                total = 0;
                last = 0;
            }
            case ')' -> close();
            case '*', '+', '?' -> last++;
            case '{' -> repeat();
            default -> add(1);
        }
    }

    private void add(long size) {
        total += last;
        last = size;
    }

    private void close() {
        last = total + last + 2;
        total = groups.isEmpty() ? 0 : groups.pop();
    }

    /** Skips the rest of an escape. The braces in {@code \\x{1F600}} and {@code \\p{Greek}} are not repetitions. */
    private void skipEscape() {
        boolean named = position + 1 < pattern.length()
                && "xpP".indexOf(pattern.charAt(position)) >= 0
                && pattern.charAt(position + 1) == '{';
        int end = named ? pattern.indexOf('}', position) : -1;
        position = end > 0 ? end + 1 : position + 1;
    }

    /** Skips a character class. A closing bracket is a member of it if it is the first one. */
    private void skipClass() {
        if (position < pattern.length() && pattern.charAt(position) == '^') {
            position++;
        }
        int first = position;
        while (position < pattern.length() && (pattern.charAt(position) != ']' || position == first)) {
            int named = pattern.startsWith("[:", position) ? pattern.indexOf(":]", position) : -1;
            position = named > 0 ? named + 2 : pattern.charAt(position) == '\\' ? position + 2 : position + 1;
        }
        position++;
    }

    /** Multiplies the last item by the count after an opening brace; without a count, the brace is a character. */
    private void repeat() {
        int end = pattern.indexOf('}', position);
        long count = 0;
        if (end > 0 && end - position <= 2 * MAX_DIGITS + 1) {
            for (String number : pattern.substring(position, end).split(",", -1)) {
                if (number.matches("[0-9]{1," + MAX_DIGITS + "}")) {
                    count = Math.max(count, Long.parseLong(number));
                }
            }
        }
        if (count == 0) {
            add(1);
            return;
        }
        // {n,} has one more
        last = Math.min((last + 1) * (count + 1), Integer.MAX_VALUE);
        position = end + 1;
    }
}
