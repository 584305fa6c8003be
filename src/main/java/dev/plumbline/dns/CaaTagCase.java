package dev.plumbline.dns;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * Converts the tags of the CAA records of a message to lower case. Their case is not significant (RFC 8659 section
 * 4.1), but dnsjava rejects messages with upper-case tags.
 */
final class CaaTagCase {
    private static final int HEADER_BYTES = 12;
    private static final int POINTER = 0xc0;

    private CaaTagCase() {}

    /** A copy of the message with lower-case tags; null if it has no upper-case tag or is malformed. */
    static byte @Nullable [] normalize(byte[] message) {
        ByteBuffer buffer = ByteBuffer.wrap(message.clone());
        boolean changed = false;
        try {
            int questions = Short.toUnsignedInt(buffer.getShort(4));
            int records = 0;
            for (int section = 6; section < HEADER_BYTES; section += 2) {
                records += Short.toUnsignedInt(buffer.getShort(section));
            }
            buffer.position(HEADER_BYTES);
            for (int i = 0; i < questions; i++) {
                skipName(buffer);
                skip(buffer, 4);
            }
            for (int i = 0; i < records; i++) {
                skipName(buffer);
                int type = Short.toUnsignedInt(buffer.getShort());
                skip(buffer, 6);
                int end = Short.toUnsignedInt(buffer.getShort()) + buffer.position();
                if (type == Type.CAA) {
                    changed |= lowerTag(buffer);
                }
                buffer.position(end);
            }
        } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException malformed) {
            return null;
        }
        return changed ? buffer.array() : null;
    }

    private static boolean lowerTag(ByteBuffer data) {
        skip(data, 1);
        int end = Byte.toUnsignedInt(data.get()) + data.position();
        boolean changed = false;
        for (int i = data.position(); i < end; i++) {
            byte c = data.get(i);
            if (c >= 'A' && c <= 'Z') {
                data.put(i, (byte) (c + ('a' - 'A')));
                changed = true;
            }
        }
        return changed;
    }

    private static void skipName(ByteBuffer buffer) {
        while (true) {
            int length = Byte.toUnsignedInt(buffer.get());
            if (length == 0) {
                return;
            }
            if ((length & POINTER) == POINTER) {
                skip(buffer, 1);
                return;
            }
            skip(buffer, length);
        }
    }

    private static void skip(ByteBuffer buffer, int bytes) {
        buffer.position(buffer.position() + bytes);
    }
}
