package dev.plumbline.http.body;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A small form that a page of ours has sent ({@code application/x-www-form-urlencoded}). */
public final class FormBody {
    private static final int MOST_BYTES = 16 << 10;
    private static final Duration WITHIN = Duration.ofSeconds(10);

    private final Map<String, List<String>> values;

    private FormBody(Map<String, List<String>> values) {
        this.values = values;
    }

    /**
     * Reads it; a request whose body is none is answered.
     *
     * @param then called at most once, on the context of the request
     */
    public static void read(
            RoutingContext ctx, RequestBodyReader bodies, ProblemResponder problems, Consumer<FormBody> then) {
        bodies.readForm(ctx, MOST_BYTES, WITHIN, body -> {
            FormBody form;
            try {
                form = parse(body);
            } catch (CharacterCodingException | NumberFormatException broken) {
                problems.send(ctx, Problem.badRequest("The form is broken; load its page and send it again."));
                return;
            }
            try {
                then.accept(form);
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    /** What was typed into a field; empty if it was not sent. */
    public String text(String name) {
        List<String> given = all(name);
        return given.isEmpty() ? "" : given.get(0);
    }

    /** All that was sent under a name, for example of boxes that were ticked. */
    public List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    /**
     * The WHATWG URL standard, 5.1, but for bytes that are no UTF-8: these are refused.
     *
     * @throws NumberFormatException where no two hexadecimal digits follow a per cent sign
     */
    static FormBody parse(Buffer body) throws CharacterCodingException {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (String pair : body.toString(StandardCharsets.ISO_8859_1).split("&", -1)) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
                values.computeIfAbsent(name, none -> new ArrayList<>()).add(value);
            }
        }
        return new FormBody(values);
    }

    private static String decoded(String text) throws CharacterCodingException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                if (i + 2 >= text.length() || text.charAt(i + 1) == '+' || text.charAt(i + 1) == '-') {
                    throw new NumberFormatException();
                }
                bytes.write(Integer.parseInt(text, i + 1, i + 3, 16));
                i += 2;
            } else {
                bytes.write(c == '+' ? ' ' : c);
            }
        }
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes.toByteArray()))
                .toString();
    }
}
