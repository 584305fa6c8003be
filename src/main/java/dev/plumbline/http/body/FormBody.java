package dev.plumbline.http.body;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
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
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A submitted form that can contain files: {@code multipart/form-data} (RFC 7578) or
 * {@code application/x-www-form-urlencoded}.
 *
 * @param values the values by field, in order
 * @param files the files by field, in order, without empty files that have no name
 */
public record FormBody(ListMultimap<String, String> values, ListMultimap<String, File> files) {
    static final String MULTIPART = "multipart/form-data";
    static final String URLENCODED = "application/x-www-form-urlencoded";

    private static final int MAX_BYTES = 16 << 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_FIELDS = 100;

    /**
     * An uploaded file.
     *
     * @param name the file name sent by the client; not validated
     */
    public record File(String name, byte[] content) {}

    static boolean isForm(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        String plain = mediaType(contentType);
        return plain.equals(URLENCODED) || plain.equals(MULTIPART);
    }

    private static String mediaType(String contentType) {
        return contentType.toLowerCase(Locale.ROOT).split(";", 2)[0].strip();
    }

    /**
     * Reads a small form without files.
     *
     * @param next called at most once, on the context of the request; not called if the form is malformed
     */
    public static void read(RoutingContext ctx, RequestBodyReader bodies, Consumer<FormBody> next) {
        bodies.read(ctx, URLENCODED, MAX_BYTES, TIMEOUT, body -> {
            FormBody form = parse(URLENCODED, body);
            // Netty replaces bytes that are not UTF-8
            if (form.values.toString().indexOf('\ufffd') >= 0) {
                throw malformed();
            }
            next.accept(form);
        });
    }

    /**
     * Parses a form. A large one must be parsed on a worker thread.
     *
     * @param contentType the Content-Type of the body
     * @throws ProblemException 400 if the form is malformed or has more than 100 fields
     */
    public static FormBody parse(String contentType, Buffer body) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.wrappedBuffer(body.getBytes()));
        request.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
        // no temporary files
        DefaultHttpDataFactory inMemory = new DefaultHttpDataFactory(false);
        HttpPostRequestDecoder decoder = null;
        try {
            decoder = new HttpPostRequestDecoder(
                    inMemory, request, StandardCharsets.UTF_8, MAX_FIELDS, Integer.MAX_VALUE);
            // without a boundary, Netty reads it as a form that is URL-encoded
            if (decoder.isMultipart() != mediaType(contentType).equals(MULTIPART)) {
                throw malformed();
            }
            return collect(decoder.getBodyHttpDatas());
        } catch (IOException | RuntimeException e) {
            throw malformed();
        } finally {
            if (decoder != null) {
                decoder.destroy();
            }
            request.release();
        }
    }

    private static ProblemException malformed() {
        return new ProblemException(Problem.badRequest("The form data is malformed. Reload the page and try again."));
    }

    private static FormBody collect(List<InterfaceHttpData> parts) throws IOException {
        ListMultimap<String, String> values = ArrayListMultimap.create();
        ListMultimap<String, File> files = ArrayListMultimap.create();
        for (InterfaceHttpData part : parts) {
            if (part instanceof Attribute attribute) {
                values.put(attribute.getName(), attribute.getValue());
            } else if (part instanceof FileUpload file
                    && (file.length() > 0 || !file.getFilename().isEmpty())) {
                files.put(file.getName(), new File(file.getFilename(), file.get()));
            }
        }
        return new FormBody(values, files);
    }

    /** The last value of a field; empty if there is none. A hidden field with the default precedes each check box. */
    public String text(String name) {
        List<String> all = all(name);
        return all.isEmpty() ? "" : all.get(all.size() - 1);
    }

    /** All values of a field, in order. */
    public List<String> all(String name) {
        return values.get(name);
    }
}
