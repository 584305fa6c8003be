package dev.plumbline.probe.smtp;

import dev.plumbline.target.PrintableText;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A reply of an SMTP server (RFC 5321 section 4.2).
 *
 * @param code 200 to 599; 0 if the first line does not start with a valid code
 * @param lines without line breaks, each at least four characters long
 */
public record SmtpReply(int code, List<String> lines) {
    private static final Pattern CODE = Pattern.compile("[2-5][0-9]{2}[ -]");

    /** Reads the replies in data that grows. Each byte is read once, however many pieces the data arrives in. */
    static final class Reader {
        private final ReplyReader lines = new ReplyReader();
        private final List<SmtpReply> replies = new ArrayList<>();
        private int lineStart;
        private int position;

        /**
         * Returns the complete replies at the start of the data.
         *
         * @param data all data received so far
         */
        List<SmtpReply> read(Buffer data) {
            for (; position < data.length(); position++) {
                if (data.getByte(position) == '\n') {
                    String line = data.getString(lineStart, position, "UTF-8");
                    lineStart = position + 1;
                    List<String> reply = lines.add(line.stripTrailing());
                    if (reply != null) {
                        replies.add(of(reply));
                    }
                }
            }
            return replies;
        }
    }

    /** The complete replies at the start of the received data. */
    public static List<SmtpReply> readAll(Buffer data) {
        return new Reader().read(data);
    }

    private static SmtpReply of(List<String> lines) {
        String first = lines.get(0);
        boolean valid = CODE.matcher(first).lookingAt();
        return new SmtpReply(valid ? Integer.parseInt(first.substring(0, 3)) : 0, List.copyOf(lines));
    }

    /** The lines with their codes, made printable. */
    public String text() {
        return PrintableText.lines(String.join("\n", lines)).strip();
    }

    /** The lines without their codes, made printable. */
    public List<String> texts() {
        return lines.stream()
                .map(line -> PrintableText.lines(line.substring(4)).strip())
                .toList();
    }
}
