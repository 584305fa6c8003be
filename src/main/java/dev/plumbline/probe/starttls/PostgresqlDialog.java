package dev.plumbline.probe.starttls;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SSLRequest of PostgreSQL (frontend/backend protocol, sections "SSL Session Encryption" and "Message Formats"). Its
 * units are the response of one byte, and the rest of an error message after that byte.
 */
final class PostgresqlDialog extends StartTlsDialog {
    /** The length of the request and the code 80877103. */
    private static final String SSL_REQUEST = ofHex("0000000804d2162f");

    /** The text of an error: the field M. */
    private static final Pattern MESSAGE = Pattern.compile("\0M([^\0]*)\0");

    private boolean failed;
    private int received;
    private int length;

    @Override
    boolean binary() {
        return true;
    }

    @Override
    String opening() {
        return SSL_REQUEST;
    }

    @Override
    String closing() {
        return "";
    }

    @Override
    boolean endsUnit(char next) {
        if (!failed) {
            return true;
        }
        if (received++ < Integer.BYTES) {
            length = length << Byte.SIZE | next;
            return received == Integer.BYTES && !isPlausible();
        }
        return received >= length;
    }

    /** Whether the length, which counts itself, can be that of an error message. */
    private boolean isPlausible() {
        return length > Integer.BYTES && length < StartTlsSession.MAX_BYTES;
    }

    /**
     * A server sends one byte and waits for the client. Bytes after it can be messages that were injected (a type and a
     * length). Others are those of a server of another protocol that sends first, for example {@code SSH-2.0}.
     */
    @Override
    Step receive(String unit, String rest) {
        boolean foreign = !failed && !rest.isEmpty() && (unit.equals("S") || unit.equals("N")) && !isMessage(rest);
        return foreign ? Step.end(Step.Kind.OTHER_PROTOCOL, unit) : receive(unit);
    }

    private static boolean isMessage(String bytes) {
        if (bytes.length() <= Integer.BYTES) {
            return false;
        }
        int announced = 0;
        for (int i = 1; i <= Integer.BYTES; i++) {
            announced = announced << Byte.SIZE | bytes.charAt(i);
        }
        return announced >= Integer.BYTES && announced < StartTlsSession.MAX_BYTES;
    }

    @Override
    Step receive(String unit) {
        if (failed) {
            Matcher message = MESSAGE.matcher(unit);
            return isPlausible()
                    ? Step.end(Step.Kind.REJECTED, message.find() ? message.group(1) : "error without a message")
                    : Step.end(Step.Kind.OTHER_PROTOCOL, 'E' + unit);
        }
        return switch (unit) {
            case "S" -> startTls();
            case "N" -> notOffered();
            case "E" -> {
                failed = true;
                yield Step.WAIT;
            }
            default -> Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        };
    }
}
