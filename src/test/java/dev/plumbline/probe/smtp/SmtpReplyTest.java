package dev.plumbline.probe.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.sun.management.ThreadMXBean;
import io.vertx.core.buffer.Buffer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SmtpReplyTest {
    @Provide
    Arbitrary<String> replies() {
        return Arbitraries.of("220", "250", "2", "5", "-", " ", "\r\n", "\n", "\r", "\u0000", "é", "STARTTLS", "X=1")
                .list()
                .ofMaxSize(60)
                .map(parts -> String.join("", parts));
    }

    /** For any data in any fragments, the script sends only complete commands and then closes. */
    @Property(tries = 500)
    void sendsOnlyItsOwnCommands(@ForAll("replies") String data) {
        SmtpGreetingScript script = new SmtpGreetingScript();
        StringBuilder sent = new StringBuilder();
        for (int end = 0; end <= data.length(); end++) {
            Buffer reply = script.next(Buffer.buffer(data.substring(0, end)));
            if (reply == null) {
                break;
            }
            sent.append(reply);
        }

        assertThat(sent.toString())
                .matches("(EHLO plumbline\\.invalid\r\n(HELO plumbline\\.invalid\r\n)?)?(QUIT\r\n)?");
        SmtpSession session = script.session();
        assertThat(session.offersTls() != null).isEqualTo(session.established());
        assertThat(session.extensions()).noneMatch(String::isEmpty);
    }

    @Property(tries = 500)
    void readsAnyBytes(@ForAll byte[] data) {
        for (SmtpReply reply : SmtpReply.readAll(Buffer.buffer(data))) {
            assertThat(reply.code()).satisfiesAnyOf(code -> assertThat(code).isZero(), code -> assertThat(code)
                    .isBetween(200, 599));
            assertThat(reply.texts()).hasSameSizeAs(reply.lines());
            assertThat(reply.text()).doesNotContain("\r", "\u0000", "\u001b");
        }
    }

    /** A reply that does not end and arrives byte by byte. The memory shows whether earlier bytes are read again. */
    @Example
    void readsEachByteOnce() {
        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        SmtpGreetingScript script = new SmtpGreetingScript();
        byte[] line = "220-\n".getBytes(StandardCharsets.US_ASCII);
        Buffer received = Buffer.buffer(4 * 1024);
        long before = memory.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 4 * 1024; i++) {
            script.next(received.appendByte(line[i % line.length]));
        }

        assertThat(memory.getCurrentThreadAllocatedBytes() - before).isLessThan(2L << 20);
    }

    @Example
    void readsOneMegabyteInTime() {
        for (String part : List.of("2", "220-\r\n", "\n", "220 a\r\n", "é")) {
            Buffer data = Buffer.buffer(part.repeat((1 << 20) / part.length()));
            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> SmtpReply.readAll(data));
        }
    }

    /** RFC 5321 section 4.2.1. */
    @Example
    void readsMultilineReplies() {
        List<SmtpReply> replies = SmtpReply.readAll(Buffer.buffer("250-First line\r\n250-Second line\r\n"
                + "250-234 Text beginning with numbers\r\n250 The last line\r\n220\r\n"));

        assertThat(replies).extracting(SmtpReply::code).containsExactly(250, 220);
        assertThat(replies.get(0).texts())
                .containsExactly("First line", "Second line", "234 Text beginning with numbers", "The last line");
    }
}
