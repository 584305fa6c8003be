package dev.plumbline.probe;

import dev.plumbline.check.AddressText;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All the questions to one server. Whatever it accepts is taken out of the next question, until it
 * accepts nothing that is left. Lives on one event loop.
 */
final class TlsInterview {
  /** Connections to the server at once. */
  private static final int AT_ONCE = 4;

  /** What is kept of the deadline, so that what was learnt can be told. */
  private static final long RESERVE_MILLIS = 150;

  private static final long MOST_FOR_ONE_MILLIS = 3_000;
  private static final int PROTOCOL_VERSION = 70;
  private static final int MOST_GROUPS = 24;
  private static final int MOST_WEAK = 12;
  private static final List<String> PROTOCOLS =
      List.of("h2", "http/1.1", "http/1.0", "spdy/3.1", "dot", "imap", "pop3", "xmpp-client");

  /** What browsers offer: the two that are asked for where only a whole handshake tells. */
  private static final List<String> PROTOCOLS_OF_BROWSERS = List.of("h2", "http/1.1");

  private final HelloProbe hellos;
  private final TlsProbe handshakes;
  private final CheckContext context;
  private final HelloProbe.Peer peer;
  private final boolean everyCipher;
  private final int addressesLeft;
  private final Turns turns;
  private final @Nullable String serverName;

  private final Map<TlsVersion, CipherSuite> chosen = new EnumMap<>(TlsVersion.class);
  private final Map<TlsVersion, Set<CipherSuite>> accepted = new EnumMap<>(TlsVersion.class);
  private final Set<Integer> groups = new LinkedHashSet<>();
  private final Set<String> alpn = new LinkedHashSet<>();
  private boolean sharesNeeded;
  private int primeBits;
  private @Nullable CipherSuite staticKey;
  private @Nullable Boolean prefersOrder;
  private int unanswered;

  TlsInterview(
      Vertx vertx,
      HelloProbe hellos,
      TlsProbe handshakes,
      CheckContext whole,
      HelloProbe.Peer peer,
      boolean everyCipher,
      int addressesLeft) {
    this.hellos = hellos;
    this.handshakes = handshakes;
    this.context =
        whole.within(whole.deadline().atMost(whole.deadline().remainingMillis() - RESERVE_MILLIS));
    this.peer = peer;
    this.everyCipher = everyCipher;
    this.addressesLeft = addressesLeft;
    this.turns = new Turns(vertx, AT_ONCE, Integer.MAX_VALUE);
    String name = peer.host().name();
    this.serverName = peer.host().literal() == null && name.indexOf('.') > 0 ? name : null;
  }

  Future<TlsOffer> offer() {
    return opening(TlsVersion.TLS_1_3)
        .compose(
            newest ->
                newest.kind() == HelloAnswer.Kind.NOT_TLS
                    ? Future.failedFuture(noTls(newest))
                    : opening(TlsVersion.TLS_1_2).compose(older -> versions(newest, older)))
        .compose(spoken -> details())
        .map(asked -> told());
  }

  /** One of the first two questions, of which a failure means that nothing can be learnt. */
  private Future<HelloAnswer> opening(TlsVersion version) {
    long share = Math.max(250, left() / (2L + addressesLeft));
    ClientHello hello = hello(version);
    return hellos
        .ask(context, peer, hello, true, share)
        .compose(
            answer -> {
              boolean odd =
                  version == TlsVersion.TLS_1_3
                      && answer.kind() == HelloAnswer.Kind.ALERT
                      && answer.alert() != PROTOCOL_VERSION;
              return odd
                  ? hellos
                      .ask(context, peer, hello.withShares(), true, share)
                      .onSuccess(again -> sharesNeeded = accepts(hello, again))
                  : Future.succeededFuture(answer);
            })
        .onSuccess(answer -> note(hello, answer));
  }

