package dev.plumbline.http;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import io.vertx.openapi.validation.RequestParameter;
import io.vertx.openapi.validation.RequestUtils;
import io.vertx.openapi.validation.ValidatableRequest;
import io.vertx.openapi.validation.ValidatorException;
import io.vertx.openapi.validation.impl.RequestValidatorImpl;
import java.util.Map;

/**
 * Validates the parameters of requests that have no body, on the event loop. The router's own
 * validation hands each request to a worker thread, one after the other; that is right for a large
 * body, but for a few short strings the way there costs many times the work.
 */
final class ParameterValidation {
  private final RequestValidatorImpl validator;

  ParameterValidation(Vertx vertx, OpenAPIContract contract) {
    this.validator = new RequestValidatorImpl(vertx, contract);
  }

  /** Whether an operation can be validated here. */
  static boolean suits(Operation operation) {
    return operation.getRequestBody() == null;
  }

  Handler<RoutingContext> of(Operation operation) {
    return ctx -> {
      try {
        // without a body the extraction has nothing to wait for
        ValidatableRequest request = RequestUtils.extract(ctx.request(), operation).result();
        for (Parameter parameter : operation.getParameters()) {
          validator.validateParameter(
              parameter, valuesOf(request, parameter).get(parameter.getName()));
        }
      } catch (ValidatorException wrong) {
        ctx.fail(400, wrong);
        return;
      }
      ctx.next();
    };
  }

  private static Map<String, RequestParameter> valuesOf(
      ValidatableRequest request, Parameter parameter) {
    return switch (parameter.getIn()) {
      case PATH -> request.getPathParameters();
      case QUERY -> request.getQuery();
      case HEADER -> request.getHeaders();
      case COOKIE -> request.getCookies();
    };
  }
}
