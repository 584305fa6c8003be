package dev.plumbline.http.server;

import dev.plumbline.config.Config;
import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sees each connection as it is accepted, before Vert.x does: so many at once, and each with a
 * bound on the time that a request's head may take. One for the whole process.
 */
@Sharable
public final class ConnectionLimitHandler extends ChannelInboundHandlerAdapter {
    private final Config.HttpSettings config;
    private final HttpServerOptions options;
    private final ProblemResponder problems;
    private final HttpMetrics metrics;
    private final AtomicInteger open = new AtomicInteger();
    private final Set<ConnectionState> watches = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Channel acceptor;
    private volatile @Nullable Runnable empty;
    private volatile boolean draining;
    private volatile long drainMillis;

    public ConnectionLimitHandler(Config.HttpSettings config, ProblemResponder problems, HttpMetrics metrics) {
        this.config = config;
        this.options = HttpServerSettings.of(config);
        this.problems = problems;
        this.metrics = metrics;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        acceptor = ctx.channel();
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Channel accepted) {
            boolean room = open.incrementAndGet() <= config.maxConnections();
            ConnectionState watch = new ConnectionState(this, accepted, room);
            watches.add(watch);
            accepted.closeFuture().addListener(closed -> ended(watch));
            accepted.pipeline().addLast("bytes", watch.new Bytes());
            // who has said all may still listen
            accepted.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            if (draining) {
                GracefulShutdown.hearAgain(accepted);
            }
        }
        ctx.fireChannelRead(message);
    }

    private void ended(ConnectionState watch) {
        watches.remove(watch);
        Runnable waiting = empty;
        if (open.decrementAndGet() == 0 && waiting != null) {
            waiting.run();
        }
    }

    boolean watches(int serverPort) {
        return serverPort == config.port();
    }

    /** Vert.x has set a connection up, and its protocol is known. */
    static void speaks(HttpConnection connection) {
        if (connection instanceof ConnectionBase base) {
            ChannelPipeline pipeline = base.channel().pipeline();
            ConnectionState watch = ConnectionState.of(pipeline);
            if (watch != null) {
                watch.speaks(pipeline, connection);
            }
        }
    }

    /** How many connections there are. */
    public int open() {
        return open.get();
    }

    /** Whether connections are encrypted, so that nothing can be said before the handshake. */
    boolean isTls() {
        return options.isSsl();
    }

    StrictRequestDecoder decoder() {
        return new StrictRequestDecoder(options);
    }

    long headMillis() {
        return config.headerTimeout().toMillis();
    }

    long bodyMillis() {
        return config.bodyTimeout().toMillis();
    }

    Problem lateHead() {
        return ProblemResponder.late("Send the whole head of a request within "
                + config.headerTimeout().toSeconds()
                + " seconds.");
    }

    Problem lateBody() {
        return ProblemResponder.late("Send the whole body of a request within "
                + config.bodyTimeout().toSeconds()
                + " seconds.");
    }

    /**
     * An answer to what is never routed.
     *
     * @param request null when not even its head came
     */
    FullHttpResponse refusal(Problem problem, @Nullable HttpRequest request) {
        metrics.count("none", problem.status());
        return problems.refusal(problem, request);
    }

    /** What accepts the connections; null until it does. */
    @Nullable
    Channel acceptor() {
        return acceptor;
    }

    boolean isDraining() {
        return draining;
    }

    /** How long a connection may take to end. */
    long drainMillis() {
        return drainMillis;
    }

    /** Lets all connections end, those that are yet to come too. */
    void drain(long atMostMillis) {
        drainMillis = atMostMillis;
        draining = true;
        watches.forEach(ConnectionState::drain);
    }

    /** Runs that once there is no connection; none may be accepted any more. */
    void whenEmpty(Runnable then) {
        empty = then;
        if (open.get() == 0) {
            then.run();
        }
    }

    /** Answers the first bytes of one connection too many. */
    void turnAway(ChannelHandlerContext ctx) {
        if (isTls()) {
            ctx.close();
        } else {
            ctx.writeAndFlush(Unpooled.wrappedBuffer(problems.tooManyConnections()))
                    .addListener(written -> LingeringClose.of(ctx.channel()));
        }
    }
}
