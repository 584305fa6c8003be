package dev.plumbline.probe.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.tls.TlsVersion;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/** Any input leads to a result and to no exception. */
class ServerHelloReaderTest {
    private static final int ECDHE_RSA = 0xc02f;
    private static final int DHE_RSA = 0x009e;

    @Property(tries = 2000)
    void acceptsAnyBytes(@ForAll @Size(max = 600) byte[] bytes) {
        assertThat(read(bytes).kind()).isNotNull();
    }

    @Property(tries = 2000)
    void acceptsAnyBytesInARecord(@ForAll @Size(max = 600) byte[] bytes) {
        assertThat(read(record(Buffer.buffer(bytes)).getBytes()).kind()).isNotNull();
    }

    @Property(tries = 2000)
    void acceptsAnyServerHello(@ForAll @Size(min = 1, max = 600) byte[] bytes) {
        assertThat(read(record(message(2, Buffer.buffer(bytes))).getBytes()).kind())
                .isNotNull();
    }

    @Property(tries = 2000)
    void acceptsCorruptedResponses(@ForAll @Size(min = 1, max = 12) List<@IntRange(max = 100_000) Integer> turned) {
        byte[] bytes = flight(ECDHE_RSA, curve(29)).getBytes();
        for (int each : turned) {
            bytes[each % bytes.length] = (byte) (each / bytes.length);
        }
        assertThat(read(bytes).kind()).isNotNull();
    }

