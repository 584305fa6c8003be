package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.concurrent.Scheduler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

/** Timeouts of DNS lookups. */
final class DnsTimeout {
    private DnsTimeout() {}

    /** A promise that fails with {@code dns_timeout} after this time. */
    static <T> Promise<T> after(Vertx vertx, long millis) {
        Promise<T> promise = Promise.promise();
        Runnable cancel = Scheduler.of(vertx).after(millis, () -> promise.tryFail(failure()));
        promise.future().onComplete(done -> cancel.run());
        return promise;
    }

    static CheckFailure failure() {
        return new CheckFailure(ErrorCode.DNS_TIMEOUT, "The DNS lookup timed out.");
    }

    static CheckFailure failure(String name) {
        return new CheckFailure(ErrorCode.DNS_TIMEOUT, "DNS lookup for " + name + " timed out.");
    }
}
