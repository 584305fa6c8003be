package dev.plumbline.probe.tls;

import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the beginning of what a server answers to a {@link ClientHello}, a byte at a time: records,
 * in them handshake messages, of which only the two that tell something are kept. Its time is
 * linear and its memory bounded in whatever it is given, which it never trusts.
 */
final class ServerHelloReader {
    /** More than any chain of certificates before the key exchange. */
    static final int MOST_BYTES = 512 * 1024;

    private static final int MOST_RECORD = 16 * 1024 + 2048;
    private static final int MOST_KEPT = 16 * 1024;
    private static final int BEGINNING = 8;

    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;

    private static final int SERVER_HELLO = 2;
    private static final int SERVER_KEY_EXCHANGE = 12;
    private static final int SERVER_HELLO_DONE = 14;

    private static final int NAMED_CURVE = 3;
    private static final int ALPN_EXTENSION = 16;
    private static final int VERSIONS_EXTENSION = 43;
    private static final int KEY_SHARE_EXTENSION = 51;

    private final boolean keyExchangeWanted;
    private final byte[] head = new byte[5];
    private final byte[] messageHead = new byte[4];
    private final byte[] alert = new byte[2];
    private int received;
    private int headLength;
    private int recordLeft;
    private int messageHeadLength;
    private int messageLeft;
    private int alertLength;
    private byte @Nullable [] kept;
    private int keptLength;
    private @Nullable ServerHelloResult hello;
    private @Nullable ServerHelloResult answer;

    /**
     * @param keyExchangeWanted whether to read on until the key exchange of a version before 1.3
     */
    ServerHelloReader(boolean keyExchangeWanted) {
        this.keyExchangeWanted = keyExchangeWanted;
    }

