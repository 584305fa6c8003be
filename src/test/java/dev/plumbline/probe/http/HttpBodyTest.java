package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import dev.plumbline.budget.CpuAllowance;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.BrotliEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpBodyTest {
    private static final int LIMIT = 100_000;

    @Test
    void decodesGzip() throws Exception {
        HttpBody packed = new HttpBody(gzip("a needle".getBytes(StandardCharsets.UTF_8)), false);

        HttpBody plain = packed.decoded(" GZip ", LIMIT);

        assertThat(plain.text(null)).isEqualTo("a needle");
        assertThat(plain.truncated()).isFalse();
    }

    @Test
    void stopsDecodingAtTheLimit() throws Exception {
        HttpBody bomb = new HttpBody(gzip(new byte[50_000_000]), false);

        HttpBody plain = bomb.decoded("gzip", LIMIT);

        assertThat(plain.size()).isEqualTo(LIMIT);
        assertThat(plain.truncated()).isTrue();
    }

    @Test
    void marksMalformedContentAsUnreadable() throws Exception {
        byte[] gzip = gzip("a needle in a haystack".repeat(500).getBytes(StandardCharsets.UTF_8));
        byte[] half = Arrays.copyOf(gzip, gzip.length - 12);

        assertThat(new HttpBody(gzip, false).decoded("gzip", LIMIT).unreadable())
                .isFalse();
        assertThat(new HttpBody(gzip, false).decoded("gzip", 100).unreadable()).isFalse();
        assertThat(new HttpBody(half, true).decoded("gzip", LIMIT).unreadable())
                .as("bytes read by the probe")
                .isFalse();
        assertThat(new HttpBody(half, false).decoded("gzip", LIMIT).unreadable())
                .isTrue();
        byte[] plain = "not gzip".getBytes(StandardCharsets.UTF_8);
        for (String coding :
                new String[] {"gzip", "deflate", "br", "zstd", "gzip, gzip", "br, zstd", "compress", "dcb"}) {
            assertThat(new HttpBody(plain, false).decoded(coding, LIMIT).unreadable())
                    .isTrue();
        }
        assertThat(new HttpBody(plain, false).decoded("identity", LIMIT).unreadable())
                .isFalse();
    }

    @Test
    void readsManyEmptyGzipMembers() throws Exception {
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
    void returnsTheDecodedPartOfATruncatedStream() throws Exception {
        byte[] whole = gzip("a needle in a haystack".repeat(500).getBytes(StandardCharsets.UTF_8));

        HttpBody plain = new HttpBody(Arrays.copyOf(whole, whole.length - 12), true).decoded("gzip", LIMIT);

        assertThat(plain.text(null)).startsWith("a needle");
        assertThat(plain.truncated()).isTrue();
    }

    @Test
    void decodesZlibAndRawDeflate() throws Exception {
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
    void keepsOtherCodingsUndecoded() throws Exception {
        HttpBody body = new HttpBody(new byte[] {1, 2, 3}, false);

        assertThat(body.decoded("compress", LIMIT).shared()).containsExactly(1, 2, 3);
        assertThat(body.decoded("compress", LIMIT).unreadable()).isTrue();
        assertThat(body.decoded(null, LIMIT)).isSameAs(body);
        assertThat(body.decoded(" , Identity", LIMIT)).isSameAs(body);
    }

    @Test
    void decodesTheCodingsOfAListInReverseOrder() throws Exception {
        byte[] text = "a needle".getBytes(StandardCharsets.UTF_8);
        HttpBody body = new HttpBody(BrotliEncoder.encode(gzip(gzip(text))), false);

        assertThat(body.decoded("gzip, X-gzip, BR", LIMIT).text(null)).isEqualTo("a needle");
        assertThat(body.decoded("br, gzip, gzip", LIMIT).unreadable()).isTrue();
        assertThat(body.decoded("gzip, gzip, gzip, br", LIMIT).unreadable())
                .as("four codings")
                .isTrue();
    }

    @Test
    void decodesOneCodingWithALargeWindow() throws Exception {
        HttpBody body = new HttpBody(BrotliEncoder.encode(Zstd.compress(content(100))), false);

        assertThat(body.decoded("zstd, br", LIMIT).unreadable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"br", "zstd"})
    void decodesBrotliAndZstd(String coding) throws Exception {
        byte[] content = content(150_000);
        HttpBody body = new HttpBody(encoded(coding, content), false);

        assertThat(body.decoded(coding, 200_000).shared()).isEqualTo(content);
        assertThat(body.decoded(coding, 200_000).truncated()).isFalse();
        assertThat(body.decoded(coding, 1_000).shared()).isEqualTo(Arrays.copyOf(content, 1_000));
        assertThat(body.decoded(coding, 1_000).truncated()).isTrue();
        assertThat(new HttpBody(encoded(coding, new byte[0]), false)
                        .decoded(coding, LIMIT)
                        .size())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"br", "zstd"})
    void reportsPartsOfBrotliAndZstd(String coding) throws Exception {
        byte[] content = content(300_000);
        byte[] encoded = encoded(coding, content);
        byte[] half = Arrays.copyOf(encoded, encoded.length / 2);

        HttpBody cut = new HttpBody(half, true).decoded(coding, 1_000_000);
        HttpBody malformed = new HttpBody(half, false).decoded(coding, 1_000_000);

        assertThat(cut.truncated()).isTrue();
        assertThat(cut.size() > 0 ^ cut.unreadable())
                .as("some content, or unreadable")
                .isTrue();
        if (!cut.unreadable()) {
            assertThat(cut.shared()).isEqualTo(Arrays.copyOf(content, cut.size()));
        }
        assertThat(malformed.unreadable()).isTrue();
    }

    @Test
    void stopsDecodingThatTakesLong() throws Exception {
        byte[] slow = BrotliEncoder.slow(8 * 1024 * 1024);
        byte[] packed = gzip(BrotliEncoder.slow(2 * 1024 * 1024));
        try (CpuPool pool = new CpuPool(1, 10)) {
            for (String coding : List.of("br", "br, gzip")) {
                CpuAllowance allowance = new CpuAllowance(pool, "a", 1_000);
                HttpBody body = new HttpBody(coding.equals("br") ? slow : packed, false);

                Throwable failure = Await.failure(
                        allowance.execute(CpuPool.Purpose.DECODING, () -> body.decoded(coding, 2 * 1024 * 1024)));

                assertThat(failure).isInstanceOfSatisfying(CheckFailure.class, tooLarge -> {
                    assertThat(tooLarge.error().code()).isEqualTo(ErrorCode.RESPONSE_TOO_LARGE);
                    assertThat(tooLarge.error().message())
                            .isEqualTo("Decoding the content coding br takes more than 100 ms of CPU time, the limit"
                                    + " for each check.");
                });
                assertThat(allowance.decodingNanos()).isLessThan(TimeUnit.SECONDS.toNanos(1));
            }
        }
        HttpBody part = new HttpBody(BrotliEncoder.slow(5_000), false).decoded("br", LIMIT);
        assertThat(part.unreadable()).isFalse();
        assertThat(part.text(null)).matches("A+");
    }

    @Test
    void rejectsZstdWindowsOverEightMebibytes() throws Exception {
        assertThat(new HttpBody(zstdWithWindow(23), false)
                        .decoded("zstd", LIMIT)
                        .size())
                .isEqualTo(LIMIT);
        assertThat(new HttpBody(zstdWithWindow(24), false)
                        .decoded("zstd", LIMIT)
                        .unreadable())
                .isTrue();
    }

    @Test
    void decodesBombsInBoundedTimeAndMemory() throws Exception {
        byte[] zeros = new byte[50_000_000];
        byte[] brotli = Base64.getDecoder()
                .decode(
                        "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8E"
                                + "QBwWAOje//H//w/+CYA4LADQvf/L//8//BMAcVgAoHv/Bw==");
        Map<String, byte[]> bombs = Map.of(
                "br",
                brotli,
                "zstd",
                Zstd.compress(zeros),
                "gzip, zstd",
                Zstd.compress(gzip(zeros)),
                "br, gzip",
                gzip(brotli));
        bombs.forEach((coding, bomb) -> assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            HttpBody plain = new HttpBody(bomb, false).decoded(coding, LIMIT);

            assertThat(plain.size()).as(coding).isEqualTo(LIMIT);
            assertThat(plain.truncated()).isTrue();
            assertThat(plain.unreadable()).isFalse();
        }));
    }

    @Test
    void decodesOneMegabyteOfWorstCaseInputInBoundedTime() throws Exception {
        byte[] skippable = repeated(new byte[] {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0});
        byte[] emptyFrames = repeated(Zstd.compress(new byte[0]));
        byte[] emptyBlocks = repeated(new byte[] {0x06, 0, 0}); // meta-blocks without content
        emptyBlocks[0] = 0x0c;
        for (byte[] bytes : List.of(skippable, emptyFrames, emptyBlocks, content(1 << 20))) {
            for (String coding : List.of("br", "zstd", "zstd, zstd, zstd", "br, br, br")) {
                assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertThat(new HttpBody(bytes, false)
                                .decoded(coding, LIMIT)
                                .size())
                        .isLessThanOrEqualTo(1 << 20));
            }
        }
    }

    @Test
    void usesTheCharsetOfTheContentType() throws Exception {
        HttpBody body = new HttpBody(new byte[] {(byte) 0xe9}, false);

        assertThat(body.text("text/html; charset=\"ISO-8859-1\"")).isEqualTo("é");
        assertThat(body.text("text/html; charset=no-such-thing")).isEqualTo("\ufffd");
        assertThat(body.text(null)).isEqualTo("\ufffd");
    }

    @Property
    void decodesAnyBytesWithoutException(@ForAll byte[] bytes) throws Exception {
        HttpBody body = new HttpBody(bytes, false);

        for (String coding : List.of("gzip", "deflate", "br", "zstd")) {
            HttpBody plain = body.decoded(coding, 10);

            assertThat(plain.unreadable() || plain.size() <= 10).isTrue();
        }
    }

    @Property(tries = 300)
    void decodesDamagedBodiesWithoutException(
            @ForAll @IntRange(max = 5_000) int position, @ForAll byte damage, @ForAll @IntRange(max = 20) int cut)
            throws Exception {
        byte[] content = content(5_000);
        for (String coding : List.of("gzip", "deflate", "br", "zstd")) {
            byte[] encoded = encoded(coding, content);
            encoded[position % encoded.length] ^= damage;

            HttpBody plain = new HttpBody(Arrays.copyOf(encoded, encoded.length - cut), false).decoded(coding, LIMIT);

            assertThat(plain.size()).isLessThanOrEqualTo(LIMIT);
        }
    }

    private static byte[] content(int size) {
        byte[] content = new byte[size];
        new Random(1).nextBytes(content);
        for (int i = 0; i < size; i++) {
            content[i] = (byte) ('a' + (content[i] & 7));
        }
        return content;
    }

    private static byte[] repeated(byte[] part) {
        byte[] all = new byte[1 << 20];
        for (int i = 0; i < all.length; i++) {
            all[i] = part[i % part.length];
        }
        return all;
    }

    private static byte[] encoded(String coding, byte[] content) {
        try {
            return switch (coding) {
                case "br" -> BrotliEncoder.encode(content);
                case "zstd" -> Zstd.compress(content);
                case "gzip" -> gzip(content);
                default -> {
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    try (DeflaterOutputStream deflate = new DeflaterOutputStream(out)) {
                        deflate.write(content);
                    }
                    yield out.toByteArray();
                }
            };
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static byte[] zstdWithWindow(int log) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZstdOutputStream zstd = new ZstdOutputStream(out)) {
            zstd.setLong(log);
            zstd.write(new byte[20_000_000]);
        }
        return out.toByteArray();
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }
}
