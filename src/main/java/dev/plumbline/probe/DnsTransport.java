package dev.plumbline.probe;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.datagram.DatagramPacket;
import io.vertx.core.datagram.DatagramSocket;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;

/**
 * Asks one server one question: over UDP from a port of its own and with a random id, and over TCP
 * when the answer was truncated. What does not belong to the question is passed over.
 */
final class DnsTransport {
  private final Vertx vertx;
  private final NetClient tcp;
  private final SecureRandom random = new SecureRandom();

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
    int id = random.nextInt(0x10000);
    Buffer query = Buffer.buffer(DnsWire.query(question, id, edns).toWire());
    overUdp(server, question, id, query, outcome);
    return outcome.future();
  }

  private void overUdp(
      SocketAddress server, Record question, int id, Buffer query, Promise<Message> outcome) {
    boolean v6 = server.hostAddress().indexOf(':') >= 0;
    DatagramSocket socket;
    try {
      socket = vertx.createDatagramSocket(new DatagramSocketOptions().setIpV6(v6));
    } catch (RuntimeException noSocket) {
      outcome.tryFail(failed("The DNS resolver could not be asked."));
      return;
    }
    Promise<Void> over = Promise.promise();
    over.future().onComplete(done -> socket.close());
    outcome.future().onComplete(done -> over.tryComplete());
    socket.exceptionHandler(broken -> outcome.tryFail(failed("The DNS resolver was cut off.")));
    socket.handler(
        packet -> {
          Message answer = udpAnswer(server, question, id, packet, outcome);
          if (answer == null) {
            return;
          }
          if (answer.getHeader().getFlag(Flags.TC)) {
            over.tryComplete();
            overTcp(server, question, id, query, outcome);
          } else {
            outcome.tryComplete(answer);
          }
        });
    socket
        .listen(0, v6 ? "::" : "0.0.0.0")
        .compose(bound -> bound.send(query, server.port(), server.hostAddress()))
        .onFailure(broken -> outcome.tryFail(failed("The DNS resolver could not be reached.")));
  }

  private static @Nullable Message udpAnswer(
      SocketAddress server,
      Record question,
      int id,
      DatagramPacket packet,
      Promise<Message> outcome) {
    boolean fromServer =
        packet.sender().port() == server.port()
            && server.hostAddress().equals(packet.sender().hostAddress());
    if (!fromServer || !DnsWire.claimsToAnswer(packet.data(), id)) {
      return null;
    }
    Message answer = DnsWire.parse(packet.data());
    if (answer == null) {
      outcome.tryFail(failed("The DNS resolver sent a malformed answer."));
      return null;
    }
    return DnsWire.belongs(answer, question) ? answer : null;
  }

  private void overTcp(
      SocketAddress server, Record question, int id, Buffer query, Promise<Message> outcome) {
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

  private static void readTcp(NetSocket socket, Record question, int id, Promise<Message> outcome) {
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
          Message answer = DnsWire.claimsToAnswer(message, id) ? DnsWire.parse(message) : null;
          if (answer == null
              || !DnsWire.belongs(answer, question)
              || answer.getHeader().getFlag(Flags.TC)) {
            outcome.tryFail(failed("The DNS resolver sent a malformed answer over TCP."));
          } else {
            outcome.tryComplete(answer);
          }
        });
  }

  private static CheckFailure failed(String message) {
    return new CheckFailure(ErrorCode.DNS_SERVFAIL, message);
  }
}
