package dev.plumbline.probe;

import dev.plumbline.check.AddressText;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import dev.plumbline.tls.Weakness;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All the questions to one server. Whatever it accepts is taken out of the next question, until it
 * accepts nothing that is left. What findings rest on is asked first, so that only lists are left
 * short where the check may ask no more. Lives on one event loop.
 */
final class TlsInterview {
  private static final List<String> PROTOCOLS =
      List.of("h2", "http/1.1", "http/1.0", "spdy/3.1", "dot", "imap", "pop3", "xmpp-client");

  /** What browsers offer: the two that are asked for where only a whole handshake tells. */
  private static final List<String> PROTOCOLS_OF_BROWSERS = List.of("h2", "http/1.1");

  private static final List<TlsVersion> OLDER =
      List.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_1, TlsVersion.TLS_1_0, TlsVersion.SSL_3);

  private final TlsQuestions questions;
  private final TlsProbe handshakes;
  private final boolean everyCipher;
  private final TlsGroups groups;

  /** The questions about versions. */
  private final Map<TlsVersion, ClientHello> openings = new EnumMap<>(TlsVersion.class);

  private final Map<TlsVersion, CipherSuite> chosen = new EnumMap<>(TlsVersion.class);
  private final Map<TlsVersion, Set<CipherSuite>> accepted = new EnumMap<>(TlsVersion.class);
  private final Set<String> alpn = new LinkedHashSet<>();
  private int primeBits;
  private boolean sameInEveryOrder;
  private @Nullable Boolean prefersOrder;

  /**
   * @param everyCipher whether every suite is asked for, rather than the weak ones alone
   */
  TlsInterview(TlsQuestions questions, TlsProbe handshakes, boolean everyCipher) {
    this.questions = questions;
    this.handshakes = handshakes;
    this.everyCipher = everyCipher;
    this.groups = new TlsGroups(questions);
  }

  Future<TlsOffer> offer() {
    return opening(TlsVersion.TLS_1_3)
        .compose(
            newest ->
                newest.kind() == HelloAnswer.Kind.NOT_TLS
                    ? Future.failedFuture(newest.failure())
                    : opening(TlsVersion.TLS_1_2).compose(older -> versions(newest, older)))
        .compose(spoken -> deciding())
        .compose(decided -> lists())
        .compose(listed -> questions.settle(questions.hello(newest())))
        .map(asked -> told());
  }

  /** One of the first two questions, of which a failure means that nothing can be learnt. */
  private Future<HelloAnswer> opening(TlsVersion version) {
    ClientHello hello = questions.hello(version);
    openings.put(version, hello);
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
      openings.put(version, hello);
      asked.add(questions.ask(hello, true).onSuccess(answer -> note(hello, answer)));
    }
    return Future.join(asked)
        .compose(
            all ->
                chosen.isEmpty()
                    ? Future.failedFuture(refusal(newest, older, asked))
                    : Future.succeededFuture());
  }

  /** That a server refuses every version can be said only where it has answered every time. */
  private static CheckFailure refusal(
      HelloAnswer newest, HelloAnswer older, List<Future<HelloAnswer>> others) {
    return Stream.concat(Stream.of(newest, older), others.stream().map(Future::result))
        .filter(answer -> answer.kind() == HelloAnswer.Kind.SILENT)
        .findFirst()
        .orElse(older)
        .failure();
  }

  /** Asks for what findings rest on. */
  private Future<?> deciding() {
    TlsVersion older = newestOlder();
    ClientHello hello = questions.hello(older == null ? TlsVersion.TLS_1_3 : older);
    List<Future<?>> asked = new ArrayList<>();
    asked.add(preference(hello));
    if (older == null) {
      asked.add(protocolsOfHandshakes());
    } else {
      asked.add(groups.askForWeak(older, keyOnCurve(older)));
      Future<?> kinds = Future.succeededFuture();
      for (TlsVersion version : OLDER) {
        kinds = kinds.compose(done -> kinds(version));
      }
      asked.add(kinds);
    }
    return Future.join(asked);
  }

  /** Asks for the rest of what is shown. */
  private Future<?> lists() {
    List<Future<?>> asked = new ArrayList<>();
    Future<?> curves = Future.succeededFuture();
    if (chosen.containsKey(TlsVersion.TLS_1_3)) {
      curves = groups.walk(questions.hello(TlsVersion.TLS_1_3));
      asked.add(curves);
    }
    TlsVersion older = newestOlder();
    asked.add(choice(older == null ? TlsVersion.TLS_1_3 : older));
    if (older != null) {
      // what the one has told is not asked for again
      asked.add(curves.compose(done -> groups.walkCurves(older, keyOnCurve(older))));
    }
    if (everyCipher) {
      // the weak ones first, for there may be more suites than connections
      asked.add(walkParts(true).compose(done -> walkParts(false)));
    } else {
      asked.add(walkWeak());
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
        groups.known(),
        primeBits,
        everySuite().filter(TlsInterview::staticKey).findFirst().orElse(null),
        List.copyOf(alpn),
        prefersOrder,
        openings.keySet().stream()
            .filter(version -> !chosen.containsKey(version))
            .filter(version -> questions.isOpen(Objects.requireNonNull(openings.get(version))))
            .collect(Collectors.toSet()),
        questions.unanswered(),
        questions.unasked());
  }

  private TlsVersion newest() {
    return Collections.max(chosen.keySet());
  }

  /** The newest version before TLS 1.3 that the server speaks, null for none. */
  private @Nullable TlsVersion newestOlder() {
    return OLDER.stream().filter(chosen::containsKey).findFirst().orElse(null);
  }

  private boolean keyOnCurve(TlsVersion version) {
    CipherSuite suite = chosen.get(version);
    return suite != null && suite.keyOnCurve();
  }

  private Stream<CipherSuite> everySuite() {
    return accepted.values().stream().flatMap(Set::stream);
  }

  private void note(ClientHello hello, HelloAnswer answer) {
    if (noteAccepted(hello, answer)) {
      chosen.put(hello.version(), CipherSuite.of(answer.cipher()));
    }
  }

  /** Notes what an answer tells; whether the server has agreed. */
  private boolean noteAccepted(ClientHello asked, HelloAnswer answer) {
    if (!TlsQuestions.accepts(asked, answer)) {
      return false;
    }
    accepted
        .computeIfAbsent(asked.version(), none -> new LinkedHashSet<>())
        .add(CipherSuite.of(answer.cipher()));
    groups.note(answer.group());
    if (answer.primeBits() > 0) {
      primeBits = primeBits == 0 ? answer.primeBits() : Math.min(primeBits, answer.primeBits());
    }
    return true;
  }

  private static boolean staticKey(CipherSuite suite) {
    return suite.staticKey() && !suite.weak();
  }

  /** What there is to say of a suite in findings; empty for nothing. */
  private static String kind(CipherSuite suite) {
    Weakness weakness = suite.weakness();
    if (weakness != null) {
      return weakness.name();
    }
    return suite.dhe() ? "dhe" : suite.staticKey() ? "static" : "";
  }

  /** Finds one suite of each kind that no version was found to accept yet. */
  private Future<Void> kinds(TlsVersion version) {
    Set<String> found = everySuite().map(TlsInterview::kind).collect(Collectors.toSet());
    found.add("");
    List<CipherSuite> left =
        CipherSuite.of(version).stream().filter(suite -> !found.contains(kind(suite))).toList();
    if (!chosen.containsKey(version) || left.isEmpty()) {
      return Future.succeededFuture();
    }
    ClientHello asked = questions.hello(version).withCiphers(codes(left));
    return questions
        .ask(asked, true)
        .compose(answer -> noteAccepted(asked, answer) ? kinds(version) : Future.succeededFuture());
  }

  /** Finds the other suites of those kinds of weak ones that the server accepts. */
  private Future<?> walkWeak() {
    Set<Weakness> found =
        everySuite()
            .map(CipherSuite::weakness)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    Future<?> walked = Future.succeededFuture();
    for (TlsVersion version : OLDER) {
      if (chosen.containsKey(version)) {
        walked =
            walked.compose(
                done -> {
                  Set<CipherSuite> known = everySuite().collect(Collectors.toSet());
                  return walkCiphers(
                      questions.hello(version),
                      CipherSuite.of(version).stream()
                          .filter(suite -> found.contains(suite.weakness()))
                          .filter(suite -> !known.contains(suite))
                          .toList());
                });
      }
    }
    return walked;
  }

  /** Finds every suite that is weak, or every one that is not. */
  private Future<?> walkParts(boolean weak) {
    List<Future<?>> asked = new ArrayList<>();
    for (TlsVersion version : chosen.keySet()) {
      for (List<CipherSuite> part : parts(version)) {
        if (part.get(0).weak() == weak) {
          asked.add(walkCiphers(questions.hello(version), part));
        }
      }
    }
    return Future.join(asked);
  }

  /** Parts that can be walked side by side, as what is in one is never chosen for another. */
  private List<List<CipherSuite>> parts(TlsVersion version) {
    Set<CipherSuite> known = accepted.getOrDefault(version, Set.of());
    Map<String, List<CipherSuite>> parts = new LinkedHashMap<>();
    for (CipherSuite suite : CipherSuite.of(version)) {
      String kind = suite.weak() ? "weak" : suite.ecdhe() ? "ecdhe" : suite.dhe() ? "dhe" : "fixed";
      if (!known.contains(suite)) {
        parts.computeIfAbsent(kind, none -> new ArrayList<>()).add(suite);
      }
    }
    return List.copyOf(parts.values());
  }

  private Future<Void> walkCiphers(ClientHello hello, List<CipherSuite> left) {
    if (left.isEmpty()) {
      return Future.succeededFuture();
    }
    ClientHello asked = hello.withCiphers(codes(left));
    return questions
        .ask(asked, false)
        .compose(
            answer ->
                noteAccepted(asked, answer)
                    ? walkCiphers(
                        hello,
                        left.stream().filter(suite -> suite.code() != answer.cipher()).toList())
                    : Future.succeededFuture());
  }

  private static List<Integer> codes(List<CipherSuite> suites) {
    return suites.stream().map(CipherSuite::code).toList();
  }

  private Future<Void> walkProtocols(ClientHello hello, HelloAnswer answer) {
    String name = answer.alpn();
    boolean another = name != null && PROTOCOLS.contains(name) && alpn.add(name);
    List<String> left = PROTOCOLS.stream().filter(each -> !alpn.contains(each)).toList();
    if (!another || left.isEmpty()) {
      return Future.succeededFuture();
    }
    ClientHello asked = hello.withAlpn(left);
    return questions
        .ask(asked, false)
        .compose(
            next ->
                TlsQuestions.accepts(asked, next)
                    ? walkProtocols(hello, next)
                    : Future.succeededFuture());
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

  /**
   * Who gets the same from us however we order it goes by an order of his own. Before TLS 1.3 the
   * same question asks for protocols.
   */
  private Future<?> preference(ClientHello hello) {
    List<Integer> reversed = new ArrayList<>(hello.ciphers());
    Collections.reverse(reversed);
    // some servers let those have ChaCha20 who name it first, and go by their own order else
    List<Integer> fast = reversed.stream().filter(code -> CipherSuite.of(code).chaCha()).toList();
    reversed.removeAll(fast);
    reversed.addAll(reversed.size() / 2, fast);
    ClientHello asked = hello.withCiphers(reversed);
    if (hello.version() == TlsVersion.TLS_1_3) {
      return questions.ask(asked, true).onSuccess(answer -> order(asked, answer));
    }
    ClientHello both = asked.withAlpn(PROTOCOLS);
    return questions
        .ask(both, true)
        .compose(
            answer -> {
              if (TlsQuestions.accepts(both, answer)) {
                order(asked, answer);
                return walkProtocols(hello, answer);
              }
              // it may speak none of them, and say so (RFC 7301, section 3.2)
              return questions.ask(asked, true).onSuccess(again -> order(asked, again)).mapEmpty();
            });
  }

  private void order(ClientHello reversed, HelloAnswer answer) {
    CipherSuite first = chosen.get(reversed.version());
    if (first == null || !noteAccepted(reversed, answer)) {
      return;
    }
    if (answer.cipher() == first.code()) {
      sameInEveryOrder = true;
    } else {
      prefersOrder = false;
    }
  }

  /** Whether there is another suite, for only then it is by choice that it is always the same. */
  private Future<?> choice(TlsVersion version) {
    CipherSuite first = chosen.get(version);
    if (first == null || !sameInEveryOrder) {
      return Future.succeededFuture();
    }
    if (accepted.getOrDefault(version, Set.of()).size() > 1) {
      prefersOrder = true;
      return Future.succeededFuture();
    }
    ClientHello hello = questions.hello(version);
    ClientHello rest =
        hello.withCiphers(hello.ciphers().stream().filter(code -> code != first.code()).toList());
    return questions
        .ask(rest, true)
        .onSuccess(
            other -> {
              if (noteAccepted(rest, other)) {
                prefersOrder = true;
              }
            });
  }
}
