package dev.plumbline.probe.tls;

import static dev.plumbline.probe.tls.WireReader.slice;
import static dev.plumbline.probe.tls.WireReader.unsignedShort;

import dev.plumbline.target.PrintableText;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parses the start of a server's response to a {@link ClientHello}, byte by byte: records, and of the handshake
 * messages in them ServerHello and ServerKeyExchange. Linear time and bounded memory for any input.
 */
final class ServerHelloReader {
    /** More than any certificate chain before the key exchange. */
    static final int MAX_BYTES = 512 * 1024;

    private static final int MAX_RECORD_BYTES = 16 * 1024 + 2048;
    private static final int MAX_MESSAGE_BYTES = 16 * 1024;
    private static final int PREFIX_BYTES = 8;

    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;

    private static final int SERVER_HELLO = 2;
    private static final int SERVER_KEY_EXCHANGE = 12;
    private static final int SERVER_HELLO_DONE = 14;

    private static final int NAMED_CURVE = 3;
    private static final int ALPN_EXTENSION = 16;
    private static final int EXTENDED_MASTER_SECRET_EXTENSION = 23;
    private static final int SESSION_TICKET_EXTENSION = 35;
    private static final int VERSIONS_EXTENSION = 43;
    private static final int KEY_SHARE_EXTENSION = 51;
    private static final int RENEGOTIATION_EXTENSION = 0xff01;

    private final boolean readKeyExchange;
    private final byte[] head = new byte[5];
    private final byte[] messageHead = new byte[4];
    private final byte[] alert = new byte[2];
    private int received;
    private int headLength;
    private int recordLeft;
    private int messageHeadLength;
    private int messageLeft;
    private int alertLength;
    private byte @Nullable [] message;
    private int messageLength;
    private @Nullable ServerHelloResult hello;
    private @Nullable ServerHelloResult result;

    /** @param readKeyExchange whether to read on until the ServerKeyExchange of a version before TLS 1.3 */
    ServerHelloReader(boolean readKeyExchange) {
        this.readKeyExchange = readKeyExchange;
    }

