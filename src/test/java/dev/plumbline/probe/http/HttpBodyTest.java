package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HttpBodyTest {
    private static final int LIMIT = 100_000;

    @Test
    void decodesGzip() throws IOException {
        HttpBody packed = new HttpBody(gzip("a needle".getBytes(StandardCharsets.UTF_8)), false);

        HttpBody plain = packed.decoded(" GZip ", LIMIT);

        assertThat(plain.text(null)).isEqualTo("a needle");
        assertThat(plain.truncated()).isFalse();
    }

    @Test
    void stopsDecodingAtTheLimit() throws IOException {
        HttpBody bomb = new HttpBody(gzip(new byte[50_000_000]), false);

        HttpBody plain = bomb.decoded("gzip", LIMIT);

        assertThat(plain.size()).isEqualTo(LIMIT);
        assertThat(plain.truncated()).isTrue();
    }

    @Test
    void marksMalformedContentAsUnreadable() throws IOException {
        byte[] gzip = gzip("a needle in a haystack".repeat(500).getBytes(StandardCharsets.UTF_8));
        byte[] half = Arrays.copyOf(gzip, gzip.length - 12);

        assertThat(new HttpBody(gzip, false).decoded("gzip", LIMIT).unreadable())
                .isFalse();
        assertThat(new HttpBody(gzip, false).decoded("gzip", 100).unreadable()).isFalse();
        assertThat(new HttpBody(half, true).decoded("gzip", LIMIT).unreadable())
                .as("we ourselves read no more of it")
                .isFalse();
        assertThat(new HttpBody(half, false).decoded("gzip", LIMIT).unreadable())
                .isTrue();
        byte[] plain = "no gzip".getBytes(StandardCharsets.UTF_8);
        for (String coding : new String[] {"gzip", "deflate", "br", "zstd", "gzip, gzip"}) {
            assertThat(new HttpBody(plain, false).decoded(coding, LIMIT).unreadable())
                    .isTrue();
        }
        assertThat(new HttpBody(plain, false).decoded("identity", LIMIT).unreadable())
                .isFalse();
    }

    @Test
    void readsManyEmptyGzipMembers() throws IOException {
        byte[] empty = gzip(new byte[0]);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < 50_000; i++) {
            out.write(empty);
        }
        out.write(gzip("a needle".getBytes(StandardCharsets.UTF_8)));

        HttpBody plain = new HttpBody(out.toByteArray(), false).decoded("gzip", LIMIT);

        assertThat(plain.text(null)).isEqualTo("a needle");
        assertThat(plain.truncated()).isFalse();
    }

    @Test
    void returnsTheDecodedPartOfATruncatedStream() throws IOException {
        byte[] whole = gzip("a needle in a haystack".repeat(500).getBytes(StandardCharsets.UTF_8));

        HttpBody plain = new HttpBody(Arrays.copyOf(whole, whole.length - 12), true).decoded("gzip", LIMIT);

        assertThat(plain.text(null)).startsWith("a needle");
        assertThat(plain.truncated()).isTrue();
    }

    @Test
    void decodesZlibAndRawDeflate() throws IOException {
        byte[] text = "a needle".getBytes(StandardCharsets.UTF_8);
        for (boolean bare : new boolean[] {true, false}) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (DeflaterOutputStream deflate = new DeflaterOutputStream(out, new Deflater(9, bare))) {
                deflate.write(text);
            }
            HttpBody packed = new HttpBody(out.toByteArray(), false);

            assertThat(packed.decoded("deflate", LIMIT).text(null)).isEqualTo("a needle");
        }
    }

    @Test
    void keepsOtherCodingsUndecoded() {
        HttpBody body = new HttpBody(new byte[] {1, 2, 3}, false);

        assertThat(body.decoded("br", LIMIT).bytes()).containsExactly(1, 2, 3);
        assertThat(body.decoded(null, LIMIT)).isSameAs(body);
    }

    @Test
    void usesTheCharsetOfTheContentType() {
        HttpBody body = new HttpBody(new byte[] {(byte) 0xe9}, false);

        assertThat(body.text("text/html; charset=\"ISO-8859-1\"")).isEqualTo("é");
        assertThat(body.text("text/html; charset=no-such-thing")).isEqualTo("\ufffd");
        assertThat(body.text(null)).isEqualTo("\ufffd");
    }

    @Property
    void decodesAnyBytesWithoutException(@ForAll byte[] bytes) {
        HttpBody body = new HttpBody(bytes, false);

        assertThat(body.decoded("gzip", 10).size()).isLessThanOrEqualTo(10);
        assertThat(body.decoded("deflate", 10).size()).isLessThanOrEqualTo(10);
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }
}