  private Future<Void> versions(HelloAnswer newest, HelloAnswer older) {
    boolean silent =
        newest.kind() == HelloAnswer.Kind.SILENT && older.kind() == HelloAnswer.Kind.SILENT;
    if (silent) {
      return Future.failedFuture(noTls(older));
    }
    List<Future<HelloAnswer>> asked = new ArrayList<>();
    for (TlsVersion version : List.of(TlsVersion.TLS_1_1, TlsVersion.TLS_1_0, TlsVersion.SSL_3)) {
      ClientHello hello = hello(version);
      asked.add(ask(hello, true).onSuccess(answer -> note(hello, answer)));
    }
    return Future.join(asked)
        .compose(
            all -> chosen.isEmpty() ? Future.failedFuture(noTls(older)) : Future.succeededFuture());
  }

  private Future<?> details() {
    List<Future<?>> asked = new ArrayList<>();
    TlsVersion newest = newest(version -> true);
    TlsVersion older = newest(version -> version != TlsVersion.TLS_1_3);
    Future<?> groupsOfNewest = Future.succeededFuture();
    if (newest == TlsVersion.TLS_1_3) {
      groupsOfNewest = walkGroups(hello(newest));
      asked.add(groupsOfNewest);
    }
    if (older != null) {
      // what the one has told is not asked for again
      asked.add(groupsOfNewest.transform(done -> walkCurves(older)));
      asked.add(prime(older));
      asked.add(walkProtocols(hello(older)));
    } else {
      asked.add(protocolsOfHandshakes());
    }
    asked.add(preference(hello(older == null ? TlsVersion.TLS_1_3 : older)));
    for (TlsVersion version : chosen.keySet()) {
      asked.addAll(ciphers(version));
    }
    return Future.join(asked);
  }

  private TlsOffer told() {
    Map<TlsVersion, List<CipherSuite>> suites = new EnumMap<>(TlsVersion.class);
    accepted.forEach((version, all) -> suites.put(version, List.copyOf(all)));
    return new TlsOffer(
        AddressText.format(peer.address()),
        chosen,
        suites,
        everyCipher,
        List.copyOf(groups),
        primeBits,
        staticKey,
        List.copyOf(alpn),
        prefersOrder,
        unanswered);
  }

  private ClientHello hello(TlsVersion version) {
    ClientHello hello = ClientHello.of(version, serverName);
    return sharesNeeded && version == TlsVersion.TLS_1_3 ? hello.withShares() : hello;
  }

  private @Nullable TlsVersion newest(Predicate<TlsVersion> which) {
    TlsVersion newest = null;
    for (TlsVersion version : chosen.keySet()) {
      newest = which.test(version) ? version : newest;
    }
    return newest;
  }

  private void note(ClientHello hello, HelloAnswer answer) {
    if (accepts(hello, answer)) {
      CipherSuite suite = CipherSuite.of(answer.cipher());
      chosen.put(hello.version(), suite);
      accept(hello.version(), suite);
      noteKeyExchange(answer);
    }
  }

  private void noteKeyExchange(HelloAnswer answer) {
    if (answer.group() >= 0) {
      groups.add(answer.group());
    }
    if (answer.primeBits() > 0) {
      primeBits = primeBits == 0 ? answer.primeBits() : Math.min(primeBits, answer.primeBits());
    }
  }

  private void accept(TlsVersion version, CipherSuite suite) {
    accepted.computeIfAbsent(version, none -> new LinkedHashSet<>()).add(suite);
  }

  private static boolean accepts(ClientHello hello, HelloAnswer answer) {
    return answer.hello()
        && answer.version() == hello.version().code()
        && hello.ciphers().contains(answer.cipher());
  }

  /** An answer; that of a server that is silent where none was to be had. */
  private Future<HelloAnswer> ask(ClientHello hello, boolean keyExchange) {
    HelloAnswer none = HelloAnswer.of(HelloAnswer.Kind.SILENT);
    return turns
        .take(
            left(),
            () ->
                hellos.ask(
                    context,
                    peer,
                    hello,
                    keyExchange,
                    Math.max(250, Math.min(MOST_FOR_ONE_MILLIS, left() / 3))),
            none)
        .recover(
            failure ->
                failure instanceof CheckFailure
                    ? Future.succeededFuture(none)
                    : Future.failedFuture(failure))
        .onSuccess(answer -> unanswered += answer.kind() == HelloAnswer.Kind.SILENT ? 1 : 0);
  }

