package dev.plumbline.probe.starttls;

import java.util.List;
import java.util.Locale;

/** STARTTLS of IMAP (RFC 9051 section 6.2.1). */
final class ImapDialog extends StartTlsDialog {
    private boolean greeted;
    private boolean listed;
    private boolean commandSent;

    @Override
    Step receive(String unit) {
        String line = unit.toUpperCase(Locale.ROOT);
        if (!greeted) {
            return greet(unit, line);
        }
        String tag = commandSent ? "A2 " : "A1 ";
        if (line.startsWith(tag)) {
            boolean ok = line.startsWith("OK", tag.length());
            if (commandSent) {
                return ok ? startTls() : Step.end(Step.Kind.REFUSED, unit);
            }
            commandSent = true;
            return ok ? offer(listed, "a2 STARTTLS\r\n") : Step.end(Step.Kind.REJECTED, unit);
        }
        if (line.startsWith("* CAPABILITY ") && !commandSent) {
            listed = List.of(line.split(" ")).contains("STARTTLS");
        }
        if (line.startsWith("* BYE")) {
            return Step.end(Step.Kind.REJECTED, unit);
        }
        return line.startsWith("* ") ? Step.WAIT : Step.end(Step.Kind.OTHER_PROTOCOL, unit);
    }

    private Step greet(String unit, String line) {
        if (line.startsWith("* OK")) {
            greeted = true;
            setBanner(List.of(unit));
            return Step.send("a1 CAPABILITY\r\n");
        }
        // STARTTLS is not allowed in the authenticated state
        boolean rejected = line.startsWith("* BYE") || line.startsWith("* PREAUTH");
        if (rejected) {
            setBanner(List.of(unit));
        }
        return Step.end(rejected ? Step.Kind.REJECTED : Step.Kind.OTHER_PROTOCOL, unit);
    }

    @Override
    String closing() {
        return "a3 LOGOUT\r\n";
    }
}
