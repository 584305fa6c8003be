package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with a body: so many faults at most, each by its JSON pointer (RFC 6901). */
final class RequestFaultList {
    private static final int MOST_SHOWN = 100;

    private final int most;
    private final List<Problem.Fault> found = new ArrayList<>();

    RequestFaultList(int most) {
        this.most = most;
    }

    void add(String pointer, String detail) {
        if (!full()) {
            found.add(new Problem.Fault("pointer", pointer, detail));
        }
    }

    boolean full() {
        return found.size() >= most;
    }

    List<Problem.Fault> list() {
        return List.copyOf(found);
    }

    /** The pointer of a member; a name of more than 100 characters is cut. */
    static String pointer(String parent, String name) {
        return parent + '/' + shown(name).replace("~", "~0").replace("/", "~1");
    }

    /** A text of somebody else's as it can be repeated: short, and good UTF-16. */
    static String shown(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints()
                .limit(MOST_SHOWN)
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '\ufffd' : c)
                .forEach(out::appendCodePoint);
        return text.length() > out.length() ? out.append('…').toString() : out.toString();
    }

    /** The length in UTF-8, or -1 where half of a surrogate pair stands alone. */
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
