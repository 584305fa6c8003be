package dev.plumbline.probe.smtp;

import dev.plumbline.probe.tcp.TcpProbe;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the greeting of a mail server, sends EHLO, or HELO if the server does not support EHLO, and sends QUIT (RFC
 * 5321). Never starts a mail transaction. For one exchange.
 */
public final class SmtpGreetingScript implements TcpProbe.Script {
    private static final String NAME = "plumbline.invalid\r\n";

    /** RFC 5321 section 3.2: a server that does not support EHLO is used with HELO. */
    private static final Set<Integer> UNKNOWN_COMMAND = Set.of(500, 501, 502, 504);

    private final SmtpReply.Reader replyReader = new SmtpReply.Reader();
    private @Nullable Long connectedNanos;
    private int handledReplies;
    private @Nullable SmtpReply greeting;
    private @Nullable SmtpReply hello;
    private @Nullable Double greetingMs;
    private boolean extended = true;
    private boolean quit;
    private boolean unsolicited;

    /** The session so far. */
    public SmtpSession session() {
        return new SmtpSession(greeting, hello, extended, greetingMs, unsolicited);
    }

    @Override
    public @Nullable Buffer next(Buffer received) {
        if (connectedNanos == null) {
            connectedNanos = System.nanoTime();
        }
        List<SmtpReply> replies = replyReader.read(received);
        if (replies.size() <= handledReplies) {
            return Buffer.buffer();
        }
        SmtpReply reply = replies.get(handledReplies++);
        if (quit) {
            return null;
        }
        if (replies.size() > handledReplies) {
            unsolicited = true;
        }
        if (greeting == null) {
            greetingMs = (System.nanoTime() - connectedNanos) / 1e6;
            greeting = reply;
            return reply.code() == 220 && !unsolicited ? Buffer.buffer("EHLO " + NAME) : quit(reply);
        }
        if (hello != null) {
            extended = false;
        }
        hello = reply;
        return extended && UNKNOWN_COMMAND.contains(reply.code()) && !unsolicited
                ? Buffer.buffer("HELO " + NAME)
                : quit(reply);
    }

    private @Nullable Buffer quit(SmtpReply reply) {
        quit = true;
        return reply.code() == 0 || unsolicited ? null : Buffer.buffer("QUIT\r\n");
    }
}
