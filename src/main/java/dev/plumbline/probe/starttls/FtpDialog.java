package dev.plumbline.probe.starttls;

import dev.plumbline.probe.smtp.ReplyReader;
import java.util.List;

/** AUTH TLS of FTP (RFC 4217). */
final class FtpDialog extends StartTlsDialog {
    private final ReplyReader reader = new ReplyReader();
    private boolean greeted;

    @Override
    Step receive(String unit) {
        List<String> reply = reader.add(unit);
        if (reply == null) {
            return Step.WAIT;
        }
        String text = String.join("\n", reply);
        if (text.startsWith("120") && !greeted) {
            // the server is ready later (RFC 959 section 5.4)
            return Step.WAIT;
        }
        if (!SmtpDialog.REPLY.matcher(text).matches()) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, text);
        }
        if (!greeted) {
            greeted = true;
            setBanner(reply);
            return text.startsWith("220") ? Step.send("AUTH TLS\r\n") : Step.end(Step.Kind.REJECTED, text);
        }
        if (text.startsWith("234")) {
            return startTls();
        }
        // 5xx: the command or its parameter is not supported (RFC 4217 section 4)
        return text.startsWith("5") ? notOffered() : Step.end(Step.Kind.REFUSED, text);
    }
}
