package dev.plumbline.module.mail;

import java.util.List;
import java.util.Locale;

/** Lists in sentences, of which a stranger chooses the length. */
final class TruncatedList {
    private static final int MOST = 5;

    private TruncatedList() {}

    /** The first of them, and how many more there are. */
    static String of(List<String> names) {
        return names.size() <= MOST
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, MOST))
                        + " and "
                        + String.format(Locale.ROOT, "%,d", names.size() - MOST)
                        + " more";
    }
}
