package dev.plumbline.check;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.trace.TypedFailure;
import io.vertx.core.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A probe could not complete an exchange with a target. It has no stack trace, because it is an expected and frequent
 * outcome.
 */
public final class CheckFailure extends Exception implements TypedFailure {
    private final transient CheckError error;

    public CheckFailure(ErrorCode code, String message) {
        this(new CheckError(code, message));
    }

    public CheckFailure(CheckError error) {
        super(error.message(), null, false, false);
        this.error = error;
    }

    public static boolean hasCode(@Nullable Throwable cause, ErrorCode code) {
        return cause instanceof CheckFailure failure && failure.error.code() == code;
    }

    /** A function for {@link Future#recover} that replaces a failure of this class by a value. */
    public static <T extends @Nullable Object> Function<Throwable, Future<T>> otherwise(Function<CheckError, T> value) {
        return cause -> cause instanceof CheckFailure failure
                ? Future.succeededFuture(value.apply(failure.error))
                : Future.failedFuture(cause);
    }

    /** As {@link #otherwise(Function)}, but failures with the code {@code except} remain failures. */
    public static <T extends @Nullable Object> Function<Throwable, Future<T>> otherwise(
            ErrorCode except, Function<CheckError, T> value) {
        Function<Throwable, Future<T>> any = otherwise(value);
        return cause -> hasCode(cause, except) ? Future.failedFuture(cause) : any.apply(cause);
    }

    @Override
    public String errorType() {
        return error.code().id();
    }

    public CheckError error() {
        return error;
    }
}
