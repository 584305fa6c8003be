package dev.plumbline.probe.starttls;

import dev.plumbline.probe.smtp.ReplyReader;
import java.util.List;
import java.util.regex.Pattern;

/** STARTTLS of SMTP (RFC 3207, RFC 5321). */
final class SmtpDialog extends StartTlsDialog {
    /** The start of a reply with a valid code. */
    static final Pattern REPLY = Pattern.compile("[2-5][0-9]{2}[ -].*", Pattern.DOTALL);

    private final ReplyReader reader = new ReplyReader();
    private int replies;

    @Override
    Step receive(String unit) {
        List<String> reply = reader.add(unit);
        if (reply == null) {
            return Step.WAIT;
        }
        String text = String.join("\n", reply);
        if (!REPLY.matcher(text).matches()) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, text);
        }
        return switch (replies++) {
            case 0 -> {
                setBanner(reply);
                yield text.startsWith("220")
                        ? Step.send("EHLO plumbline.invalid\r\n")
                        : Step.end(Step.Kind.REJECTED, text);
            }
            case 1 ->
                text.startsWith("250")
                        ? offer(
                                reply.stream().skip(1).anyMatch(line -> line.substring(4)
                                        .strip()
                                        .equalsIgnoreCase("STARTTLS")),
                                "STARTTLS\r\n")
                        : Step.end(Step.Kind.REJECTED, text);
            default -> text.startsWith("220") ? startTls() : Step.end(Step.Kind.REFUSED, text);
        };
    }
}
