package dev.plumbline.probe.starttls;

import dev.plumbline.target.PrintableText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plaintext part of a connection, from the greeting to the response to the STARTTLS command. Performs no I/O. Its
 * units are lines, or the tags of an XML stream.
 */
abstract class StartTlsDialog {
    private static final int MAX_BANNER_CHARACTERS = 1_024;

    private @Nullable String banner;
    private @Nullable Boolean offered;

    /**
     * The reaction to a unit.
     *
     * @param text the data to send, or the response that ended the dialog
     */
    record Step(Kind kind, String text) {
        static final Step WAIT = new Step(Kind.SEND, "");

        enum Kind {
            /** Send the text, if it is not empty, and wait for the next unit. */
            SEND,
            /** The server accepted the command. Start the TLS handshake. */
            START_TLS,
            /** The dialog ended. */
            NOT_OFFERED,
            REFUSED,
            REJECTED,
            OTHER_PROTOCOL
        }

        static Step send(String data) {
            return new Step(Kind.SEND, data);
        }

        static Step end(Kind kind, String response) {
            return new Step(kind, PrintableText.lines(response).replace('\n', ' '));
        }
    }

    /** The data that the client sends first. */
    String opening() {
        return "";
    }

    /** The data that closes a connection without TLS. */
    String closing() {
        return "QUIT\r\n";
    }

    /** Handles the next unit. Not called again after a step that is not {@link Step.Kind#SEND}. */
    abstract Step receive(String unit);

    /** Whether a unit ends with this character. */
    boolean endsUnit(char next) {
        return next == '\n';
    }

    /** The greeting; null if it was not received or the protocol does not have one. */
    @Nullable
    String banner() {
        return banner;
    }

    /** Whether the server supports STARTTLS; null if unknown. */
    @Nullable
    Boolean offered() {
        return offered;
    }

    void setBanner(List<String> lines) {
        String text = String.join("\n", lines).strip();
        banner = PrintableText.lines(text.substring(0, Math.min(text.length(), MAX_BANNER_CHARACTERS)));
    }

    /**
     * Continues with the command if the server supports it.
     *
     * @param command the data to send
     */
    Step offer(boolean listed, String command) {
        offered = listed;
        return listed ? Step.send(command) : Step.end(Step.Kind.NOT_OFFERED, "");
    }

    Step startTls() {
        offered = true;
        return new Step(Step.Kind.START_TLS, "");
    }

    /** The server rejected a command that it does not support. */
    Step notOffered() {
        offered = false;
        return Step.end(Step.Kind.NOT_OFFERED, "");
    }
}
