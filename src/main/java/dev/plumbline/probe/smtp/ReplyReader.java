package dev.plumbline.probe.smtp;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the lines of SMTP and FTP replies (RFC 5321 section 4.2, RFC 959 section 4.2): a three-digit code, followed
 * by a hyphen if another line follows. The last line has the code of the first one and no hyphen.
 */
public final class ReplyReader {
    private List<String> lines = new ArrayList<>();

    /**
     * Adds a line.
     *
     * @param line without its line break
     * @return the complete reply, each line at least four characters long; null if more lines follow
     */
    public @Nullable List<String> add(String line) {
        lines.add(line.length() < 4 ? line + " ".repeat(4 - line.length()) : line);
        String first = lines.get(0);
        String last = lines.get(lines.size() - 1);
        boolean multiline = first.charAt(3) == '-' && first.chars().limit(3).allMatch(c -> c >= '0' && c <= '9');
        if (multiline && (last.charAt(3) == '-' || !last.startsWith(first.substring(0, 3)))) {
            return null;
        }
        List<String> reply = lines;
        lines = new ArrayList<>();
        return reply;
    }
}
