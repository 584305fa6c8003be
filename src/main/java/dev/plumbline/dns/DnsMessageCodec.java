package dev.plumbline.dns;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Encodes queries, and decodes responses and matches them to their query (RFC 1035 section 4, RFC 5452 section 9). */
final class DnsMessageCodec {
    /** The UDP payload size that queries advertise (RFC 9715: avoids fragmentation). */
    static final int UDP_PAYLOAD = 1232;

    private static final int HEADER_BYTES = 12;
    private static final int MAX_POINTER_HOPS = 20;

    /** The size of a record with the root name and no data: name, type, class, TTL and length. */
    private static final int MIN_RECORD_BYTES = 11;

    /** The flags RD (RFC 1035 section 4.1.1) and AD (RFC 4035 section 3.2.3). */
    private static final int RECURSION_DESIRED_AND_AUTHENTIC_DATA = 0x0120;

    /** The flag CD (RFC 4035 section 3.2.2). */
    private static final int CHECKING_DISABLED = 0x0010;

    /** The flag DO of an OPT record (RFC 3225 section 3). */
    private static final int DNSSEC_OK = 0x8000;

    /** The size of an OPT record without options. */
    private static final int OPT_BYTES = 11;

    private DnsMessageCodec() {}

    /**
     * Encodes a query with the name in lower case. The AD bit is set in queries to resolvers (RFC 6840 section 5.7).
     */
    static byte[] query(Record question, int id, DnsQuestion.Flags flags) {
        byte[] name = question.getName().toWireCanonical();
        ByteBuffer query = ByteBuffer.allocate(HEADER_BYTES + name.length + 4 + (flags.edns() ? OPT_BYTES : 0));
        int bits = flags.recursionDesired() ? RECURSION_DESIRED_AND_AUTHENTIC_DATA : 0;
        query.putShort((short) id).putShort((short) (flags.checkingDisabled() ? bits | CHECKING_DISABLED : bits));
        query.putShort((short) 1).putInt(0).putShort((short) (flags.edns() ? 1 : 0));
        query.put(name).putShort((short) question.getType()).putShort((short) question.getDClass());
        if (flags.edns()) {
            query.put((byte) 0).putShort((short) Type.OPT).putShort((short) UDP_PAYLOAD);
            query.putInt(flags.dnssecOk() ? DNSSEC_OK : 0).putShort((short) 0);
        }
        return query.array();
    }

    /** The ID of a message; -1 if it is shorter than a header. */
    static int id(byte[] bytes) {
        return bytes.length < HEADER_BYTES ? -1 : unsignedShort(bytes, 0);
    }

    /** Whether the header is that of a response to the query with this ID. */
    static boolean isResponseTo(byte[] bytes, int id) {
        return id(bytes) == id && id >= 0 && (bytes[2] & 0x80) != 0 && (bytes[2] & 0x78) == 0;
    }

    /**
     * Decodes a message. Only the header and question of a truncated response are decoded.
     *
     * @return null if it is malformed
     */
    static @Nullable Message parse(byte[] bytes) {
        if (bytes.length < HEADER_BYTES || unsignedShort(bytes, 4) > 1) {
            return null;
        }
        byte[] decoded = bytes;
        if ((bytes[2] & 0x02) != 0) {
            decoded = bytes.clone();
            Arrays.fill(decoded, 6, HEADER_BYTES, (byte) 0);
        } else {
            int records = unsignedShort(bytes, 6) + unsignedShort(bytes, 8) + unsignedShort(bytes, 10);
            if (HEADER_BYTES + records * MIN_RECORD_BYTES > bytes.length || hasPointerChain(bytes)) {
                return null;
            }
        }
        Message message = decode(decoded);
        byte[] normalized = message == null ? CaaTagCase.normalize(decoded) : null;
        return normalized == null ? message : decode(normalized);
    }

    private static @Nullable Message decode(byte[] bytes) {
        try {
            return new Message(bytes);
        } catch (IOException | RuntimeException malformed) {
            return null;
        }
    }

    /**
     * Whether compression pointers (RFC 1035 section 4.1.4) form a chain of more than {@value #MAX_POINTER_HOPS}, which
     * takes quadratic time to decode. No encoder produces such chains; bytes that are not names look like one only by
     * chance.
     */
    private static boolean hasPointerChain(byte[] message) {
        byte[] hops = new byte[message.length];
        for (int offset = HEADER_BYTES; offset + 1 < message.length; offset++) {
            if ((message[offset] & 0xc0) == 0xc0) {
                int target = (message[offset] & 0x3f) << 8 | message[offset + 1] & 0xff;
                hops[offset] = target < offset ? (byte) (hops[target] + 1) : 1;
                if (hops[offset] > MAX_POINTER_HOPS) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a response has the question of the query. An error response may omit it. */
    static boolean matches(Message response, Record question) {
        Record echoed = response.getQuestion();
        if (echoed == null) {
            int rcode = response.getHeader().getRcode();
            return rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN;
        }
        return echoed.getType() == question.getType()
                && echoed.getDClass() == question.getDClass()
                && echoed.getName().equals(question.getName());
    }

    private static int unsignedShort(byte[] bytes, int offset) {
        return (bytes[offset] & 0xff) << 8 | bytes[offset + 1] & 0xff;
    }
}
