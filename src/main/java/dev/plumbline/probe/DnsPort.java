package dev.plumbline.probe;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.datagram.DatagramPacket;
import io.vertx.core.datagram.DatagramSocket;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.SocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;

/**
 * A UDP port of the system's choice from which a few questions are asked, for to open one for each
 * costs more than the question. So few, that who must guess port and id together gains nothing that
 * helps (RFC 5452 sections 4.3 and 9.2). Used on the event loop that opened it only.
 */
final class DnsPort {
  private static final int MOST_QUESTIONS = 16;

  private record Asked(SocketAddress server, Record question, Promise<Message> answer) {}

  private final DatagramSocket socket;
  private final Future<DatagramSocket> bound;
  private final SecureRandom random;
  private final Consumer<DnsPort> closing;
  private final Map<Integer, Asked> open = new HashMap<>();
  private int asked;

  /**
   * @param closing is told when nothing is asked from here any more
   * @throws RuntimeException when the system has no socket to give
   */
  DnsPort(Vertx vertx, boolean v6, SecureRandom random, Consumer<DnsPort> closing) {
    this.random = random;
    this.closing = closing;
    this.socket = vertx.createDatagramSocket(new DatagramSocketOptions().setIpV6(v6));
    socket.exceptionHandler(broken -> failAll());
    socket.handler(this::heard);
    this.bound = socket.listen(0, v6 ? "::" : "0.0.0.0");
  }

  /** Whether more may be asked from here. */
  boolean mayAsk() {
    return asked < MOST_QUESTIONS;
  }

  /**
   * Sends a question.
   *
   * @param answer takes the answer, truncated or not; what does not belong to the question is
   *     passed over. When it is completed otherwise, nobody listens any more
   */
  void ask(SocketAddress server, Record question, boolean edns, Promise<Message> answer) {
    asked++;
    int id = freshId();
    open.put(id, new Asked(server, question, answer));
    answer
        .future()
        .onComplete(
            done -> {
              open.remove(id);
              if (open.isEmpty()) {
                asked = MOST_QUESTIONS;
                closing.accept(this);
                socket.close();
              }
            });
    Buffer query = Buffer.buffer(DnsWire.query(question, id, edns).toWire());
    bound
        .compose(ready -> ready.send(query, server.port(), server.hostAddress()))
        .onFailure(
            broken ->
                answer.tryFail(DnsTransport.failed("The DNS resolver could not be reached.")));
  }

  private int freshId() {
    int id = random.nextInt(0x10000);
    while (open.containsKey(id)) {
      id = random.nextInt(0x10000);
    }
    return id;
  }

  private void heard(DatagramPacket packet) {
    Buffer bytes = packet.data();
    int id = bytes.length() < 2 ? -1 : bytes.getUnsignedShort(0);
    Asked to = open.get(id);
    if (to == null
        || packet.sender().port() != to.server().port()
        || !to.server().hostAddress().equals(packet.sender().hostAddress())
        || !DnsWire.claimsToAnswer(bytes, id)) {
      return;
    }
    Message answer = DnsWire.parse(bytes);
    if (answer == null) {
      to.answer().tryFail(DnsTransport.failed("The DNS resolver sent a malformed answer."));
    } else if (DnsWire.belongs(answer, to.question())) {
      to.answer().tryComplete(answer);
    }
  }

  private void failAll() {
    List<Asked> all = new ArrayList<>(open.values());
    all.forEach(
        each -> each.answer().tryFail(DnsTransport.failed("The DNS resolver was cut off.")));
  }
}
