package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import java.util.ArrayList;
import java.util.List;

/** Collects the errors of a body, each with a JSON pointer (RFC 6901), up to a maximum. */
final class RequestFaultList {
    private static final int MAX_SHOWN_LENGTH = 100;

    private final int max;
    private final List<Problem.Fault> faults = new ArrayList<>();

    RequestFaultList(int max) {
        this.max = max;
    }

    void add(String pointer, String detail) {
        if (!full()) {
            faults.add(new Problem.Fault("pointer", pointer, detail));
        }
    }

    boolean full() {
        return faults.size() >= max;
    }

    List<Problem.Fault> list() {
        return List.copyOf(faults);
    }

    /** Returns the pointer of a member. Names are truncated to 100 characters. */
    static String pointer(String parent, String name) {
        return parent + '/' + shown(name).replace("~", "~0").replace("/", "~1");
    }

    /** Returns client input for use in a message: truncated, with unpaired surrogates replaced. */
    static String shown(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints()
                .limit(MAX_SHOWN_LENGTH)
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '\ufffd' : c)
                .forEach(out::appendCodePoint);
        return text.length() > out.length() ? out.append('…').toString() : out.toString();
    }

    /** Returns the length in UTF-8 bytes; -1 if the text contains an unpaired surrogate. */
    static int utf8Length(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                bytes += 2;
            } else if (Character.isSurrogate(c)) {
                return -1;
            } else {
                bytes += c < 0x800 ? 1 : 2;
            }
        }
        return bytes;
    }
}
