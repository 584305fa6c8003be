package dev.plumbline.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.plumbline.check.CheckFailure;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Any input is decoded or rejected without an exception. */
class DnsMessageCodecTest {
    private static final int ID = 4711;

    @Property(tries = 500)
    void encodesQueriesAsDnsjavaDoes(
            @ForAll @Size(min = 1, max = 4) List<@AlphaChars @StringLength(min = 1, max = 20) String> name,
            @ForAll @IntRange(max = 0xffff) int id,
            @ForAll @IntRange(min = 1, max = 260) int type,
            @ForAll boolean edns)
            throws IOException {
        Record question = Record.newRecord(
                Name.fromString(String.join(".", name).toLowerCase(Locale.ROOT) + "."), type, DClass.IN);
        Message theirs = new Message(id);
        theirs.getHeader().setFlag(Flags.RD);
        theirs.getHeader().setFlag(Flags.AD);
        theirs.addRecord(question, Section.QUESTION);
        if (edns) {
            theirs.addRecord(new OPTRecord(DnsMessageCodec.UDP_PAYLOAD, 0, 0), Section.ADDITIONAL);
        }
        assertThat(DnsMessageCodec.query(question, id, new DnsQuestion.Flags(true, edns, false, false)))
                .isEqualTo(theirs.toWire());
    }

    @Property(tries = 2000)
    void decodesAnyBytesWithoutException(@ForAll @Size(max = 600) byte[] bytes) throws IOException {
        read(bytes);
    }

    @Property(tries = 2000)
    void decodesAnyBytesAfterAHeaderWithoutException(
            @ForAll @Size(max = 600) byte[] tail,
            @ForAll @IntRange(max = 40) int answers,
            @ForAll @IntRange(max = 5) int authorities)
            throws IOException {
        byte[] head = honest().toWire();
        byte[] bytes = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, bytes, head.length, tail.length);
        bytes[7] = (byte) answers;
        bytes[9] = (byte) authorities;
        read(bytes);
    }

    @Property(tries = 2000)
    void decodesCorruptedResponsesWithoutException(
            @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 100_000) Integer> turned) throws IOException {
        Message answer = honest();
        for (String data : List.of("10 mail.a.test.", "20 b.mail.a.test.")) {
            answer.addRecord(record(Type.MX, data), Section.ANSWER);
        }
        answer.addRecord(record(Type.TXT, "\"v=spf1\" \" -all\""), Section.ANSWER);
        answer.addRecord(record(Type.HTTPS, "1 . alpn=h2 ipv4hint=1.1.1.1"), Section.ANSWER);
        answer.addRecord(record(Type.CAA, "0 issue \"ca.test\""), Section.AUTHORITY);
        byte[] bytes = answer.toWire();
        for (int each : turned) {
            bytes[each % bytes.length] = (byte) (each / bytes.length);
        }
        read(bytes);
    }

    @Test
    void rejectsLongPointerChains() throws IOException {
        assertThat(DnsMessageCodec.parse(chained(10).getBytes()).getSection(Section.ANSWER))
                .hasSize(1);
        assertThat(DnsMessageCodec.parse(chained(8_000).getBytes())).isNull();
    }

    /** A response whose record has its name behind this many chained pointers. */
    private static Buffer chained(int hops) throws IOException {
        Buffer bytes = Buffer.buffer(honest().toWire());
        int question = 12;
        Buffer pointers = Buffer.buffer();
        int rdata = bytes.length() + 2 + 10;
        for (int i = 0; i < hops; i++) {
            pointers.appendUnsignedShort(0xc000 | (i == 0 ? question : rdata + 2 * (i - 1)));
        }
        int more = bytes.length() + 12 + pointers.length();
        bytes.setUnsignedShort(6, 1).setUnsignedShort(8, 1);
        bytes.appendUnsignedShort(0xc000 | question)
                .appendUnsignedShort(Type.NULL)
                .appendUnsignedShort(DClass.IN)
                .appendInt(60)
                .appendUnsignedShort(pointers.length())
                .appendBuffer(pointers);
        assertThat(bytes.length()).isEqualTo(more);
        return bytes.appendUnsignedShort(0xc000 | rdata + 2 * (hops - 1))
                .appendUnsignedShort(Type.A)
                .appendUnsignedShort(DClass.IN)
                .appendInt(60)
                .appendUnsignedShort(4)
                .appendInt(0x01010101);
    }

    private static void read(byte[] bytes) throws IOException {
        assertThatCode(() -> DnsMessageCodec.isResponseTo(bytes, ID)).doesNotThrowAnyException();
        Message message = DnsMessageCodec.parse(bytes);
        if (message == null) {
            return;
        }
        DnsMessageCodec.matches(message, question());
        for (int type : new int[] {Type.MX, Type.TXT, Type.HTTPS, Type.A}) {
            try {
                DnsResponse answer = new CnameChain(question().getName(), type).follow(message);
                if (answer != null) {
                    assertThat(answer.weight()).isPositive();
                    answer.records().forEach(Record::rdataToString);
                }
            } catch (CheckFailure passedOver) {
                assertThat(passedOver.error().message()).isNotBlank();
            }
        }
    }

    private static Message honest() throws IOException {
        Message message = new Message(ID);
        message.getHeader().setFlag(Flags.QR);
        message.addRecord(question(), Section.QUESTION);
        return message;
    }

    private static Record question() throws IOException {
        return Record.newRecord(Name.fromString("a.test."), Type.MX, DClass.IN);
    }

    private static Record record(int type, String data) throws IOException {
        return Record.fromString(Name.fromString("a.test."), type, DClass.IN, 60, data, Name.root);
    }
}
