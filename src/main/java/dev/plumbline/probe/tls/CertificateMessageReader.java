package dev.plumbline.probe.tls;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the certificates in a server's response to a {@link ClientHello} of TLS 1.2 or older, which sends them
 * unencrypted (RFC 5246 section 7.4.2). Bounded memory for any input.
 */
final class CertificateMessageReader {
    private static final int MAX_BYTES = 2 * TlsClientOptions.MAX_CERTIFICATE_BYTES;
    private static final int RECORD_HEADER = 5;
    private static final int MESSAGE_HEADER = 4;
    private static final int LENGTH_BYTES = 3;
    private static final int HANDSHAKE = 22;
    private static final int CERTIFICATE = 11;

    private final Buffer records = Buffer.buffer();
    private final Buffer messages = Buffer.buffer();
    private int recordsRead;
    private int messagesRead;

    /** The encoded certificates, the leaf first; empty if the response does not contain any; null until it is known. */
    @Nullable
    List<byte[]> read(Buffer bytes) {
        records.appendBuffer(bytes);
        while (records.length() - recordsRead >= RECORD_HEADER) {
            int end = recordsRead + RECORD_HEADER + records.getUnsignedShort(recordsRead + LENGTH_BYTES);
            if (end > MAX_BYTES || records.getUnsignedByte(recordsRead) != HANDSHAKE) {
                return List.of();
            }
            if (records.length() < end) {
                return null;
            }
            messages.appendBuffer(records, recordsRead + RECORD_HEADER, end - recordsRead - RECORD_HEADER);
            recordsRead = end;
            List<byte[]> found = readMessages();
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable List<byte[]> readMessages() {
        while (messages.length() - messagesRead >= MESSAGE_HEADER) {
            int body = messagesRead + MESSAGE_HEADER;
            int end = body + messages.getUnsignedMedium(messagesRead + 1);
            if (messages.length() < end) {
                return null;
            }
            if (messages.getUnsignedByte(messagesRead) == CERTIFICATE) {
                return certificates(body + LENGTH_BYTES, end);
            }
            messagesRead = end;
        }
        return null;
    }

    private List<byte[]> certificates(int start, int end) {
        List<byte[]> found = new ArrayList<>();
        int position = start;
        while (position + LENGTH_BYTES <= end) {
            int next = position + LENGTH_BYTES + messages.getUnsignedMedium(position);
            if (next > end) {
                return List.of();
            }
            found.add(messages.getBytes(position + LENGTH_BYTES, next));
            position = next;
        }
        return found;
    }
}
