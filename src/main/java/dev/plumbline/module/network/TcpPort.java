package dev.plumbline.module.network;

import com.google.auto.service.AutoService;
import dev.plumbline.check.AddressText;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.Description;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Field;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Judgement;
import dev.plumbline.check.Level;
import dev.plumbline.check.Option;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.TcpProbe;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a TCP port is open, and what the server behind it says first. */
@AutoService(ModuleDefinition.class)
public final class TcpPort implements ModuleDefinition<TcpPort.Evidence> {
  private static final String READ_BANNER = "read_banner";
  private static final long BANNER_MS = 3_000;
  private static final int MOST_BANNER = 1_024;
  private static final int MOST_TRIED = 6;
  private static final long LEAST_CONNECT_MS = 1_000;
  private static final double SLOW_MS = 1_000;

  private static final FindingCode REFUSED =
      new FindingCode(
          "port_refused",
          Level.FAIL,
          "open",
          "The port is closed: the server answers, but nothing listens there.",
          "Start the service, or look whether it listens on another port or address.",
          "RFC 9293 section 3.5.2");
  private static final FindingCode NO_ANSWER =
      new FindingCode(
          "port_silent",
          Level.FAIL,
          "open",
          "Nothing came back from the port: a firewall drops what is sent, or the server is away.",
          "Let the port through the firewall, and look whether the server is up.",
          "RFC 9293 section 3.8.3");
  private static final FindingCode UNREACHABLE =
      new FindingCode(
          "host_unreachable",
          Level.FAIL,
          "open",
          "There is no way to the server from here.",
          "Check the address in the DNS, and the routing and firewall of the server's network.",
          "RFC 1812 section 5.2.7.1");
  private static final FindingCode SOME_CLOSED =
      new FindingCode(
          "other_address_closed",
          Level.WARN,
          "all_ips",
          "The port is open at one address of the name, but not at another that was tried first.",
          "Let the service listen at every address that the DNS names, or take that address out.",
          "RFC 8305 section 2");
  private static final FindingCode NO_BANNER =
      new FindingCode(
          "no_banner",
          Level.INFO,
          "banner",
          "The server said nothing within " + BANNER_MS / 1000 + " seconds.",
          "Nothing needs to be done: with many protocols, such as HTTP and TLS, the client begins.",
          null);
  private static final FindingCode SLOW =
      new FindingCode(
          "slow_connect",
          Level.INFO,
          "connect_ms",
          "It took more than a second to connect.",
          "Lost packets and full queues of the server make it so; look at the server's load.",
          "RFC 6298 section 2");

  private static final Description DESCRIPTION =
      Description.of("tcp-port", "TCP port", InputType.HOST_PORT)
          .summary(
              "Tells whether a port of a server is open to the internet, how long it takes to connect,"
                  + " and what the server says first.")
          .category("network")
          .example("example.com:443", "example.com:443")
          .aboutReachability()
          .connects()
          .options(
              Option.bool(
                  READ_BANNER,
                  "Read greeting",
                  "Wait up to "
                      + BANNER_MS / 1000
                      + " seconds for what the server says first, as mail, FTP and SSH servers do.",
                  false))
          .fields(
              Field.bool("open", "Open", "Whether a connection could be opened."),
              Field.number(
                      "connect_ms",
                      "Connect time",
                      "How long it took to connect, in ms; null when the port is not open.")
                  .orNull(),
              Field.string(
                      "banner",
                      "Greeting",
                      "What the server said first; null when it said nothing or was not listened to."
                          + " A dot stands for what cannot be printed.")
                  .orNull(),
              Field.string(
                      "ip",
                      "Address",
                      "The address that was connected to; null when none was open.")
                  .orNull(),
              Field.array(
                  "all_ips",
                  "All addresses",
                  "All addresses of the host, in the order in which they are tried.",
                  FieldType.STRING))
          .findings(REFUSED, NO_ANSWER, UNREACHABLE, SOME_CLOSED, NO_BANNER, SLOW)
          .build();

  /**
   * What was seen.
   *
   * @param addresses all of the host
   * @param failures why those that were tried before did not open, in order
   * @param open the address that did, null when none did
   * @param talk what was said there
   */
  public record Evidence(
      List<InetAddress> addresses,
      List<CheckError> failures,
      @Nullable InetAddress open,
      TcpProbe.@Nullable Talk talk) {}

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Future<Evidence> collect(Target target, CheckContext context) {
    Target.HostPort to = (Target.HostPort) target;
    return context
        .probe(TcpProbe.class)
        .addresses(context, to.host(), to.port())
        .compose(addresses -> next(context, to, addresses, List.of()));
  }

