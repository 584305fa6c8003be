package dev.plumbline.dns;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Queries as bytes, and bytes as answers that belong to their query (RFC 1035 §4, RFC 5452 §9). */
final class DnsMessageCodec {
    /** What we take over UDP (RFC 9715: fits every path without fragments). */
    static final int UDP_PAYLOAD = 1232;

    private static final int HEADER = 12;
    private static final int MOST_HOPS = 20;

    /** The least that a record takes: the root's name, type, class, time to live and length. */
    private static final int SMALLEST_RECORD = 11;

    /** RFC 1035 section 4.1.1 and RFC 4035 section 3.2.3. */
    private static final short RECURSION_DESIRED_AND_AUTHENTIC_DATA = 0x0120;

    /** An OPT record without options, in bytes. */
    private static final int EMPTY_OPT = 11;

    private DnsMessageCodec() {}

    /**
     * One query, which asks to be told of validation (RFC 6840 §5.7); with EDNS (RFC 6891) unless the
     * server does not know it. Its name is in lower case.
     */
    static byte[] query(Record question, int id, boolean edns) {
        byte[] name = question.getName().toWireCanonical();
        ByteBuffer query = ByteBuffer.allocate(HEADER + name.length + 4 + (edns ? EMPTY_OPT : 0));
        query.putShort((short) id).putShort(RECURSION_DESIRED_AND_AUTHENTIC_DATA);
        query.putShort((short) 1).putInt(0).putShort((short) (edns ? 1 : 0));
        query.put(name).putShort((short) question.getType()).putShort((short) question.getDClass());
        if (edns) {
            query.put((byte) 0).putShort((short) Type.OPT).putShort((short) UDP_PAYLOAD);
            query.putInt(0).putShort((short) 0);
        }
        return query.array();
    }

    /** The id of a message, -1 of less than a header. */
    static int id(byte[] bytes) {
        return bytes.length < HEADER ? -1 : unsignedShort(bytes, 0);
    }

    /** Whether the bytes claim to be the answer to the query of this id. */
    static boolean claimsToAnswer(byte[] bytes, int id) {
        return id(bytes) == id && id >= 0 && (bytes[2] & 0x80) != 0 && (bytes[2] & 0x78) == 0;
    }

    /** The message, null when the bytes are none. */
    static @Nullable Message parse(byte[] bytes) {
        if (bytes.length < HEADER || unsignedShort(bytes, 4) > 1) {
            return null;
        }
        boolean truncated = (bytes[2] & 0x02) != 0;
        if (truncated) {
            return headerAndQuestion(bytes);
        }
        int records = unsignedShort(bytes, 6) + unsignedShort(bytes, 8) + unsignedShort(bytes, 10);
        if (HEADER + records * SMALLEST_RECORD > bytes.length) {
            return null;
        }
        if (leadsOnAndOn(bytes)) {
            return null;
        }
        try {
            return new Message(bytes);
        } catch (IOException | RuntimeException malformed) {
            return null;
        }
    }

    /**
     * Whether pointers point at pointers (RFC 1035 section 4.1.4) so often that to follow them for
     * each of many names takes long; whoever packs names to save room never does it. It may be found
     * in bytes that are no names, too, but hardly by chance.
     */
    private static boolean leadsOnAndOn(byte[] message) {
        byte[] hops = new byte[message.length];
        for (int at = HEADER; at + 1 < message.length; at++) {
            if ((message[at] & 0xc0) == 0xc0) {
                int to = (message[at] & 0x3f) << 8 | message[at + 1] & 0xff;
                hops[at] = to < at ? (byte) (hops[to] + 1) : 1;
                if (hops[at] > MOST_HOPS) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A truncated answer is asked for again over TCP: what it holds beyond its question is moot. */
    private static @Nullable Message headerAndQuestion(byte[] bytes) {
        byte[] head = bytes.clone();
        Arrays.fill(head, 6, HEADER, (byte) 0);
        try {
            return new Message(head);
        } catch (IOException | RuntimeException malformed) {
            return null;
        }
    }

    /** An answer repeats the question; one that only says that something failed may leave it out. */
    static boolean belongs(Message answer, Record question) {
        Record repeated = answer.getQuestion();
        if (repeated == null) {
            int rcode = answer.getHeader().getRcode();
            return rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN;
        }
        return repeated.getType() == question.getType()
                && repeated.getDClass() == question.getDClass()
                && repeated.getName().equals(question.getName());
    }

    private static int unsignedShort(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }
}