    @Property(tries = 300)
    void isIndependentOfFragmentation(@ForAll @IntRange(min = 1, max = 500) int piece) {
        byte[] bytes = flight(ECDHE_RSA, curve(24)).getBytes();
        ServerHelloReader reader = new ServerHelloReader(true);
        ServerHelloResult response = null;
        for (int at = 0; at < bytes.length && response == null; at += piece) {
            response = reader.read(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + piece)));
        }
        assertThat(response).isEqualTo(read(bytes));
        assertThat(read(bytes).group()).isEqualTo(24);
    }

    @Example
    void readsTheGroupOfAnEcdheKeyExchange() {
        ServerHelloResult response = read(flight(ECDHE_RSA, curve(23)).getBytes());

        assertThat(response.hello()).isTrue();
        assertThat(response.version()).isEqualTo(TlsVersion.TLS_1_2.code());
        assertThat(response.cipher()).isEqualTo(ECDHE_RSA);
        assertThat(response.group()).isEqualTo(23);
        assertThat(response.alpn()).isEqualTo("h2");
    }

    @Example
    void readsTheSizeOfADhePrime() {
        byte[] prime = new byte[128];
        prime[1] = 1;
        Buffer exchange = Buffer.buffer().appendUnsignedShort(prime.length).appendBytes(prime);

        assertThat(read(flight(DHE_RSA, exchange).getBytes()).primeBits()).isEqualTo(1009);
    }

    @Example
    void readsTheOptionalFeatures() {
        Buffer all = extension(extension(extension(Buffer.buffer(), 23, 0), 35, 0), 0xff01, 1);

        assertThat(features(0, all)).isEqualTo(new ServerHelloResult.Features(true, true, true, false));
        assertThat(features(1, Buffer.buffer())).isEqualTo(new ServerHelloResult.Features(false, false, false, true));
        assertThat(features(0, extension(Buffer.buffer(), 23, 0)))
                .isEqualTo(new ServerHelloResult.Features(true, false, false, false));
    }

    private static ServerHelloResult.@Nullable Features features(int compression, Buffer extensions) {
        byte[] hello = hello(ECDHE_RSA, extensions).getBytes();
        hello[2 + 32 + 1 + 2] = (byte) compression;
        return read(record(message(2, Buffer.buffer(hello))).getBytes()).features();
    }

    private static Buffer extension(Buffer all, int type, int length) {
        return all.appendUnsignedShort(type).appendUnsignedShort(length).appendBytes(new byte[length]);
    }

    @Example
    void readsTheSignatureSchemeOfTheKeyExchange() {
        Buffer point = Buffer.buffer().appendByte((byte) 32).appendBytes(new byte[32]);
        Buffer curve =
                Buffer.buffer().appendByte((byte) 3).appendUnsignedShort(29).appendBuffer(point);
        Buffer prime = Buffer.buffer().appendUnsignedShort(128).appendBytes(new byte[128]);
        Buffer generatorAndKey = Buffer.buffer()
                .appendUnsignedShort(1)
                .appendByte((byte) 2)
                .appendUnsignedShort(128)
                .appendBytes(new byte[128]);
        Buffer signature = Buffer.buffer().appendUnsignedShort(0x0201).appendUnsignedShort(0);

        assertThat(signature(ECDHE_RSA, curve.copy().appendBuffer(signature))).isEqualTo(0x0201);
        assertThat(signature(ECDHE_RSA, curve)).as("anonymous").isEqualTo(-1);
        assertThat(signature(DHE_RSA, prime.copy().appendBuffer(generatorAndKey).appendBuffer(signature)))
                .isEqualTo(0x0201);
        assertThat(signature(DHE_RSA, prime.copy().appendBuffer(generatorAndKey.getBuffer(0, 40))))
                .as("truncated")
                .isEqualTo(-1);
    }

    private static int signature(int suite, Buffer exchange) {
        return read(flight(suite, exchange).getBytes()).signature();
    }

    @Example
    void readsTheGroupOfAHelloRetryRequest() {
        Buffer extensions = Buffer.buffer()
                .appendUnsignedShort(43)
                .appendUnsignedShort(2)
                .appendUnsignedShort(0x0304)
                .appendUnsignedShort(51)
                .appendUnsignedShort(2)
                .appendUnsignedShort(0x11ec);

        ServerHelloResult response =
                read(record(message(2, hello(0x1301, extensions))).getBytes());

        assertThat(response.version()).isEqualTo(TlsVersion.TLS_1_3.code());
        assertThat(response.group()).isEqualTo(0x11ec);
    }

    @Example
    void returnsTheServerHelloIfNothingFollows() {
        byte[] bytes = record(message(2, hello(ECDHE_RSA, Buffer.buffer()))).getBytes();

        ServerHelloResult response = read(bytes);

        assertThat(response.hello()).isTrue();
        assertThat(response.group()).isEqualTo(-1);
    }

    @Example
    void distinguishesAlertsFromOtherProtocols() {
        assertThat(read(new byte[] {21, 3, 1, 0, 2, 2, 70}).alert()).isEqualTo(70);
        assertThat(read(new byte[] {21, 3, 1, 0, 2, 1, 112}).kind())
                .as("a warning is not a rejection")
                .isEqualTo(ServerHelloResult.Kind.CLOSED);
        assertThat(read("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.US_ASCII))
                        .kind())
                .isEqualTo(ServerHelloResult.Kind.NOT_TLS);
        assertThat(read(new byte[] {22, 3, 1, (byte) 0xff, (byte) 0xff}).kind())
                .isEqualTo(ServerHelloResult.Kind.MALFORMED);
        assertThat(read(new byte[0]).kind()).isEqualTo(ServerHelloResult.Kind.CLOSED);
    }

    @Example
    void limitsTheBytesRead() {
        Buffer flood = record(message(2, hello(ECDHE_RSA, Buffer.buffer())));
        Buffer certificates = record(Buffer.buffer(new byte[] {11, (byte) 0xff, 0, 0}));
        flood.appendBuffer(certificates);
        Buffer more = record(Buffer.buffer(new byte[16_000]));
        ServerHelloReader reader = new ServerHelloReader(true);

        ServerHelloResult response = reader.read(flood.getBytes());
        int sent = flood.length();
        while (response == null) {
            response = reader.read(more.getBytes());
            sent += more.length();
        }

        assertThat(sent).isLessThan(ServerHelloReader.MAX_BYTES + 2 * more.length());
        assertThat(response.cipher()).isEqualTo(ECDHE_RSA);
    }

    @Example
    void stopsAtEndlessEmptyRecordsAndMessages() {
        for (byte[] piece : List.of(new byte[] {22, 3, 3, 0, 0}, new byte[] {22, 3, 3, 0, 4, 0, 0, 0, 0})) {
            ServerHelloReader reader = new ServerHelloReader(true);
            ServerHelloResult response = null;
            int sent = 0;
            while (response == null) {
                response = reader.read(piece);
                sent += piece.length;
            }
            assertThat(response.kind()).isEqualTo(ServerHelloResult.Kind.MALFORMED);
            assertThat(sent).isLessThan(ServerHelloReader.MAX_BYTES + 2 * piece.length);
        }
    }

    private static ServerHelloResult read(byte[] bytes) {
        ServerHelloReader reader = new ServerHelloReader(true);
        @Nullable ServerHelloResult response = reader.read(bytes);
        return response == null ? reader.resultAtEnd(ServerHelloResult.Kind.CLOSED) : response;
    }

    private static Buffer curve(int group) {
        return Buffer.buffer().appendByte((byte) 3).appendUnsignedShort(group).appendBytes(new byte[70]);
    }

    private static Buffer flight(int suite, Buffer exchange) {
        Buffer alpn = Buffer.buffer()
                .appendUnsignedShort(16)
                .appendUnsignedShort(5)
                .appendUnsignedShort(3)
                .appendByte((byte) 2)
                .appendString("h2");
        return record(message(2, hello(suite, alpn)))
                .appendBuffer(record(message(11, Buffer.buffer(new byte[900]))))
                .appendBuffer(record(message(12, exchange).appendBuffer(message(14, Buffer.buffer()))));
    }

    private static Buffer hello(int suite, Buffer extensions) {
        return Buffer.buffer()
                .appendUnsignedShort(0x0303)
                .appendBytes(new byte[32])
                .appendByte((byte) 0)
                .appendUnsignedShort(suite)
                .appendByte((byte) 0)
                .appendUnsignedShort(extensions.length())
                .appendBuffer(extensions);
    }

    private static Buffer message(int type, Buffer body) {
        return Buffer.buffer()
                .appendByte((byte) type)
                .appendMedium(body.length())
                .appendBuffer(body);
    }

    private static Buffer record(Buffer messages) {
        return Buffer.buffer()
                .appendByte((byte) 22)
                .appendUnsignedShort(0x0303)
                .appendUnsignedShort(messages.length())
                .appendBuffer(messages);
    }
}
