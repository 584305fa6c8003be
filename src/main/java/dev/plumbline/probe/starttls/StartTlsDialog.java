package dev.plumbline.probe.starttls;

import dev.plumbline.target.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plaintext part of a connection, from the greeting to the response to the STARTTLS command. Performs no I/O. Its
 * units are lines, the tags of an XML stream, or the messages of a binary protocol.
 */
abstract class StartTlsDialog {
    private static final int MAX_BANNER_CHARACTERS = 1_024;

    private @Nullable String banner;
    private @Nullable Boolean offered;

    /**
     * The reaction to a unit.
     *
     * @param text the data to send, also before the TLS handshake, or the response that ended the dialog
     */
    record Step(Kind kind, String text) {
        static final Step WAIT = new Step(Kind.SEND, "");

        enum Kind {
            /** Send the text, if it is not empty, and wait for the next unit. */
            SEND,
            /** The server accepts the command. Send the text, if it is not empty, and start the TLS handshake. */
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

    /** Whether units and sent data have one character (U+0000 to U+00FF) for each byte. They are UTF-8 otherwise. */
    boolean binary() {
        return false;
    }

    /** The text of a binary message. */
    static String ofHex(String bytes) {
        return new String(HexFormat.of().parseHex(bytes), StandardCharsets.ISO_8859_1);
    }

    /** The data that the client sends first. */
    String opening() {
        return "";
    }

    /** The data that closes a connection without TLS; empty if there is none. */
    String closing() {
        return "QUIT\r\n";
    }

    /** Handles the next unit. Not called again after a step that is not {@link Step.Kind#SEND}. */
    abstract Step receive(String unit);

    /**
     * Handles the next unit, as {@link #receive(String)}.
     *
     * @param rest the first bytes that arrived together with the unit, after it; can be empty
     */
    Step receive(String unit, String rest) {
        return receive(unit);
    }

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
        return startTls("");
    }

    /** @param request the data to send before the handshake, without a response */
    Step startTls(String request) {
        offered = true;
        return new Step(Step.Kind.START_TLS, request);
    }

    /** The server rejected a command that it does not support. */
    Step notOffered() {
        offered = false;
        return Step.end(Step.Kind.NOT_OFFERED, "");
    }
}