  private long left() {
    return context.deadline().remainingMillis();
  }

  private List<Future<?>> ciphers(TlsVersion version) {
    List<CipherSuite> suites = CipherSuite.of(version);
    List<Future<?>> walks = new ArrayList<>();
    if (everyCipher) {
      for (List<CipherSuite> part : parts(suites)) {
        walks.add(walkCiphers(hello(version), part, Integer.MAX_VALUE));
      }
      return walks;
    }
    if (version != TlsVersion.TLS_1_3) {
      walks.add(
          walkCiphers(
              hello(version), suites.stream().filter(CipherSuite::weak).toList(), MOST_WEAK));
      ClientHello fixed =
          hello(version).withCiphers(codes(suites, suite -> suite.staticKey() && !suite.weak()));
      walks.add(
          ask(fixed, false)
              .onSuccess(
                  answer -> {
                    if (accepts(fixed, answer)) {
                      staticKey = CipherSuite.of(answer.cipher());
                      accept(version, staticKey);
                    }
                  }));
    }
    return walks;
  }

  /** Parts that can be walked side by side, as what is in one is never chosen for another. */
  private static List<List<CipherSuite>> parts(List<CipherSuite> suites) {
    Map<String, List<CipherSuite>> parts = new LinkedHashMap<>();
    for (CipherSuite suite : suites) {
      String kind = suite.weak() ? "weak" : suite.ecdhe() ? "ecdhe" : suite.dhe() ? "dhe" : "fixed";
      parts.computeIfAbsent(kind, none -> new ArrayList<>()).add(suite);
    }
    return List.copyOf(parts.values());
  }

  private Future<Void> walkCiphers(ClientHello hello, List<CipherSuite> left, int most) {
    if (left.isEmpty() || most == 0) {
      return Future.succeededFuture();
    }
    ClientHello asked = hello.withCiphers(left.stream().map(CipherSuite::code).toList());
    return ask(asked, false)
        .compose(
            answer -> {
              if (!accepts(asked, answer)) {
                return Future.succeededFuture();
              }
              CipherSuite suite = CipherSuite.of(answer.cipher());
              accept(hello.version(), suite);
              if (suite.staticKey() && !suite.weak()) {
                staticKey = suite;
              }
              return walkCiphers(
                  hello, left.stream().filter(other -> !other.equals(suite)).toList(), most - 1);
            });
  }

  private static List<Integer> codes(List<CipherSuite> suites, Predicate<CipherSuite> which) {
    return suites.stream().filter(which).map(CipherSuite::code).toList();
  }

  private Future<Void> walkGroups(ClientHello hello) {
    return walkGroups(hello.withGroups(without(hello.groups())), groups.size() + MOST_GROUPS);
  }

  private Future<Void> walkGroups(ClientHello asked, int most) {
    if (asked.groups().isEmpty() || groups.size() >= most) {
      return Future.succeededFuture();
    }
    return ask(asked, true)
        .compose(
            answer -> {
              boolean another =
                  accepts(asked, answer)
                      && asked.groups().contains(answer.group())
                      && groups.add(answer.group());
              return another
                  ? walkGroups(asked.withGroups(without(asked.groups())), most)
                  : Future.succeededFuture();
            });
  }

  private Future<Void> walkCurves(TlsVersion version) {
    List<Integer> suites = codes(CipherSuite.of(version), CipherSuite::ecdhe);
    ClientHello hello = hello(version).withCiphers(suites);
    return walkGroups(hello).compose(done -> walkLastCurves(hello, MOST_GROUPS));
  }

  /**
   * A server with a key on a curve may refuse whoever does not offer that curve (RFC 8422, section
   * 5.1.1), so the known ones are put last instead of being left out.
   */
  private Future<Void> walkLastCurves(ClientHello hello, int most) {
    List<Integer> order = new ArrayList<>(without(hello.groups()));
    order.addAll(hello.groups().stream().filter(groups::contains).toList());
    ClientHello asked = hello.withGroups(order);
    if (most == 0 || groups.isEmpty()) {
      return Future.succeededFuture();
    }
    return ask(asked, true)
        .compose(
            answer ->
                accepts(asked, answer) && answer.group() >= 0 && groups.add(answer.group())
                    ? walkLastCurves(hello, most - 1)
                    : Future.succeededFuture());
  }

