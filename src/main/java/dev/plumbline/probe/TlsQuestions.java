package dev.plumbline.probe;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts questions to one server, a few at once, and counts those that remain open. */
final class TlsQuestions {
  /** Connections to the server at once. */
  private static final int AT_ONCE = 4;

  /** What is kept of the deadline, so that what was learnt can be told. */
  private static final long RESERVE_MILLIS = 150;

  private static final long LEAST_FOR_ONE_MILLIS = 250;
  private static final long MOST_FOR_ONE_MILLIS = 3_000;
  private static final int PROTOCOL_VERSION = 70;

  private final HelloProbe hellos;
  private final CheckContext beginning;
  private final CheckContext context;
  private final HelloProbe.Peer peer;
  private final int addressesLeft;
  private final Turns turns;
  private final @Nullable String serverName;
  private boolean sharesNeeded;
  private int unanswered;

  /**
   * @param addressesLeft how many addresses the time has to do for, this one included
   */
  TlsQuestions(
      Vertx vertx, HelloProbe hellos, CheckContext whole, HelloProbe.Peer peer, int addressesLeft) {
    this.hellos = hellos;
    this.beginning =
        whole.within(whole.deadline().atMost(whole.deadline().remainingMillis() - RESERVE_MILLIS));
    // what has begun is worth waiting for: to begin again would cost the server as much again
    this.context = beginning.patiently();
    this.peer = peer;
    this.addressesLeft = addressesLeft;
    this.turns = new Turns(vertx, AT_ONCE, Integer.MAX_VALUE);
    String name = peer.host().name();
    this.serverName = peer.host().literal() == null && name.indexOf('.') > 0 ? name : null;
  }

  HelloProbe.Peer peer() {
    return peer;
  }

  /** How many questions got no answer. */
  int unanswered() {
    return unanswered;
  }

  /** A question with everything that a version knows, in the way that this server understands. */
  ClientHello hello(TlsVersion version) {
    ClientHello hello = ClientHello.of(version, serverName);
    return sharesNeeded && version == TlsVersion.TLS_1_3 ? hello.withShares() : hello;
  }

  /** Whether a server has agreed to what it was offered. */
  static boolean accepts(ClientHello hello, HelloAnswer answer) {
    return answer.hello()
        && answer.version() == hello.version().code()
        && hello.ciphers().contains(answer.cipher());
  }

  /** One of the first questions, without whose answer nothing can be learnt. */
  Future<HelloAnswer> open(ClientHello hello) {
    long share = Math.max(LEAST_FOR_ONE_MILLIS, left() / (2L + addressesLeft));
    return hellos
        .ask(beginning, peer, hello, true, share)
        .compose(
            answer -> {
              boolean odd =
                  hello.version() == TlsVersion.TLS_1_3
                      && answer.kind() == HelloAnswer.Kind.ALERT
                      && answer.alert() != PROTOCOL_VERSION;
              return odd
                  ? hellos
                      .ask(context, peer, hello.withShares(), true, share)
                      .onSuccess(again -> sharesNeeded = accepts(hello, again))
                  : Future.succeededFuture(answer);
            });
  }

  /** An answer; that of a silent server where none was to be had. */
  Future<HelloAnswer> ask(ClientHello hello, boolean keyExchange) {
    HelloAnswer none = HelloAnswer.of(HelloAnswer.Kind.SILENT);
    return inTurn(
            () ->
                hellos.ask(
                    context,
                    peer,
                    hello,
                    keyExchange,
                    Math.max(LEAST_FOR_ONE_MILLIS, Math.min(MOST_FOR_ONE_MILLIS, left() / 3))),
            none)
        .onSuccess(answer -> unanswered += answer.kind() == HelloAnswer.Kind.SILENT ? 1 : 0);
  }

  /** Whether the server agrees to an application protocol in a whole handshake. */
  Future<Boolean> speaks(TlsProbe handshakes, String protocol) {
    return inTurn(
        () -> handshakes.speaks(context, peer.host(), peer.address(), peer.port(), protocol),
        false);
  }

  private <T> Future<T> inTurn(Supplier<Future<T>> question, T none) {
    return turns
        .take(left(), question, () -> Future.succeededFuture(none))
        .recover(
            failure ->
                failure instanceof CheckFailure
                    ? Future.succeededFuture(none)
                    : Future.failedFuture(failure));
  }

  private long left() {
    return context.deadline().remainingMillis();
  }
}
