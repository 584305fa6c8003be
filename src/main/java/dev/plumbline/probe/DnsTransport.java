package dev.plumbline.probe;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;

/**
 * Asks one server one question: over UDP from a port that few share and with a random id, and over
 * TCP when the answer was truncated. What does not belong to the question is passed over.
 */
final class DnsTransport {
  /** What an event loop may parse, in bytes; larger answers are parsed beside it. */
  private static final int MOST_AT_ONCE = 4_096;

  private final Vertx vertx;
  private final NetClient tcp;
  private final SecureRandom random = new SecureRandom();
  private final ConcurrentMap<Place, DnsPort> ports = new ConcurrentHashMap<>();

  private record Place(Context loop, boolean v6) {}

  DnsTransport(Vertx vertx, Duration timeout) {
    this.vertx = vertx;
    this.tcp =
        vertx.createNetClient(
            new NetClientOptions()
                .setConnectTimeout((int) Math.max(1, timeout.toMillis()))
                .setReconnectAttempts(0));
  }

  /** The answer; or a {@link CheckFailure} of {@code dns_timeout} or {@code dns_servfail}. */
  Future<Message> exchange(
      SocketAddress server, Record question, boolean edns, long timeoutMillis) {
    Promise<Message> outcome = DnsTimeout.after(vertx, timeoutMillis);
    Context loop = vertx.getOrCreateContext();
    if (loop.isEventLoopContext() && Vertx.currentContext() == loop) {
      overUdp(loop, server, question, edns, outcome);
    } else {
      loop.runOnContext(turn -> overUdp(loop, server, question, edns, outcome));
    }
    return outcome.future();
  }

  private void overUdp(
      Context loop, SocketAddress server, Record question, boolean edns, Promise<Message> outcome) {
    Promise<Message> told = Promise.promise();
    outcome.future().onFailure(told::tryFail);
    told.future()
        .onFailure(outcome::tryFail)
        .onSuccess(
            answer -> {
              if (answer.getHeader().getFlag(Flags.TC)) {
                overTcp(server, question, edns, outcome);
              } else {
                outcome.tryComplete(answer);
              }
            });
    DnsPort port;
    try {
      port = port(loop, server.hostAddress().indexOf(':') >= 0);
    } catch (RuntimeException noSocket) {
      outcome.tryFail(failed("The DNS resolver could not be asked."));
      return;
    }
    port.ask(server, question, edns, told);
  }

  /** The port from which the next question of an event loop is asked. */
  private DnsPort port(Context loop, boolean v6) {
    return ports.compute(
        new Place(loop, v6),
        (place, port) ->
            port != null && port.mayAsk()
                ? port
                : new DnsPort(vertx, v6, random, closed -> ports.remove(place, closed)));
  }

  private void overTcp(
      SocketAddress server, Record question, boolean edns, Promise<Message> outcome) {
    int id = random.nextInt(0x10000);
    Buffer query = Buffer.buffer(DnsWire.query(question, id, edns).toWire());
    tcp.connect(server)
        .onFailure(broken -> outcome.tryFail(failed("The DNS resolver does not answer over TCP.")))
        .onSuccess(
            socket -> {
              outcome.future().onComplete(done -> socket.close());
              if (!outcome.future().isComplete()) {
                readTcp(socket, question, id, outcome);
                socket.write(
                    Buffer.buffer(query.length() + 2)
                        .appendUnsignedShort(query.length())
                        .appendBuffer(query));
              }
            });
  }

  private void readTcp(NetSocket socket, Record question, int id, Promise<Message> outcome) {
    Buffer received = Buffer.buffer();
    socket.exceptionHandler(broken -> outcome.tryFail(failed("The DNS resolver was cut off.")));
    socket.closeHandler(
        closed -> outcome.tryFail(failed("The DNS resolver closed without an answer.")));
    socket.handler(
        bytes -> {
          received.appendBuffer(bytes);
          int length = received.length() < 2 ? -1 : received.getUnsignedShort(0);
          if (length < 0 || received.length() < length + 2 || outcome.future().isComplete()) {
            return;
          }
          Buffer message = received.getBuffer(2, length + 2);
          socket.handler(null);
          parsed(message, id)
              .onSuccess(
                  answer -> {
                    if (answer.isPresent()
                        && DnsWire.belongs(answer.get(), question)
                        && !answer.get().getHeader().getFlag(Flags.TC)) {
                      outcome.tryComplete(answer.get());
                    } else {
                      outcome.tryFail(failed("The DNS resolver sent a malformed answer over TCP."));
                    }
                  })
              .onFailure(outcome::tryFail);
        });
  }

  private Future<Optional<Message>> parsed(Buffer message, int id) {
    if (!DnsWire.claimsToAnswer(message, id)) {
      return Future.succeededFuture(Optional.empty());
    }
    return message.length() <= MOST_AT_ONCE
        ? Future.succeededFuture(Optional.ofNullable(DnsWire.parse(message)))
        : vertx.executeBlocking(() -> Optional.ofNullable(DnsWire.parse(message)), false);
  }

  static CheckFailure failed(String message) {
    return new CheckFailure(ErrorCode.DNS_SERVFAIL, message);
  }
}
