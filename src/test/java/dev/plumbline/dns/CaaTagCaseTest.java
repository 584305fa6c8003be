package dev.plumbline.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.xbill.DNS.CAARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class CaaTagCaseTest {
    private static byte[] response(String tag) {
        Message message = new Message(7);
        Name name = Name.fromConstantString("ISSUE.test.");
        message.addRecord(Record.newRecord(name, Type.CAA, DClass.IN), Section.QUESTION);
        message.addRecord(new CAARecord(name, DClass.IN, 60, 0, "iodef", "mailto:A@B.test"), Section.ANSWER);
        message.addRecord(new CAARecord(name, DClass.IN, 60, 0, "issue", "CA.test"), Section.ANSWER);
        byte[] bytes = message.toWire();
        byte[] lower = "issue".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i + lower.length <= bytes.length; i++) {
            if (Arrays.equals(lower, Arrays.copyOfRange(bytes, i, i + lower.length))) {
                System.arraycopy(tag.getBytes(StandardCharsets.US_ASCII), 0, bytes, i, lower.length);
            }
        }
        return bytes;
    }

    @Example
    void changesOnlyTheTag() {
        assertThat(DnsMessageCodec.parse(response("ISSUe")).getSection(Section.ANSWER))
                .hasToString("[ISSUE.test.\t\t60\tIN\tCAA\t0 iodef \"mailto:A@B.test\","
                        + " ISSUE.test.\t\t60\tIN\tCAA\t0 issue \"CA.test\"]");
        assertThat(CaaTagCase.normalize(response("issue"))).isNull();
        assertThat(DnsMessageCodec.parse(response("is ue"))).isNull();
    }

    @Property
    void acceptsArbitraryBytes(@ForAll @Size(max = 20) List<@IntRange(max = 255 * 80) Integer> changes) {
        byte[] bytes = response("ISSUE");
        for (int change : changes) {
            bytes[change % bytes.length] = (byte) (change / bytes.length);
        }

        byte[] normalized = CaaTagCase.normalize(bytes);

        assertThat(normalized == null || normalized.length == bytes.length).isTrue();
    }

    @Example
    void isLinear() {
        byte[] bytes = new byte[65_535];
        Arrays.fill(bytes, 4, 12, (byte) 0xff);

        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> CaaTagCase.normalize(bytes));
    }
}
