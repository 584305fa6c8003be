package dev.plumbline.dns;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DNSInput;
import org.xbill.DNS.Header;
import org.xbill.DNS.Name;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Converts the tags of the CAA records of a message to lower case. Their case is not significant (RFC 8659 section
 * 4.1), but dnsjava rejects messages with upper-case tags.
 */
final class CaaTagCase {
    private CaaTagCase() {}

    /** A copy of the message with lower-case tags; null if it has no upper-case tag or is malformed. */
    static byte @Nullable [] normalize(byte[] message) {
        byte[] copy = message.clone();
        boolean changed = false;
        try {
            Header header = new Header(message);
            DNSInput input = new DNSInput(copy);
            input.jump(Header.LENGTH);
            for (int i = 0; i < header.getCount(Section.QUESTION); i++) {
                new Name(input);
                input.readByteArray(4);
            }
            int records = header.getCount(Section.ANSWER)
                    + header.getCount(Section.AUTHORITY)
                    + header.getCount(Section.ADDITIONAL);
            for (int i = 0; i < records; i++) {
                new Name(input);
                int type = input.readU16();
                input.readByteArray(6);
                int length = input.readU16();
                if (type == Type.CAA) {
                    changed |= lowerTag(copy, input.current() + 1);
                }
                input.readByteArray(length);
            }
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException malformed) {
            return null;
        }
        return changed ? copy : null;
    }

    /** @param start the index of the length of the tag */
    private static boolean lowerTag(byte[] data, int start) {
        boolean changed = false;
        for (int i = start + 1; i <= start + Byte.toUnsignedInt(data[start]); i++) {
            if (data[i] >= 'A' && data[i] <= 'Z') {
                data[i] = (byte) (data[i] + 'a' - 'A');
                changed = true;
            }
        }
        return changed;
    }
}
