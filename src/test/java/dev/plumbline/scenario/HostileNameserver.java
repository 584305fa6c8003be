package dev.plumbline.scenario;

import dev.plumbline.lab.DnsLab;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * Responds to queries for every name with the largest response that DNS permits, over TCP. Every second response over
 * TCP is delayed, so that checks hold the others. Names that start with {@code h} have one address.
 */
final class HostileNameserver implements DnsLab.Behavior {
    private static final int MAX_RESPONSE_BYTES = 65_000;
    private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);
    private static final byte[] QUESTION_NAME = {(byte) 0xc0, 12};

    private final byte[] address;
    private final Map<String, byte[]> answers = new ConcurrentHashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    /** @param address of the other hostile servers */
    HostileNameserver(byte[] address) {
        this.address = address.clone();
    }

    @Override
    public byte[] reply(Message query, Message standard, DnsLab.Transport transport, int count) {
        byte[] request = query.toWire();
        Name name = query.getQuestion().getName();
        int type = query.getQuestion().getType();
        boolean single = isAddress(type) && name.toString().matches("(?i)(h|mta-sts|www|m|n).*");
        if (transport == DnsLab.Transport.UDP && !single && hasRecords(type)) {
            return message(request, name, true, new byte[0], 0);
        }
        if (!hasRecords(type)) {
            return message(request, name, false, new byte[0], 0);
        }
        if (transport == DnsLab.Transport.TCP && isDelayed(name)) {
            LockSupport.parkNanos(DELAY_NANOS);
        }
        byte[] answer = answers.computeIfAbsent(
                (single ? "single " : text(name, type)) + Type.string(type),
                key -> single ? record(type, address) : records(type, i -> data(name, type, i)));
        return message(request, name, false, answer, ByteBuffer.wrap(answer).getInt());
    }

    /** Every second query below the same domain. */
    private synchronized boolean isDelayed(Name name) {
        String domain = name.labels() < 3 ? name.toString() : new Name(name, name.labels() - 4).toString();
        return counts.merge(domain, 1, Integer::sum) % 2 == 0;
    }

    private static boolean isAddress(int type) {
        return type == Type.A;
    }

    private static boolean hasRecords(int type) {
        return switch (type) {
            case Type.A,
                    Type.MX,
                    Type.NS,
                    Type.TXT,
                    Type.CAA,
                    Type.PTR,
                    Type.TLSA,
                    Type.SRV,
                    Type.DNSKEY,
                    Type.DS,
                    Type.SOA -> true;
            default -> false;
        };
    }

    /** The content of the TXT records of a name. */
    private static String text(Name name, int type) {
        if (type != Type.TXT) {
            return "";
        }
        String label = name.toString().toLowerCase(java.util.Locale.ROOT);
        if (label.startsWith("_dmarc.")) {
            return "v=DMARC1; p=none; rua=";
        }
        if (label.contains("._domainkey.")) {
            return "v=DKIM1; k=rsa; p=";
        }
        if (label.startsWith("_smtp._tls.")) {
            return "v=TLSRPTv1; rua=";
        }
        if (label.startsWith("_mta-sts.")) {
            return "v=STSv1; id=1;";
        }
        if (label.contains("._bimi.")) {
            return "v=BIMI1; l=https://" + "hbimi.held.test/logo.svg; a=";
        }
        return "v=spf1 include:a.%1$s include:b.%1$s include:c.%1$s ip4:192.0.2.1 ";
    }

    private byte[] data(Name name, int type, int number) {
        return switch (type) {
            case Type.A -> new byte[] {127, address[1], (byte) (number >> 8), (byte) number};
            case Type.MX -> joined(new byte[] {0, 10}, label("m" + number));
            case Type.SRV -> joined(new byte[] {0, 0, 0, 0, 0, 25}, label("m" + number));
            case Type.NS, Type.PTR -> label("n" + number);
            case Type.CAA ->
                joined(new byte[] {0, 5}, ("issue" + "ca" + number + ".test").getBytes(StandardCharsets.US_ASCII));
            case Type.TLSA -> joined(new byte[] {3, 0, 0}, filled(1_000, number));
            case Type.DNSKEY -> joined(new byte[] {1, 1, 3, 8, 3, 1, 0, 1}, filled(256, number));
            case Type.DS -> joined(new byte[] {0, (byte) number, 8, 2}, filled(32, number));
            case Type.SOA ->
                number > 0
                        ? null
                        : joined(label("n0"), label("host"), new byte[] {
                            0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0
                        });
            default -> number > 0 ? null : strings(text(name, type).formatted("x" + number + ".held.test"));
        };
    }

    /** One TXT record with as many strings as possible. */
    private static byte[] strings(String start) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        byte[] text = (start + "mailto:a@b.test,".repeat(4_100)).getBytes(StandardCharsets.US_ASCII);
        for (int from = 0; from < text.length && data.size() < MAX_RESPONSE_BYTES - 600; from += 250) {
            int length = Math.min(250, text.length - from);
            data.write(length);
            data.write(text, from, length);
        }
        return data.toByteArray();
    }

    /** A name below the question. */
    private static byte[] label(String label) {
        byte[] text = label.getBytes(StandardCharsets.US_ASCII);
        return joined(new byte[] {(byte) text.length}, text, QUESTION_NAME);
    }

    private static byte[] filled(int length, int number) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0x5a);
        bytes[0] = (byte) (0x80 | number);
        bytes[1] = (byte) (number >> 8);
        bytes[length - 1] = 1;
        return bytes;
    }

    /** The number of records (four bytes) and the records. */
    private static byte[] records(int type, IntFunction<byte[]> data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int count = 0;
        while (out.size() < MAX_RESPONSE_BYTES) {
            byte[] next = data.apply(count);
            if (next == null || out.size() + next.length + 12 > MAX_RESPONSE_BYTES) {
                break;
            }
            out.writeBytes(record(type, next, 0));
            count++;
        }
        return joined(ByteBuffer.allocate(4).putInt(count).array(), out.toByteArray());
    }

    private static byte[] record(int type, byte[] data) {
        return joined(new byte[] {0, 0, 0, 1}, record(type, data, 0));
    }

    private static byte[] record(int type, byte[] data, int ttl) {
        return ByteBuffer.allocate(12 + data.length)
                .put(QUESTION_NAME)
                .putShort((short) type)
                .putShort((short) 1)
                .putInt(ttl)
                .putShort((short) data.length)
                .put(data)
                .array();
    }

    private static byte[] message(byte[] request, Name name, boolean truncated, byte[] answer, int count) {
        byte[] question = Arrays.copyOfRange(request, 12, 12 + name.length() + 4);
        ByteBuffer out = ByteBuffer.allocate(12 + question.length + Math.max(0, answer.length - 4));
        out.put(request, 0, 2);
        // response, authoritative, recursion desired and available
        out.putShort((short) (0x8580 | (truncated ? 0x0200 : 0)));
        out.putShort((short) 1).putShort((short) count).putInt(0);
        out.put(question);
        if (answer.length > 4) {
            out.put(answer, 4, answer.length - 4);
        }
        return out.array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
