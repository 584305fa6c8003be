package dev.plumbline.probe.smtp;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The replies of an SMTP server.
 *
 * @param greeting null if it was not received
 * @param hello the last reply to EHLO or HELO; null if it was not received
 * @param extended whether the last reply is to EHLO
 * @param greetingMs the time from the connection to the complete greeting, in milliseconds; null if not received
 * @param unsolicited whether the server sent a reply without a command
 */
public record SmtpSession(
        @Nullable SmtpReply greeting,
        @Nullable SmtpReply hello,
        boolean extended,
        @Nullable Double greetingMs,
        boolean unsolicited) {

    /** Whether the server accepted the connection and EHLO or HELO. */
    public boolean established() {
        return greeting != null && greeting.code() == 220 && hello != null && hello.code() == 250 && !unsolicited;
    }

    /** The lines of the reply to EHLO after the first one, such as {@code SIZE 10240000}; empty after HELO. */
    public List<String> extensions() {
        return hello == null || !extended || !established()
                ? List.of()
                : hello.texts().stream().skip(1).filter(text -> !text.isEmpty()).toList();
    }

    /** The parameters of an extension, in upper case; null if the server does not list it. */
    public @Nullable String parameters(String keyword) {
        for (String extension : extensions()) {
            String text = extension.toUpperCase(Locale.ROOT);
            if (text.equals(keyword)) {
                return "";
            }
            if (text.startsWith(keyword) && " =".indexOf(text.charAt(keyword.length())) >= 0) {
                return text.substring(keyword.length() + 1).strip();
            }
        }
        return null;
    }

    /** Whether the server supports STARTTLS; null if unknown. */
    public @Nullable Boolean offersTls() {
        return established() ? "".equals(parameters("STARTTLS")) : null;
    }
}
