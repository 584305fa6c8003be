package dev.plumbline.probe;

import dev.plumbline.check.AddressText;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
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
  private static final int MOST_GROUPS = 24;
  private static final int MOST_WEAK = 12;
  private static final List<String> PROTOCOLS =
      List.of("h2", "http/1.1", "http/1.0", "spdy/3.1", "dot", "imap", "pop3", "xmpp-client");

  /** What browsers offer: the two that are asked for where only a whole handshake tells. */
  private static final List<String> PROTOCOLS_OF_BROWSERS = List.of("h2", "http/1.1");

  private final TlsQuestions questions;
  private final TlsProbe handshakes;
  private final boolean everyCipher;

  private final Map<TlsVersion, CipherSuite> chosen = new EnumMap<>(TlsVersion.class);
  private final Map<TlsVersion, Set<CipherSuite>> accepted = new EnumMap<>(TlsVersion.class);
  private final Set<Integer> groups = new LinkedHashSet<>();
  private final Set<String> alpn = new LinkedHashSet<>();
  private int primeBits;
  private @Nullable CipherSuite staticKey;
  private @Nullable Boolean prefersOrder;

  /**
   * @param everyCipher whether every suite is asked for, rather than the weak ones alone
   */
  TlsInterview(TlsQuestions questions, TlsProbe handshakes, boolean everyCipher) {
    this.questions = questions;
    this.handshakes = handshakes;
    this.everyCipher = everyCipher;
  }

  Future<TlsOffer> offer() {
    return opening(TlsVersion.TLS_1_3)
        .compose(
            newest ->
                newest.kind() == HelloAnswer.Kind.NOT_TLS
                    ? Future.failedFuture(newest.failure())
                    : opening(TlsVersion.TLS_1_2).compose(older -> versions(newest, older)))
        .compose(spoken -> details())
        .map(asked -> told());
  }

  /** One of the first two questions, of which a failure means that nothing can be learnt. */
  private Future<HelloAnswer> opening(TlsVersion version) {
    ClientHello hello = questions.hello(version);
    return questions.open(hello).onSuccess(answer -> note(hello, answer));
  }

  private Future<Void> versions(HelloAnswer newest, HelloAnswer older) {
    boolean silent =
        newest.kind() == HelloAnswer.Kind.SILENT && older.kind() == HelloAnswer.Kind.SILENT;
    if (silent) {
      return Future.failedFuture(older.failure());
    }
    List<Future<HelloAnswer>> asked = new ArrayList<>();
    for (TlsVersion version : List.of(TlsVersion.TLS_1_1, TlsVersion.TLS_1_0, TlsVersion.SSL_3)) {
      ClientHello hello = questions.hello(version);
      asked.add(questions.ask(hello, true).onSuccess(answer -> note(hello, answer)));
    }
    return Future.join(asked)
        .compose(
            all ->
                chosen.isEmpty() ? Future.failedFuture(older.failure()) : Future.succeededFuture());
  }

  private Future<?> details() {
    List<Future<?>> asked = new ArrayList<>();
    TlsVersion newest = newest(version -> true);
    TlsVersion older = newest(version -> version != TlsVersion.TLS_1_3);
    Future<?> groupsOfNewest = Future.succeededFuture();
    if (newest == TlsVersion.TLS_1_3) {
      groupsOfNewest = walkGroups(questions.hello(newest));
      asked.add(groupsOfNewest);
    }
    if (older != null) {
      // what the one has told is not asked for again
      asked.add(groupsOfNewest.transform(done -> walkCurves(older)));
      asked.add(prime(older));
      asked.add(walkProtocols(questions.hello(older)));
    } else {
      asked.add(protocolsOfHandshakes());
    }
    asked.add(preference(questions.hello(older == null ? TlsVersion.TLS_1_3 : older)));
    for (TlsVersion version : chosen.keySet()) {
      asked.addAll(ciphers(version));
    }
    return Future.join(asked);
  }

  private TlsOffer told() {
    Map<TlsVersion, List<CipherSuite>> suites = new EnumMap<>(TlsVersion.class);
    accepted.forEach((version, all) -> suites.put(version, List.copyOf(all)));
    return new TlsOffer(
        AddressText.format(questions.peer().address()),
        chosen,
        suites,
        everyCipher,
        List.copyOf(groups),
        primeBits,
        staticKey,
        List.copyOf(alpn),
        prefersOrder,
        questions.unanswered());
  }

  private @Nullable TlsVersion newest(Predicate<TlsVersion> which) {
    TlsVersion newest = null;
    for (TlsVersion version : chosen.keySet()) {
      newest = which.test(version) ? version : newest;
    }
    return newest;
  }

  private void note(ClientHello hello, HelloAnswer answer) {
    if (TlsQuestions.accepts(hello, answer)) {
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

  private List<Future<?>> ciphers(TlsVersion version) {
    List<CipherSuite> suites = CipherSuite.of(version);
    List<Future<?>> walks = new ArrayList<>();
    if (everyCipher) {
      for (List<CipherSuite> part : parts(suites)) {
        walks.add(walkCiphers(questions.hello(version), part, Integer.MAX_VALUE));
      }
      return walks;
    }
    if (version != TlsVersion.TLS_1_3) {
      walks.add(
          walkCiphers(
              questions.hello(version),
              suites.stream().filter(CipherSuite::weak).toList(),
              MOST_WEAK));
      ClientHello fixed =
          questions
              .hello(version)
              .withCiphers(codes(suites, suite -> suite.staticKey() && !suite.weak()));
      walks.add(
          questions
              .ask(fixed, false)
              .onSuccess(
                  answer -> {
                    if (TlsQuestions.accepts(fixed, answer)) {
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
    return questions
        .ask(asked, false)
        .compose(
            answer -> {
              if (!TlsQuestions.accepts(asked, answer)) {
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
    return questions
        .ask(asked, true)
        .compose(
            answer -> {
              boolean another =
                  TlsQuestions.accepts(asked, answer)
                      && asked.groups().contains(answer.group())
                      && groups.add(answer.group());
              return another
                  ? walkGroups(asked.withGroups(without(asked.groups())), most)
                  : Future.succeededFuture();
            });
  }

  private Future<Void> walkCurves(TlsVersion version) {
    List<Integer> suites = codes(CipherSuite.of(version), CipherSuite::ecdhe);
    ClientHello hello = questions.hello(version).withCiphers(suites);
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
    return questions
        .ask(asked, true)
        .compose(
            answer ->
                TlsQuestions.accepts(asked, answer)
                        && answer.group() >= 0
                        && groups.add(answer.group())
                    ? walkLastCurves(hello, most - 1)
                    : Future.succeededFuture());
  }

  private List<Integer> without(List<Integer> all) {
    return all.stream().filter(group -> !groups.contains(group)).toList();
  }

  private Future<?> prime(TlsVersion version) {
    ClientHello asked =
        questions.hello(version).withCiphers(codes(CipherSuite.of(version), CipherSuite::dhe));
    return questions
        .ask(asked, true)
        .onSuccess(
            answer -> {
              if (TlsQuestions.accepts(asked, answer)) {
                noteKeyExchange(answer);
              }
            });
  }

  private Future<Void> walkProtocols(ClientHello hello) {
    List<String> left = PROTOCOLS.stream().filter(name -> !alpn.contains(name)).toList();
    ClientHello asked = hello.withAlpn(left);
    return left.isEmpty()
        ? Future.succeededFuture()
        : questions
            .ask(asked, false)
            .compose(
                answer -> {
                  String name = answer.alpn();
                  return TlsQuestions.accepts(asked, answer)
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
          questions
              .speaks(handshakes, protocol)
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
    return questions
        .ask(asked, false)
        .compose(
            answer -> {
              if (!TlsQuestions.accepts(asked, answer)) {
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
              return questions
                  .ask(rest, false)
                  .onSuccess(
                      other -> {
                        if (TlsQuestions.accepts(rest, other)) {
                          prefersOrder = true;
                          accept(hello.version(), CipherSuite.of(other.cipher()));
                        }
                      });
            });
  }
}
