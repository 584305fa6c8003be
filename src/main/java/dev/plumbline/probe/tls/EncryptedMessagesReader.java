package dev.plumbline.probe.tls;

import static dev.plumbline.probe.tls.WireReader.slice;
import static dev.plumbline.probe.tls.WireReader.unsignedShort;

import io.vertx.core.buffer.Buffer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;

/** Parses the encrypted messages of a TLS 1.3 server. Linear time for any input. */
final class EncryptedMessagesReader {
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    private static final int APPLICATION_DATA = 23;

    private static final int NEW_SESSION_TICKET = 4;
    private static final int ENCRYPTED_EXTENSIONS = 8;

    private static final int GROUPS_EXTENSION = 10;
    private static final int EARLY_DATA_EXTENSION = 42;
    private static final int CLOSE_NOTIFY = 0;

    private final Buffer handshake = Buffer.buffer();
    private final Buffer afterHandshake = Buffer.buffer();
    private boolean closed;
    private boolean error;

    private EncryptedMessagesReader() {}

    /**
     * Reads the messages.
     *
     * @param received all records of the server
     * @param suite the IANA name of the cipher suite
     * @param handshakeSecret the secret of the messages of the handshake
     * @param applicationSecret the secret of the messages after the handshake
     * @throws GeneralSecurityException if the JDK does not support the cipher suite
     * @throws BufferUnderflowException if a message is malformed
     */
    static EncryptedMessages read(Buffer received, String suite, byte[] handshakeSecret, byte[] applicationSecret)
            throws GeneralSecurityException {
        EncryptedMessagesReader reader = new EncryptedMessagesReader();
        reader.decrypt(
                received, new Tls13Decryptor(suite, handshakeSecret), new Tls13Decryptor(suite, applicationSecret));
        return reader.messages();
    }

    /** A record is of the handshake until the first one that is protected with the other secret. */
    private void decrypt(Buffer received, Tls13Decryptor during, Tls13Decryptor after) throws GeneralSecurityException {
        boolean completed = false;
        int at = 0;
        while (at + Tls13Decryptor.HEADER_BYTES <= received.length()) {
            int end = at + Tls13Decryptor.HEADER_BYTES + received.getUnsignedShort(at + 3);
            if (end > received.length()) {
                return;
            }
            if (received.getUnsignedByte(at) == APPLICATION_DATA) {
                byte[] record = received.getBytes(at, end);
                byte[] content = completed ? null : during.decrypt(record);
                if (content == null) {
                    content = after.decrypt(record);
                    completed |= content != null;
                }
                if (content != null && content.length > 0) {
                    add(content, completed);
                }
            }
            at = end;
        }
    }

    private void add(byte[] content, boolean completed) {
        int length = content.length - 1;
        if (content[length] == HANDSHAKE) {
            (completed ? afterHandshake : handshake).appendBytes(content, 0, length);
        } else if (content[length] == ALERT) {
            boolean close = length == 2 && content[1] == CLOSE_NOTIFY;
            closed |= close && completed;
            error |= !close;
        }
    }

    private EncryptedMessages messages() {
        List<Integer> groups = new ArrayList<>();
        for (ByteBuffer message : messages(handshake, ENCRYPTED_EXTENSIONS)) {
            for (ByteBuffer extensions = slice(message, unsignedShort(message)); extensions.hasRemaining(); ) {
                int type = unsignedShort(extensions);
                ByteBuffer data = slice(extensions, unsignedShort(extensions));
                if (type == GROUPS_EXTENSION) {
                    ByteBuffer codes = slice(data, unsignedShort(data));
                    while (codes.hasRemaining()) {
                        groups.add(unsignedShort(codes));
                    }
                }
            }
        }
        List<ByteBuffer> tickets = messages(afterHandshake, NEW_SESSION_TICKET);
        return new EncryptedMessages(
                groups,
                tickets.size(),
                tickets.stream().anyMatch(EncryptedMessagesReader::permitsEarlyData),
                closed && !error);
    }

    /** Parses a NewSessionTicket (RFC 8446 section 4.6.1). */
    private static boolean permitsEarlyData(ByteBuffer message) {
        slice(message, 8);
        slice(message, message.get() & 0xff);
        slice(message, unsignedShort(message));
        ByteBuffer extensions = slice(message, unsignedShort(message));
        while (extensions.hasRemaining()) {
            int type = unsignedShort(extensions);
            ByteBuffer data = slice(extensions, unsignedShort(extensions));
            if (type == EARLY_DATA_EXTENSION && data.getInt() != 0) {
                return true;
            }
        }
        return false;
    }

    /** The bodies of the complete messages of a type. */
    private static List<ByteBuffer> messages(Buffer stream, int type) {
        List<ByteBuffer> bodies = new ArrayList<>();
        int at = 0;
        while (at + 4 <= stream.length()) {
            int end = at + 4 + stream.getUnsignedMedium(at + 1);
            if (stream.getUnsignedByte(at) == type && end <= stream.length()) {
                bodies.add(ByteBuffer.wrap(stream.getBytes(at + 4, end)));
            }
            at = end;
        }
        return bodies;
    }
}