    /** The answer as soon as it is known; null before. */
    @Nullable
    ServerHelloResult read(byte[] bytes) {
        for (int i = 0; i < bytes.length && answer == null; i++) {
            if (++received > MOST_BYTES) {
                answer = hello == null ? ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED) : hello;
            } else {
                read(bytes[i]);
            }
        }
        return answer;
    }

    /** What is known when nothing more will come, for the reason given. */
    ServerHelloResult atEnd(ServerHelloResult.Kind reason) {
        if (answer != null) {
            return answer;
        }
        return hello == null ? ServerHelloResult.of(reason) : hello;
    }

    private void read(byte next) {
        if (headLength < head.length) {
            head[headLength++] = next;
            if (!startsARecord()) {
                answer = ServerHelloResult.of(
                        received <= BEGINNING ? ServerHelloResult.Kind.NOT_TLS : ServerHelloResult.Kind.MALFORMED);
            } else if (headLength == head.length) {
                recordLeft = unsigned(head[3]) << 8 | unsigned(head[4]);
                if (recordLeft > MOST_RECORD) {
                    answer = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
                } else if (recordLeft == 0) {
                    headLength = 0;
                }
            }
            return;
        }
        if (head[0] == HANDSHAKE) {
            readHandshake(next);
        } else if (head[0] == ALERT) {
            readAlert(next);
        }
        if (--recordLeft == 0) {
            headLength = 0;
        }
    }

    /** Whether the head of a record, as far as it is there, can be one. */
    private boolean startsARecord() {
        boolean type = head[0] == HANDSHAKE || head[0] == ALERT || head[0] == CHANGE_CIPHER_SPEC;
        return type && (headLength < 2 || head[1] == 3);
    }

    private void readAlert(byte next) {
        alert[alertLength++] = next;
        if (alertLength == alert.length) {
            alertLength = 0;
            boolean warning = alert[0] == 1;
            // a warning, as that a name is not known, does not end a handshake (RFC 5246, section 7.2)
            if (!warning || alert[1] == 0) {
                answer = hello == null ? ServerHelloResult.refusal(unsigned(alert[1])) : hello;
            }
        }
    }

    private void readHandshake(byte next) {
        if (messageHeadLength < messageHead.length) {
            messageHead[messageHeadLength++] = next;
            if (messageHeadLength == messageHead.length) {
                messageLeft = unsigned(messageHead[1]) << 16 | unsigned(messageHead[2]) << 8 | unsigned(messageHead[3]);
                beginMessage();
            }
            return;
        }
        if (kept != null) {
            kept[keptLength++] = next;
        }
        if (--messageLeft == 0) {
            endMessage();
        }
    }

    private void beginMessage() {
        int type = messageHead[0];
        if (type == SERVER_HELLO && hello == null || type == SERVER_KEY_EXCHANGE && hello != null) {
            if (messageLeft == 0 || messageLeft > MOST_KEPT) {
                answer = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
                return;
            }
            kept = new byte[messageLeft];
            keptLength = 0;
        } else if (hello == null && type != 0) {
            // nothing but a HelloRequest comes before the ServerHello
            answer = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
        }
        if (messageLeft == 0) {
            endMessage();
        }
    }

    private void endMessage() {
        messageHeadLength = 0;
        byte[] message = kept;
        kept = null;
        if (answer != null) {
            return;
        }
        try {
            if (message != null && messageHead[0] == SERVER_HELLO) {
                ServerHelloResult seen = serverHello(ByteBuffer.wrap(message));
                hello = seen;
                CipherSuite suite = CipherSuite.of(seen.cipher());
                boolean comes = suite.ecdhe() || suite.dhe();
                if (!keyExchangeWanted || !comes || seen.version() >= TlsVersion.TLS_1_3.code()) {
                    answer = seen;
                }
            } else if (message != null && hello != null) {
                answer = keyExchange(hello, ByteBuffer.wrap(message));
            } else if (messageHead[0] == SERVER_HELLO_DONE) {
                answer = hello;
            }
        } catch (BufferUnderflowException | IllegalArgumentException tooShort) {
            answer = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
        }
    }

    /** RFC 8446, section 4.1.3, and the same with its extensions left out. */
    private static ServerHelloResult serverHello(ByteBuffer in) {
        int version = unsignedShort(in);
        skip(in, 32);
        skip(in, unsigned(in.get()));
        int cipher = unsignedShort(in);
        skip(in, 1);
        int group = -1;
        String alpn = null;
        ByteBuffer extensions = in.hasRemaining() ? part(in, unsignedShort(in)) : ByteBuffer.allocate(0);
        while (extensions.hasRemaining()) {
            int type = unsignedShort(extensions);
            ByteBuffer data = part(extensions, unsignedShort(extensions));
            switch (type) {
                case VERSIONS_EXTENSION -> version = unsignedShort(data);
                case KEY_SHARE_EXTENSION -> group = unsignedShort(data);
                case ALPN_EXTENSION -> alpn = protocol(data);
                default -> {}
            }
        }
        return new ServerHelloResult(ServerHelloResult.Kind.HELLO, version, cipher, group, 0, alpn, -1);
    }

    /** RFC 7301, section 3.1: a list that holds one name. */
    private static @Nullable String protocol(ByteBuffer data) {
        ByteBuffer names = part(data, unsignedShort(data));
        ByteBuffer name = part(names, unsigned(names.get()));
        return HttpHeader.printable(StandardCharsets.ISO_8859_1.decode(name));
    }

    /** RFC 8422, section 5.4; RFC 5246, section 7.4.3. */
    private static ServerHelloResult keyExchange(ServerHelloResult hello, ByteBuffer in) {
        if (CipherSuite.of(hello.cipher()).ecdhe()) {
            return unsigned(in.get()) == NAMED_CURVE ? hello.withKeyExchange(unsignedShort(in), 0) : hello;
        }
        ByteBuffer prime = part(in, unsignedShort(in));
        byte[] magnitude = new byte[prime.remaining()];
        prime.get(magnitude);
        return hello.withKeyExchange(-1, new BigInteger(1, magnitude).bitLength());
    }

    private static ByteBuffer part(ByteBuffer in, int length) {
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer part = in.slice(in.position(), length);
        in.position(in.position() + length);
        return part;
    }

    private static void skip(ByteBuffer in, int length) {
        part(in, length);
    }

    private static int unsignedShort(ByteBuffer in) {
        return in.getShort() & 0xffff;
    }

    private static int unsigned(byte value) {
        return value & 0xff;
    }
}
