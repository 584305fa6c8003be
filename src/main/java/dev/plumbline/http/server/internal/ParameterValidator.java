package dev.plumbline.http.server.internal;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.PrintableText;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.Validator;
import io.vertx.json.schema.common.dsl.SchemaType;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import io.vertx.openapi.validation.ValidatorErrorType;
import io.vertx.openapi.validation.ValidatorException;
import io.vertx.openapi.validation.impl.RequestParameterImpl;
import io.vertx.openapi.validation.impl.RequestValidatorImpl;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validates request parameters on the event loop. Bodies are validated by their readers. The validation of the Vert.x
 * router runs each request on a worker thread, which costs more than the validation itself, and rejects values with a
 * quote or backslash because it parses them as JSON predicates.
 */
public final class ParameterValidator {
    private static final int MAX_FAULTS = 100;
    private static final int MAX_SHOWN = 64;
    private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9][0-9]{0,17})");

    private final OpenAPIContract contract;
    private final RequestValidatorImpl validator;

    public ParameterValidator(Vertx vertx, OpenAPIContract contract) {
        this.contract = contract;
        this.validator = new RequestValidatorImpl(vertx, contract);
    }

    public Handler<RoutingContext> handler(Operation operation) {
        Map<Parameter, Predicate<String>> predicates = new HashMap<>();
        for (Parameter parameter : operation.getParameters()) {
            if (parameter.getSchemaType() == SchemaType.STRING) {
                predicates.put(parameter, stringPredicate(parameter.getSchema()));
            }
        }
        List<String> query = operation.getParameters().stream()
                .filter(parameter -> parameter.getIn() == Location.QUERY)
                .map(Parameter::getName)
                .toList();
        // the properties of an object are validated by the operation, and a document without parameters ignores all
        boolean closed = !query.isEmpty()
                && operation.getParameters().stream()
                        .noneMatch(parameter ->
                                parameter.getIn() == Location.QUERY && parameter.getSchemaType() == SchemaType.OBJECT);
        return ctx -> {
            if (closed && !query.containsAll(ctx.queryParams().names())) {
                ctx.fail(new ProblemException(unknown(ctx.queryParams().names(), query)));
                return;
            }
            for (Parameter parameter : operation.getParameters()) {
                if (isRepeated(ctx, parameter)) {
                    ctx.fail(new ProblemException(Problem.invalidParameters(
                            List.of(Problem.Fault.parameter(parameter.getName(), "must not be repeated")))));
                    return;
                }
                try {
                    validateInteger(ctx, parameter);
                    validate(parameter, predicates.get(parameter), valueOf(ctx, parameter));
                } catch (ValidatorException e) {
                    ctx.fail(400, new ProblemException(problem(parameter.getName(), ExceptionMessage.of(e))));
                    return;
                }
            }
            ctx.next();
        };
    }

    /** Whether a parameter with one value has several. The operation would read only one of them. */
    private static boolean isRepeated(RoutingContext ctx, Parameter parameter) {
        return parameter.getIn() == Location.QUERY
                && !(parameter.getSchemaType() == SchemaType.ARRAY && parameter.isExplode())
                && ctx.queryParam(parameter.getName()).size() > 1;
    }

    /** @param known the query parameters of the operation */
    private static Problem unknown(Set<String> names, List<String> known) {
        return Problem.invalidParameters(new TreeSet<>(names)
                .stream()
                        .filter(name -> !known.contains(name))
                        .limit(MAX_FAULTS)
                        .map(name -> Problem.Fault.parameter(
                                PrintableText.shorten(name, MAX_SHOWN),
                                "is not a parameter of this operation. Parameters: " + String.join(", ", known) + "."))
                        .toList());
    }

    private static Problem problem(String parameter, String message) {
        return Problem.badRequest(message).withFaults(List.of(Problem.Fault.parameter(parameter, message)));
    }

    /** Returns the validation of a string parameter. Most schemas have no keyword except minLength. */
    private Predicate<String> stringPredicate(JsonSchema schema) {
        Set<String> keywords = new HashSet<>(schema.fieldNames());
        // annotations of the validator, and keywords without constraints
        keywords.removeIf(keyword -> keyword.startsWith("__") || keyword.startsWith("$"));
        keywords.removeAll(Set.of("type", "description", "example", "minLength"));
        if (keywords.isEmpty()) {
            int minLength = schema.get("minLength", 0);
            return value -> value.codePointCount(0, value.length()) >= minLength;
        }
        Validator schemaValidator = contract.getSchemaRepository().validator(schema);
        return value -> Boolean.TRUE.equals(schemaValidator.validate(value).getValid());
    }

    /** The library parses integers as JSON and accepts surrounding spaces (plus signs in the query). */
    private static void validateInteger(RoutingContext ctx, Parameter parameter) {
        if (parameter.getSchemaType() != SchemaType.INTEGER || parameter.getIn() != Location.QUERY) {
            return;
        }
        for (String value : ctx.queryParam(parameter.getName())) {
            if (!INTEGER.matcher(value).matches()) {
                String hint = value.startsWith(" ") ? " (a plus sign in a query is a space)." : ".";
                throw new ValidatorException(
                        "Parameter " + parameter.getName() + " must be an integer in decimal digits" + hint,
                        ValidatorErrorType.INVALID_VALUE);
            }
            long number = Long.parseLong(value);
            long min =
                    parameter.getSchema().<Number>get("minimum", Long.MIN_VALUE).longValue();
            long max =
                    parameter.getSchema().<Number>get("maximum", Long.MAX_VALUE).longValue();
            if (number < min || number > max) {
                throw new ValidatorException(
                        "Parameter " + parameter.getName() + " is " + number + ". It must be an integer from " + min
                                + " to " + max + ".",
                        ValidatorErrorType.INVALID_VALUE);
            }
        }
    }

    private void validate(Parameter parameter, @Nullable Predicate<String> predicate, @Nullable String value) {
        if (predicate != null && value == null && parameter.isRequired()) {
            throw new ValidatorException(
                    "Parameter " + parameter.getName() + " is required. Expected: " + expected(parameter),
                    ValidatorErrorType.MISSING_REQUIRED_PARAMETER);
        }
        if (predicate == null || value == null) {
            validator.validateParameter(parameter, new RequestParameterImpl(value));
        } else if (!predicate.test(value)) {
            throw new ValidatorException(
                    "Parameter " + parameter.getName() + " is not valid. Expected: " + expected(parameter),
                    ValidatorErrorType.INVALID_VALUE);
        }
    }

    /** Returns the first sentence of the description in openapi.json. */
    private static String expected(Parameter parameter) {
        String description = parameter.getOpenAPIModel().getString("description", "see openapi.json.");
        int end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }

    /**
     * Returns the first value as the operation reads it: paths and queries are percent-decoded once, headers are not.
     * The library decodes queries twice, and headers too. Null for an object, whose properties are the options of the
     * module, and for an array, whose values the operation validates.
     */
    private static @Nullable String valueOf(RoutingContext ctx, Parameter parameter) {
        if (parameter.getSchemaType() == SchemaType.OBJECT || parameter.getSchemaType() == SchemaType.ARRAY) {
            return null;
        }
        String name = parameter.getName();
        return switch (parameter.getIn()) {
            case PATH -> ctx.pathParam(name);
            case QUERY -> ctx.queryParams().get(name);
            case HEADER -> ctx.request().getHeader(name);
            case COOKIE -> throw new IllegalArgumentException("cookie parameters are not supported");
        };
    }
}
