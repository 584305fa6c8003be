package dev.plumbline.probe.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import java.nio.BufferUnderflowException;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** Secrets, keys and initialization vectors are those of RFC 8448 section 3. */
class EncryptedMessagesReaderTest {
    private static final String SUITE = "TLS_AES_128_GCM_SHA256";
    private static final Secret HANDSHAKE = new Secret(
            "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38",
            "3fce516009c21727d0f2e4e86ee403bc",
            "5d313eb2671276ee13000b30");
    private static final Secret APPLICATION = new Secret(
            "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643",
            "9f02283b6c9c07efc26bb9f2ac92e356",
            "cf782b88dd83549aadf1e984");

    private record Secret(String secret, String key, String iv) {
        byte[] bytes() {
            return HexFormat.of().parseHex(secret);
        }
    }

    private final Buffer received = Buffer.buffer();
    private int handshakeRecords;
    private int applicationRecords;

    @Example
    void readsTheGroupsAndTheTickets() throws Exception {
        plain(new byte[] {22, 3, 3, 0, 2, 2, 0});
        handshake(
                message(8, extensions(10, "0006001d00170100")).appendBuffer(message(11, Buffer.buffer(new byte[90]))));
        handshake(message(20, Buffer.buffer(new byte[32])));
        application(22, ticket(Buffer.buffer()));
        application(22, ticket(extension(42, "00004000")));
        application(23, Buffer.buffer("data"));
        application(21, Buffer.buffer(new byte[] {1, 0}));

        assertThat(read()).isEqualTo(new EncryptedMessages(List.of(29, 23, 256), 2, true, true));
    }

    @Example
    void readsMessagesThatBeginInOneRecordAndEndInAnother() throws Exception {
        Buffer encrypted = message(8, extensions(10, "00020017"));
        handshake(encrypted.getBuffer(0, 5));
        handshake(encrypted.getBuffer(5, encrypted.length()));
        Buffer ticket = ticket(extension(42, "00000000"));
        application(22, ticket.getBuffer(0, 20));
        application(22, ticket.getBuffer(20, ticket.length()));

        assertThat(read()).isEqualTo(new EncryptedMessages(List.of(23), 1, false, false));
    }

    @Example
    void anAlertIsAnErrorUnlessItClosesTheConnection() throws Exception {
        handshake(message(8, Buffer.buffer(new byte[2])));
        application(21, Buffer.buffer(new byte[] {2, 116}));

        assertThat(read()).isEqualTo(new EncryptedMessages(List.of(), 0, false, false));
    }

    @Example
    void ignoresAnIncompleteRecordAtTheEnd() throws Exception {
        handshake(message(8, Buffer.buffer(new byte[2])));
        application(22, ticket(Buffer.buffer()));
        int complete = received.length();
        application(22, ticket(extension(42, "00004000")));

        EncryptedMessages messages = read(received.getBuffer(0, (complete + received.length()) / 2));

        assertThat(messages).isEqualTo(new EncryptedMessages(List.of(), 1, false, false));
    }

    @Example
    void rejectsMalformedMessages() throws Exception {
        handshake(message(8, Buffer.buffer(new byte[2])));
        application(22, message(4, Buffer.buffer(new byte[7])));

        assertThatThrownBy(this::read).isInstanceOf(BufferUnderflowException.class);
    }

    @Property(tries = 500)
    void acceptsAnyBytes(@ForAll @Size(max = 300) byte[] bytes) throws Exception {
        assertThat(read(Buffer.buffer(bytes)).tickets()).isZero();
    }

    @Property(tries = 500)
    void anyMessageIsReadOrMalformed(@ForAll @Size(max = 100) byte[] extensions, @ForAll @Size(max = 100) byte[] ticket)
            throws Exception {
        handshake(message(8, Buffer.buffer(extensions)));
        application(22, message(4, Buffer.buffer(ticket)));
        try {
            assertThat(read().tickets()).isEqualTo(1);
        } catch (BufferUnderflowException malformed) {
            assertThat(malformed).isNotNull();
        }
    }

    private EncryptedMessages read() throws GeneralSecurityException {
        return read(received);
    }

    private static EncryptedMessages read(Buffer records) throws GeneralSecurityException {
        return EncryptedMessagesReader.read(records, SUITE, HANDSHAKE.bytes(), APPLICATION.bytes());
    }

    private void plain(byte[] record) {
        received.appendBytes(record);
    }

    private void handshake(Buffer messages) throws GeneralSecurityException {
        received.appendBuffer(encrypt(HANDSHAKE, handshakeRecords++, 22, messages));
    }

    private void application(int type, Buffer content) throws GeneralSecurityException {
        received.appendBuffer(encrypt(APPLICATION, applicationRecords++, type, content));
    }

    /** A record with two bytes of padding. */
    private static Buffer encrypt(Secret secret, int sequence, int type, Buffer content)
            throws GeneralSecurityException {
        byte[] nonce = HexFormat.of().parseHex(secret.iv());
        nonce[nonce.length - 1] ^= (byte) sequence;
        Buffer plain = content.copy().appendByte((byte) type).appendUnsignedShort(0);
        Buffer header = Buffer.buffer(new byte[] {23, 3, 3}).appendUnsignedShort(plain.length() + 16);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
                Cipher.ENCRYPT_MODE,
                new SecretKeySpec(HexFormat.of().parseHex(secret.key()), "AES"),
                new GCMParameterSpec(128, nonce));
        cipher.updateAAD(header.getBytes());
        return header.appendBytes(cipher.doFinal(plain.getBytes()));
    }

    private static Buffer ticket(Buffer extensions) {
        return message(
                4,
                Buffer.buffer(new byte[8])
                        .appendByte((byte) 1)
                        .appendByte((byte) 0)
                        .appendUnsignedShort(3)
                        .appendBytes(new byte[3])
                        .appendUnsignedShort(extensions.length())
                        .appendBuffer(extensions));
    }

    private static Buffer extensions(int type, String data) {
        Buffer extension = extension(type, data);
        return Buffer.buffer().appendUnsignedShort(extension.length()).appendBuffer(extension);
    }

    private static Buffer extension(int type, String data) {
        byte[] bytes = HexFormat.of().parseHex(data);
        return Buffer.buffer()
                .appendUnsignedShort(type)
                .appendUnsignedShort(bytes.length)
                .appendBytes(bytes);
    }

    private static Buffer message(int type, Buffer body) {
        return Buffer.buffer()
                .appendByte((byte) type)
                .appendMedium(body.length())
                .appendBuffer(body);
    }
}
