package dev.plumbline.http.server;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.Validator;
import io.vertx.json.schema.common.dsl.SchemaType;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import io.vertx.openapi.validation.RequestParameter;
import io.vertx.openapi.validation.RequestUtils;
import io.vertx.openapi.validation.ValidatableRequest;
import io.vertx.openapi.validation.ValidatorErrorType;
import io.vertx.openapi.validation.ValidatorException;
import io.vertx.openapi.validation.impl.RequestValidatorImpl;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validates the parameters of requests on the event loop; bodies are left to those who read them.
 * The router's own validation hands each request to a worker thread, one after the other: right for
 * a large body, but for a few short strings the way there costs many times the work. It also reads
 * a string as the inside of a JSON string, and so refuses every value with a quote or a backslash
 * in it.
 */
final class ParameterValidator {
    private static final Pattern WHOLE_NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,17})");
    private static final Future<Buffer> NO_BODY = Future.succeededFuture(Buffer.buffer());

    private final OpenAPIContract contract;
    private final RequestValidatorImpl library;

    ParameterValidator(Vertx vertx, OpenAPIContract contract) {
        this.contract = contract;
        this.library = new RequestValidatorImpl(vertx, contract);
    }

    Handler<RoutingContext> of(Operation operation) {
        Map<Parameter, Predicate<String>> strings = new HashMap<>();
        for (Parameter parameter : operation.getParameters()) {
            if (parameter.getSchemaType() == SchemaType.STRING) {
                strings.put(parameter, stringRule(parameter.getSchema()));
            }
        }
        return ctx -> {
            try {
                // with a body at hand the extraction has nothing to wait for
                ValidatableRequest request = RequestUtils.extract(ctx.request(), operation, () -> NO_BODY)
                        .result();
                for (Parameter parameter : operation.getParameters()) {
                    spelling(ctx, parameter);
                    validate(parameter, strings.get(parameter), valueOf(request, parameter));
                }
            } catch (ValidatorException wrong) {
                ctx.fail(400, wrong);
                return;
            }
            ctx.next();
        };
    }

    /** What a string must be; most schemas say nothing but how short it may be. */
    private Predicate<String> stringRule(JsonSchema schema) {
        Set<String> keywords = new HashSet<>(schema.fieldNames());
        // annotations: the validator's own, and those that constrain nothing
        keywords.removeIf(keyword -> keyword.startsWith("__") || keyword.startsWith("$"));
        keywords.removeAll(Set.of("type", "description", "example", "minLength"));
        if (keywords.isEmpty()) {
            int shortest = schema.get("minLength", 0);
            return value -> value.codePointCount(0, value.length()) >= shortest;
        }
        Validator validator = contract.getSchemaRepository().validator(schema);
        return value -> Boolean.TRUE.equals(validator.validate(value).getValid());
    }

    /** The library reads a number as JSON, with spaces around it, which is what a plus sign means. */
    private static void spelling(RoutingContext ctx, Parameter parameter) {
        if (parameter.getSchemaType() != SchemaType.INTEGER || parameter.getIn() != Location.QUERY) {
            return;
        }
        for (String value : ctx.queryParam(parameter.getName())) {
            if (!WHOLE_NUMBER.matcher(value).matches()) {
                throw new ValidatorException(
                        "The parameter "
                                + parameter.getName()
                                + " is no whole number; write it in digits alone"
                                + (value.startsWith(" ") ? " (a plus sign in a query stands for a space)." : "."),
                        ValidatorErrorType.INVALID_VALUE);
            }
        }
    }

    private void validate(Parameter parameter, @Nullable Predicate<String> rule, @Nullable RequestParameter value) {
        if (rule == null || value == null || value.isNull()) {
            library.validateParameter(parameter, value);
        } else if (!rule.test(value.getString())) {
            throw new ValidatorException(
                    "The parameter " + parameter.getName() + " is not as it must be: " + rule(parameter),
                    ValidatorErrorType.INVALID_VALUE);
        }
    }

    /** What openapi.json says of it first. */
    private static String rule(Parameter parameter) {
        String description = parameter.getOpenAPIModel().getString("description", "see openapi.json.");
        int end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }

    private static @Nullable RequestParameter valueOf(ValidatableRequest request, Parameter parameter) {
        Map<String, RequestParameter> values =
                switch (parameter.getIn()) {
                    case PATH -> request.getPathParameters();
                    case QUERY -> request.getQuery();
                    case HEADER -> request.getHeaders();
                    case COOKIE -> request.getCookies();
                };
        return values.get(parameter.getName());
    }
}
