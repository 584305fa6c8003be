package dev.plumbline.http.body;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A submitted form without files ({@code application/x-www-form-urlencoded}). */
public final class FormBody {
    private static final int MAX_BYTES = 16 << 10;
    private static final int MAX_FIELDS = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Map<String, List<String>> values;

    private FormBody(Map<String, List<String>> values) {
        this.values = values;
    }

    /**
     * Reads the form. A malformed form gets a problem response.
     *
     * @param next called at most once, on the context of the request
     */
    public static void read(
            RoutingContext ctx, RequestBodyReader bodies, ProblemResponder problems, Consumer<FormBody> next) {
        bodies.readForm(ctx, MAX_BYTES, TIMEOUT, body -> {
            FormBody form;
            try {
                form = parse(body);
            } catch (IllegalArgumentException e) {
                problems.send(ctx, Problem.badRequest("The form data is malformed. Reload the page and try again."));
                return;
            }
            next.accept(form);
        });
    }

    /** The first value of a field; empty if the field is absent. */
    public String text(String name) {
        List<String> all = all(name);
        return all.isEmpty() ? "" : all.get(0);
    }

    /** All values of a field, in order. */
    public List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    /**
     * Parses the fields (WHATWG URL, 5.1).
     *
     * @throws IllegalArgumentException if a percent sign is not followed by two hexadecimal digits, or if the bytes are
     *     not UTF-8
     */
    static FormBody parse(Buffer body) {
        String text = body.toString(StandardCharsets.UTF_8);
        Map<String, List<String>> values =
                new QueryStringDecoder(text, StandardCharsets.UTF_8, false, MAX_FIELDS, true).parameters();
        // Netty replaces bytes that are not UTF-8
        if (values.toString().indexOf('\ufffd') >= 0) {
            throw new IllegalArgumentException("not UTF-8");
        }
        return new FormBody(values);
    }
}