  private List<Integer> without(List<Integer> all) {
    return all.stream().filter(group -> !groups.contains(group)).toList();
  }

  private Future<?> prime(TlsVersion version) {
    ClientHello asked =
        hello(version).withCiphers(codes(CipherSuite.of(version), CipherSuite::dhe));
    return ask(asked, true)
        .onSuccess(
            answer -> {
              if (accepts(asked, answer)) {
                noteKeyExchange(answer);
              }
            });
  }

  private Future<Void> walkProtocols(ClientHello hello) {
    List<String> left = PROTOCOLS.stream().filter(name -> !alpn.contains(name)).toList();
    ClientHello asked = hello.withAlpn(left);
    return left.isEmpty()
        ? Future.succeededFuture()
        : ask(asked, false)
            .compose(
                answer -> {
                  String name = answer.alpn();
                  return accepts(asked, answer)
                          && name != null
                          && left.contains(name)
                          && alpn.add(name)
                      ? walkProtocols(hello)
                      : Future.succeededFuture();
                });
  }

  /** TLS 1.3 encrypts what it says of protocols, so only a whole handshake tells. */
  private Future<?> protocolsOfHandshakes() {
    List<Future<?>> asked = new ArrayList<>();
    for (String protocol : PROTOCOLS_OF_BROWSERS) {
      asked.add(
          turns
              .take(
                  left(),
                  () ->
                      handshakes.speaks(
                          context, peer.host(), peer.address(), peer.port(), protocol),
                  false)
              .recover(
                  failure ->
                      failure instanceof CheckFailure
                          ? Future.succeededFuture(false)
                          : Future.failedFuture(failure))
              .onSuccess(
                  spoken -> {
                    if (spoken) {
                      alpn.add(protocol);
                    }
                  }));
    }
    return Future.join(asked);
  }

  /** Who gets the same from us however we order it goes by an order of his own. */
  private Future<?> preference(ClientHello hello) {
    CipherSuite first = chosen.get(hello.version());
    if (first == null) {
      return Future.succeededFuture();
    }
    List<Integer> reversed = new ArrayList<>(hello.ciphers());
    Collections.reverse(reversed);
    // some servers let those have ChaCha20 who name it first, and go by their own order else
    List<Integer> fast = reversed.stream().filter(code -> CipherSuite.of(code).chaCha()).toList();
    reversed.removeAll(fast);
    reversed.addAll(reversed.size() / 2, fast);
    ClientHello asked = hello.withCiphers(reversed);
    return ask(asked, false)
        .compose(
            answer -> {
              if (!accepts(asked, answer)) {
                return Future.succeededFuture();
              }
              accept(hello.version(), CipherSuite.of(answer.cipher()));
              if (answer.cipher() != first.code()) {
                prefersOrder = false;
                return Future.succeededFuture();
              }
              ClientHello rest =
                  hello.withCiphers(
                      hello.ciphers().stream().filter(code -> code != first.code()).toList());
              return ask(rest, false)
                  .onSuccess(
                      other -> {
                        if (accepts(rest, other)) {
                          prefersOrder = true;
                          accept(hello.version(), CipherSuite.of(other.cipher()));
                        }
                      });
            });
  }

  private static CheckFailure noTls(HelloAnswer answer) {
    return switch (answer.kind()) {
      case SILENT ->
          new CheckFailure(
              ErrorCode.READ_TIMEOUT,
              "The server accepted the connection, but did not answer the TLS handshake in time.");
      case RESET ->
          new CheckFailure(
              ErrorCode.CONNECTION_RESET,
              "The server reset the connection during the TLS handshake.");
      case CLOSED -> failed("The server closed the connection during the TLS handshake.");
      case NOT_TLS -> failed("The server does not speak TLS on this port.");
      case ALERT ->
          failed("The server refused every version of TLS, with the alert " + answer.alert() + ".");
      default -> failed("The server answered in a TLS that breaks its own rules.");
    };
  }

  private static CheckFailure failed(String message) {
    return new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, message);
  }
}