  private static Future<Evidence> next(
      CheckContext context,
      Target.HostPort to,
      List<InetAddress> addresses,
      List<CheckError> failures) {
    int tried = failures.size();
    int most = Math.min(addresses.size(), MOST_TRIED);
    InetAddress address = addresses.get(tried);
    long share = context.deadline().remainingMillis() / (most - tried);
    return context
        .probe(TcpProbe.class)
        .talk(
            context,
            to.host(),
            address,
            to.port(),
            Math.max(share, LEAST_CONNECT_MS),
            BANNER_MS,
            context.options().flag(READ_BANNER) ? TcpPort::listen : TcpProbe.Script.SILENCE)
        .map(talk -> new Evidence(addresses, failures, address, talk))
        .recover(
            cause -> {
              if (!(cause instanceof CheckFailure failure)) {
                return Future.failedFuture(cause);
              }
              List<CheckError> more = new ArrayList<>(failures);
              more.add(failure.error());
              boolean on =
                  tried + 1 < most && !context.deadline().passed() && isAbsence(failure.error());
              return on
                  ? next(context, to, addresses, more)
                  : Future.succeededFuture(new Evidence(addresses, more, null, null));
            });
  }

  /** Whether another address may do better. */
  private static boolean isAbsence(CheckError error) {
    return switch (error.code()) {
      case CONNECT_REFUSED, CONNECT_TIMEOUT, CONNECT_UNREACHABLE, CONNECTION_RESET -> true;
      default -> false;
    };
  }

  /** Waits for whole lines, the last of which does not announce another (RFC 959 section 4.2). */
  static @Nullable Buffer listen(Buffer heard) {
    int length = heard.length();
    if (length >= MOST_BANNER) {
      return null;
    }
    if (length == 0 || heard.getByte(length - 1) != '\n') {
      return Buffer.buffer();
    }
    String text = heard.toString(StandardCharsets.ISO_8859_1);
    String last = text.substring(text.lastIndexOf('\n', length - 2) + 1);
    boolean announces =
        last.length() > 3
            && last.charAt(3) == '-'
            && last.chars().limit(3).allMatch(c -> c >= '0' && c <= '9');
    return announces ? Buffer.buffer() : null;
  }

  @Override
  public Judgement judge(Evidence seen, Options options) {
    TcpProbe.Talk talk = seen.talk();
    InetAddress open = seen.open();
    String banner =
        talk == null || !options.flag(READ_BANNER) ? null : printable(talk.heard().getBytes());
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("open", talk != null);
    fields.put("connect_ms", talk == null ? null : Math.round(talk.connectMs() * 10) / 10.0);
    fields.put("banner", banner);
    fields.put("ip", open == null ? null : AddressText.format(open));
    fields.put("all_ips", seen.addresses().stream().map(AddressText::format).toList());
    List<Finding> found = new ArrayList<>();
    if (talk == null) {
      CheckError error = told(seen.failures());
      switch (error.code()) {
        case CONNECT_REFUSED, CONNECTION_RESET -> found.add(REFUSED.found());
        case CONNECT_TIMEOUT -> found.add(NO_ANSWER.found());
        case CONNECT_UNREACHABLE -> found.add(UNREACHABLE.found());
        default -> {}
      }
      return new Judgement(fields, found, error);
    }
    if (!seen.failures().isEmpty()) {
      found.add(
          SOME_CLOSED.found(
              "The port is open at "
                  + AddressText.format(seen.addresses().get(seen.failures().size()))
                  + ", but not at "
                  + AddressText.format(seen.addresses().get(0))
                  + "."));
    }
    if (options.flag(READ_BANNER) && banner == null) {
      found.add(NO_BANNER.found());
    }
    if (talk.connectMs() > SLOW_MS) {
      found.add(SLOW.found());
    }
    return Judgement.of(fields, found);
  }

  /** Of several failures the one that tells most: that something answered. */
  private static CheckError told(List<CheckError> failures) {
    for (ErrorCode telling :
        List.of(ErrorCode.CONNECT_REFUSED, ErrorCode.CONNECTION_RESET, ErrorCode.CONNECT_TIMEOUT)) {
      for (CheckError failure : failures) {
        if (failure.code() == telling) {
          return failure;
        }
      }
    }
    return failures.get(0);
  }

  /** The text, null when there is none; line breaks stay, other controls become dots. */
  static @Nullable String printable(byte[] bytes) {
    String text =
        new String(bytes, 0, Math.min(bytes.length, MOST_BANNER), StandardCharsets.UTF_8)
            .replace("\r\n", "\n")
            .stripTrailing();
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              boolean odd =
                  c != '\n'
                      && (Character.isISOControl(c)
                          || c == 0xfffd
                          || Character.getType(c) == Character.FORMAT
                          || Character.getType(c) == Character.SURROGATE
                          || Character.getType(c) == Character.LINE_SEPARATOR
                          || Character.getType(c) == Character.PARAGRAPH_SEPARATOR);
              out.appendCodePoint(odd ? '.' : c);
            });
    return bytes.length == 0 ? null : out.toString();
  }
}
