package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResponseCollectorTest {
    private final Vertx vertx = Vertx.vertx();
    private final MemoryHolder memory = new MemoryBudget(vertx, 1 << 20, 1).open("a", 1 << 20);
    private final Promise<ResponseCollector.Response> response = Promise.promise();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @AfterEach
    void close() {
        channel.close();
        Await.value(vertx.close());
    }

    private Throwable failure(Throwable cause) {
        Target.Url url = TargetParser.tryUrl("http://a.test/", "http");
        channel.pipeline()
                .addLast(new Http1ResponseReader(new ResponseCollector(
                        channel,
                        response,
                        HttpRequestSpec.get(url, 100),
                        TestCheckContext.create().withMemory(memory),
                        () -> false)));
        channel.pipeline().fireExceptionCaught(cause);
        return response.future().cause();
    }

    /** The error that Netty throws if the direct memory is exhausted. */
    @Test
    void failsWithOverloadWithoutDirectMemory() {
        assertThat(failure(new DecoderException(new OutOfMemoryError("direct"))))
                .isInstanceOf(OverloadFailure.class);
        assertThat(memory.refused()).isTrue();
    }

    @Test
    void doesNotConvertOwnErrors() {
        Throwable own = new StackOverflowError("own");
        assertThat(failure(own)).isSameAs(own);
        assertThat(memory.refused()).isFalse();
    }

    @Test
    void reportsMalformedResponses() {
        assertThat(failure(new DecoderException("malformed")))
                .isInstanceOfSatisfying(
                        CheckFailure.class,
                        invalid -> assertThat(invalid.error().code()).isEqualTo(ErrorCode.HTTP_PROTOCOL_ERROR));
    }
}
