package dev.plumbline.probe.smtp;

import dev.plumbline.probe.tcp.TcpProbe;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Waits for the greeting of a mail server, sends EHLO, waits for the reply, and sends QUIT (RFC 5321). */
public final class SmtpGreetingScript implements TcpProbe.Script {
    private int handledReplies;

    @Override
    public @Nullable Buffer next(Buffer received) {
        int replies = replies(received).size();
        if (replies <= handledReplies) {
            return Buffer.buffer();
        }
        handledReplies = replies;
        return switch (replies) {
            case 1 -> Buffer.buffer("EHLO plumbline.invalid\r\n");
            case 2 -> Buffer.buffer("QUIT\r\n");
            default -> null;
        };
    }

    /**
     * Whether the reply to EHLO lists STARTTLS; null if this reply was not received.
     *
     * @param received all data that the server sent
     */
    public static @Nullable Boolean offersTls(Buffer received) {
        List<List<String>> replies = replies(received);
        if (replies.size() < 2
                || !replies.get(0).get(0).startsWith("220")
                || !replies.get(1).get(0).startsWith("250")) {
            return null;
        }
        return replies.get(1).stream()
                .skip(1)
                .anyMatch(line -> line.substring(4).strip().equalsIgnoreCase("STARTTLS"));
    }

    /** The complete replies. */
    private static List<List<String>> replies(Buffer data) {
        String received = data.toString(StandardCharsets.ISO_8859_1);
        List<List<String>> replies = new ArrayList<>();
        ReplyReader reader = new ReplyReader();
        int start = 0;
        for (int end = received.indexOf('\n'); end >= 0; end = received.indexOf('\n', start)) {
            List<String> reply = reader.add(received.substring(start, end).stripTrailing());
            start = end + 1;
            if (reply != null) {
                replies.add(reply);
            }
        }
        return replies;
    }
}
