package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;

/**
 * Queries over one TCP connection, each sent after the response to the one before. Reads one message per query, so only
 * the first message of a zone transfer. Confined to the context of its connection.
 */
final class DnsTcpExchange {
    private final List<DnsQuestion> questions;
    private final SecureRandom random;
    private final Function<byte[], Future<Optional<Message>>> parser;
    private final Promise<List<Message>> outcome;
    private final List<Message> responses = new ArrayList<>(2);
    private Buffer received = Buffer.buffer();
    private @Nullable NetSocket socket;
    private boolean parsing;
    private int id;

    /**
     * @param parser decodes a message; empty if it is malformed
     * @param outcome receives the responses, at least one, or the failure
     */
    DnsTcpExchange(
            List<DnsQuestion> questions,
            SecureRandom random,
            Function<byte[], Future<Optional<Message>>> parser,
            Promise<List<Message>> outcome) {
        this.questions = questions;
        this.random = random;
        this.parser = parser;
        this.outcome = outcome;
    }

    void start(NetSocket opened) {
        if (outcome.future().isComplete()) {
            opened.close();
            return;
        }
        socket = opened;
        opened.exceptionHandler(broken -> stop(closed()));
        opened.closeHandler(closed -> stop(closed()));
        opened.handler(bytes -> {
            received.appendBuffer(bytes);
            read();
        });
        send(opened);
    }

    /** Ends the exchange with the responses so far, or with this failure if there is none. */
    void stop(Throwable cause) {
        if (responses.isEmpty()) {
            outcome.tryFail(cause);
        } else {
            outcome.tryComplete(List.copyOf(responses));
        }
        if (socket != null) {
            socket.close();
        }
    }

    private DnsQuestion question() {
        return questions.get(Math.min(responses.size(), questions.size() - 1));
    }

    private void send(NetSocket opened) {
        id = random.nextInt(0x10000);
        byte[] query = DnsMessageCodec.query(question().record(), id, question().flags());
        opened.write(Buffer.buffer(query.length + 2)
                .appendUnsignedShort(query.length)
                .appendBytes(query));
    }

    private void read() {
        int length = received.length() < 2 ? -1 : received.getUnsignedShort(0);
        NetSocket opened = socket;
        if (parsing || opened == null || length < 0 || received.length() < length + 2) {
            return;
        }
        byte[] message = received.getBytes(2, length + 2);
        if (!DnsMessageCodec.isResponseTo(message, id)) {
            stop(malformed());
            return;
        }
        parsing = true;
        opened.pause();
        parser.apply(message).onSuccess(response -> parsed(opened, response)).onFailure(this::stop);
    }

    private void parsed(NetSocket opened, Optional<Message> response) {
        parsing = false;
        if (response.isEmpty()
                || !DnsMessageCodec.matches(response.get(), question().record())) {
            stop(malformed());
            return;
        }
        responses.add(response.get());
        if (responses.size() == questions.size()) {
            stop(question().timeout());
            return;
        }
        received = Buffer.buffer();
        opened.resume();
        send(opened);
    }

    private CheckFailure malformed() {
        return question().failed("sent a malformed response over TCP.");
    }

    private CheckFailure closed() {
        return question().failed("closed the TCP connection without a response.");
    }
}
