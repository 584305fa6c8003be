package dev.plumbline.http.body;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.multipart.Attribute;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.FileUpload;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder;
import io.netty.handler.codec.http.multipart.InterfaceHttpData;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A form as a browser sends it: {@code application/x-www-form-urlencoded}, or {@code
 * multipart/form-data} (RFC 7578), where files may come too.
 *
 * @param values of each field, in order
 * @param files by the names of their fields; those that are empty and have no name are left out
 */
public record UploadForm(Map<String, List<String>> values, Map<String, File> files) {
    static final String MULTIPART = "multipart/form-data";

    private static final int MOST_FIELDS = 100;
    private static final String URLENCODED = "application/x-www-form-urlencoded";

    /**
     * A file that somebody has chosen.
     *
     * @param name as they call it, whatever that is
     */
    public record File(String name, byte[] content) {}

    /** Whether a body of this type is a form. */
    static boolean isOne(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        String plain = contentType.toLowerCase(Locale.ROOT).split(";", 2)[0].strip();
        return plain.equals(URLENCODED) || plain.equals(MULTIPART);
    }

    /**
     * Reads a form. What is large is better read beside the event loop.
     *
     * @param contentType of a body that is a form
     * @throws IllegalArgumentException when it is none, or has more than 100 fields
     */
    public static UploadForm read(String contentType, Buffer body) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.wrappedBuffer(body.getBytes()));
        request.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
        // all is in memory already, and nothing is to be written to a disk
        DefaultHttpDataFactory inMemory = new DefaultHttpDataFactory(false);
        HttpPostRequestDecoder decoder = null;
        try {
            decoder = new HttpPostRequestDecoder(
                    inMemory, request, StandardCharsets.UTF_8, MOST_FIELDS, Integer.MAX_VALUE);
            return gather(decoder.getBodyHttpDatas());
        } catch (IOException | RuntimeException broken) {
            throw new IllegalArgumentException("The form cannot be read; send it again.", broken);
        } finally {
            if (decoder != null) {
                decoder.destroy();
            }
            request.release();
        }
    }

    private static UploadForm gather(List<InterfaceHttpData> parts) throws IOException {
        Map<String, List<String>> values = new LinkedHashMap<>();
        Map<String, File> files = new LinkedHashMap<>();
        for (InterfaceHttpData part : parts) {
            if (part instanceof Attribute attribute) {
                values.computeIfAbsent(attribute.getName(), none -> new ArrayList<>())
                        .add(attribute.getValue());
            } else if (part instanceof FileUpload file
                    && (file.length() > 0 || !file.getFilename().isEmpty())) {
                files.putIfAbsent(file.getName(), new File(file.getFilename(), file.get()));
            }
        }
        return new UploadForm(values, files);
    }

    /**
     * The last value of a field, since a hidden one stands before each box; empty if there is none.
     */
    public String value(String name) {
        List<String> all = values.getOrDefault(name, List.of());
        return all.isEmpty() ? "" : all.get(all.size() - 1);
    }
}