    /** The result; null until it is known. */
    @Nullable
    ServerHelloResult read(byte[] bytes) {
        for (int i = 0; i < bytes.length && result == null; i++) {
            if (++received > MAX_BYTES) {
                result = hello == null ? ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED) : hello;
            } else {
                read(bytes[i]);
            }
        }
        return result;
    }

    /** The result when no more data follows, for the given reason. */
    ServerHelloResult resultAtEnd(ServerHelloResult.Kind reason) {
        if (result != null) {
            return result;
        }
        return hello == null ? ServerHelloResult.of(reason) : hello;
    }

    private void read(byte next) {
        if (headLength < head.length) {
            head[headLength++] = next;
            if (!isRecordHeader()) {
                result = ServerHelloResult.of(
                        received <= PREFIX_BYTES ? ServerHelloResult.Kind.NOT_TLS : ServerHelloResult.Kind.MALFORMED);
            } else if (headLength == head.length) {
                recordLeft = unsigned(head[3]) << 8 | unsigned(head[4]);
                if (recordLeft > MAX_RECORD_BYTES) {
                    result = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
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

    /** Whether the bytes of the record header so far are valid. */
    private boolean isRecordHeader() {
        boolean type = head[0] == HANDSHAKE || head[0] == ALERT || head[0] == CHANGE_CIPHER_SPEC;
        return type && (headLength < 2 || head[1] == 3);
    }

    private void readAlert(byte next) {
        alert[alertLength++] = next;
        if (alertLength == alert.length) {
            alertLength = 0;
            boolean warning = alert[0] == 1;
            // a warning alert, such as unrecognized_name, does not end the handshake (RFC 5246 section 7.2)
            if (!warning || alert[1] == 0) {
                result = hello == null ? ServerHelloResult.alert(unsigned(alert[1])) : hello;
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
        if (message != null) {
            message[messageLength++] = next;
        }
        if (--messageLeft == 0) {
            endMessage();
        }
    }

    private void beginMessage() {
        int type = messageHead[0];
        if (type == SERVER_HELLO && hello == null || type == SERVER_KEY_EXCHANGE && hello != null) {
            if (messageLeft == 0 || messageLeft > MAX_MESSAGE_BYTES) {
                result = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
                return;
            }
            message = new byte[messageLeft];
            messageLength = 0;
        } else if (hello == null && type != 0) {
            // only a HelloRequest can precede the ServerHello
            result = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
        }
        if (messageLeft == 0) {
            endMessage();
        }
    }

    private void endMessage() {
        messageHeadLength = 0;
        byte[] complete = message;
        message = null;
        if (result != null) {
            return;
        }
        try {
            if (complete != null && messageHead[0] == SERVER_HELLO) {
                ServerHelloResult parsed = serverHello(ByteBuffer.wrap(complete));
                hello = parsed;
                CipherSuite suite = CipherSuite.of(parsed.cipher());
                boolean hasKeyExchange = suite.ecdhe() || suite.dhe();
                if (!readKeyExchange || !hasKeyExchange || parsed.version() >= TlsVersion.TLS_1_3.code()) {
                    result = parsed;
                }
            } else if (complete != null && hello != null) {
                result = keyExchange(hello, ByteBuffer.wrap(complete));
            } else if (messageHead[0] == SERVER_HELLO_DONE) {
                result = hello;
            }
        } catch (BufferUnderflowException | IllegalArgumentException tooShort) {
            result = ServerHelloResult.of(ServerHelloResult.Kind.MALFORMED);
        }
    }

    /** Parses a ServerHello (RFC 8446 section 4.1.3), with or without extensions. */
    private static ServerHelloResult serverHello(ByteBuffer in) {
        int version = unsignedShort(in);
        skip(in, 32);
        skip(in, unsigned(in.get()));
        int cipher = unsignedShort(in);
        boolean compression = in.get() != 0;
        boolean extendedMasterSecret = false;
        boolean secureRenegotiation = false;
        boolean sessionTicket = false;
        int group = -1;
        String alpn = null;
        ByteBuffer extensions = in.hasRemaining() ? slice(in, unsignedShort(in)) : ByteBuffer.allocate(0);
        while (extensions.hasRemaining()) {
            int type = unsignedShort(extensions);
            ByteBuffer data = slice(extensions, unsignedShort(extensions));
            switch (type) {
                case VERSIONS_EXTENSION -> version = unsignedShort(data);
                case KEY_SHARE_EXTENSION -> group = unsignedShort(data);
                case ALPN_EXTENSION -> alpn = protocol(data);
                case EXTENDED_MASTER_SECRET_EXTENSION -> extendedMasterSecret = true;
                case RENEGOTIATION_EXTENSION -> secureRenegotiation = true;
                case SESSION_TICKET_EXTENSION -> sessionTicket = true;
                default -> {}
            }
        }
        ServerHelloResult.Features features = version >= TlsVersion.TLS_1_3.code()
                ? null
                : new ServerHelloResult.Features(extendedMasterSecret, secureRenegotiation, sessionTicket, compression);
        return new ServerHelloResult(ServerHelloResult.Kind.HELLO, version, cipher, group, 0, alpn, features, -1, -1);
    }

    /** Parses a list with one protocol name (RFC 7301 section 3.1). */
    private static @Nullable String protocol(ByteBuffer data) {
        ByteBuffer names = slice(data, unsignedShort(data));
        ByteBuffer name = slice(names, unsigned(names.get()));
        return PrintableText.withoutControls(StandardCharsets.ISO_8859_1.decode(name));
    }

    /** Parses a ServerKeyExchange (RFC 8422 section 5.4, RFC 5246 section 7.4.3). */
    private static ServerHelloResult keyExchange(ServerHelloResult hello, ByteBuffer in) {
        if (CipherSuite.of(hello.cipher()).ecdhe()) {
            if (unsigned(in.get()) != NAMED_CURVE) {
                return hello;
            }
            int group = unsignedShort(in);
            return hello.withKeyExchange(group, 0, signature(hello, in, 1, 1));
        }
        ByteBuffer prime = slice(in, unsignedShort(in));
        byte[] magnitude = new byte[prime.remaining()];
        prime.get(magnitude);
        return hello.withKeyExchange(-1, new BigInteger(1, magnitude).bitLength(), signature(hello, in, 2, 2));
    }

    /**
     * The signature scheme of TLS 1.2, which follows the remaining parameters; -1 if there is none, as in anonymous
     * suites and earlier versions.
     *
     * @param parameters their number: the public key of ECDHE; the generator and the public key of DHE
     * @param lengthBytes the size of the length of each parameter
     */
    private static int signature(ServerHelloResult hello, ByteBuffer in, int parameters, int lengthBytes) {
        if (hello.version() != TlsVersion.TLS_1_2.code()) {
            return -1;
        }
        for (int i = 0; i < parameters; i++) {
            if (in.remaining() < lengthBytes) {
                return -1;
            }
            int length = lengthBytes == 1 ? unsigned(in.get()) : unsignedShort(in);
            if (length > in.remaining()) {
                return -1;
            }
            in.position(in.position() + length);
        }
        return in.remaining() < 2 ? -1 : unsignedShort(in);
    }

    private static void skip(ByteBuffer in, int length) {
        slice(in, length);
    }

    private static int unsigned(byte value) {
        return value & 0xff;
    }
}
