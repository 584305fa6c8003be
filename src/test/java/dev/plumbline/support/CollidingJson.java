package dev.plumbline.support;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Members of a JSON object whose names have the same hash code in the symbol table of the JSON parser (Jackson). */
public final class CollidingJson {
    private static final int BITS = 11;

    private CollidingJson() {}

    /** 2,048 members, without braces. */
    public static String members() {
        return IntStream.range(0, 1 << BITS).mapToObj(CollidingJson::member).collect(Collectors.joining(","));
    }

    /** The hash code is a polynomial of base 33, so that {@code Ab} and {@code BA} are equal. */
    private static String member(int number) {
        return IntStream.range(0, BITS)
                .mapToObj(bit -> (number >> bit & 1) == 0 ? "Ab" : "BA")
                .collect(Collectors.joining("", "\"", "\":1"));
    }
}
