package dev.plumbline.probe.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BannerScriptTest {
    private static final BannerScript SCRIPT = new BannerScript();

    @ParameterizedTest
    @CsvSource({
        "'', more", "220 hi, more", "'220 hi\r\n', enough", "'220-hi\r\n', more",
        "'220-hi\r\n220 ho\n', enough", "'220-hi\n220-ho\n', more", "'\n', enough", "'-\n', enough",
        "'SSH-2.0-x\r\n', enough"
    })
    void readsCompleteLines(String received, String what) {
        assertThat(SCRIPT.next(Buffer.buffer(received)) == null).isEqualTo(what.equals("enough"));
    }

    @Property(tries = 2000)
    void formatsEveryBannerAsPrintableText(@ForAll @Size(max = 1200) byte[] bytes) {
        SCRIPT.next(Buffer.buffer(bytes));
        String text = BannerScript.text(Buffer.buffer(bytes));

        if (bytes.length > 0) {
            assertThat(text).doesNotContainPattern("[\\p{Cntrl}&&[^\n]]");
            assertThat(text.length()).isLessThanOrEqualTo(1024);
            assertThat(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                    .isEqualTo(text);
        }
    }
}
