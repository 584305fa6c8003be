package dev.plumbline.probe.starttls;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The start of the connection phase of MySQL and MariaDB (client/server protocol, "Protocol::Handshake" and
 * "Protocol::SSLRequest"). Its unit is the first packet: a length of three bytes, little-endian, a sequence number and
 * the payload. A server does not respond to the request.
 */
final class MysqlDialog extends StartTlsDialog {
    private static final int HEADER_BYTES = 4;
    private static final char PROTOCOL_10 = 10;
    private static final char PROTOCOL_9 = 9;
    private static final char ERROR = 0xff;

    /** Between the version of the server and the capabilities: connection identifier, scramble, filler. */
    private static final int BYTES_BEFORE_CAPABILITIES = 4 + 8 + 1;

    private static final int CLIENT_SSL = 0x800;

    /** Packet 1: the capabilities PROTOCOL_41, SSL and SECURE_CONNECTION, packets of 16 MiB, utf8mb3, filler. */
    private static final String SSL_REQUEST = ofHex("20000001" + "008a0000" + "00000001" + "21" + "00".repeat(23));

    private static final Pattern SQL_STATE = Pattern.compile("\\A#.{5}");

    private int received;
    private int length;

    @Override
    boolean binary() {
        return true;
    }

    @Override
    String closing() {
        return "";
    }

    @Override
    boolean endsUnit(char next) {
        if (received < HEADER_BYTES - 1) {
            length |= next << Byte.SIZE * received;
        }
        received++;
        return received >= HEADER_BYTES && (!isPlausible(next) || received >= HEADER_BYTES + length);
    }

    /** @param sequence the last byte; of the header, the sequence number of the packet, which starts at 0 */
    private boolean isPlausible(char sequence) {
        return length > 0 && length < StartTlsSession.MAX_BYTES && (received > HEADER_BYTES || sequence == 0);
    }

    @Override
    Step receive(String unit) {
        String payload = unit.substring(HEADER_BYTES);
        if (payload.isEmpty()) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        }
        return switch (payload.charAt(0)) {
            case PROTOCOL_10 -> greet(unit, payload);
            // servers before 3.21 do not support TLS
            case PROTOCOL_9 -> notOffered();
            case ERROR -> fail(unit, payload);
            default -> Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        };
    }

    private static Step fail(String unit, String payload) {
        if (payload.length() < 3) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        }
        int code = payload.charAt(1) | payload.charAt(2) << Byte.SIZE;
        // the SQL state is optional in this phase
        return Step.end(
                Step.Kind.REJECTED,
                "error " + code + ": " + SQL_STATE.matcher(payload.substring(3)).replaceFirst(""));
    }

    private Step greet(String unit, String payload) {
        int end = payload.indexOf('\0');
        int capabilities = end + 1 + BYTES_BEFORE_CAPABILITIES;
        if (end < 0 || payload.length() < capabilities + 2) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        }
        setBanner(List.of(payload.substring(1, end)));
        boolean ssl =
                ((payload.charAt(capabilities) | payload.charAt(capabilities + 1) << Byte.SIZE) & CLIENT_SSL) != 0;
        return ssl ? startTls(SSL_REQUEST) : notOffered();
    }
}
