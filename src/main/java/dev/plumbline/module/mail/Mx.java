package dev.plumbline.module.mail;

import static dev.plumbline.module.mail.MxDescription.ALIAS;
import static dev.plumbline.module.mail.MxDescription.IMPLICIT;
import static dev.plumbline.module.mail.MxDescription.INSIDE;
import static dev.plumbline.module.mail.MxDescription.IS_ADDRESS;
import static dev.plumbline.module.mail.MxDescription.MANY;
import static dev.plumbline.module.mail.MxDescription.NOT_ASKED;
import static dev.plumbline.module.mail.MxDescription.NO_IPV6;
import static dev.plumbline.module.mail.MxDescription.NO_SERVER;
import static dev.plumbline.module.mail.MxDescription.NO_TLS;
import static dev.plumbline.module.mail.MxDescription.NO_USABLE;
import static dev.plumbline.module.mail.MxDescription.NULL_MX;
import static dev.plumbline.module.mail.MxDescription.NULL_MX_AND_MORE;
import static dev.plumbline.module.mail.MxDescription.SINGLE;
import static dev.plumbline.module.mail.MxDescription.TWICE;
import static dev.plumbline.module.mail.MxDescription.UNKNOWN;
import static dev.plumbline.module.mail.MxDescription.UNRESOLVABLE;

import com.google.auto.service.AutoService;
import dev.plumbline.check.AddressText;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.Description;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Host;
import dev.plumbline.check.Judgement;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.DnsAnswer;
import dev.plumbline.probe.DnsProbe;
import dev.plumbline.probe.TcpProbe;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/** Where mail for a domain goes. */
@AutoService(CheckModule.class)
public final class Mx implements CheckModule<Mx.Evidence> {
  static final int MOST_LOOKED_UP = 20;
  static final int MOST_GREETED = 4;
  private static final int SMTP = 25;
  static final long GREETING_MS = 3_000;
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

  /** What was found of a host's addresses. */
  public enum Addresses {
    FOUND,
    NONE,
    /** Not to be told. */
    INSIDE,
    /** The resolver did not say. */
    UNKNOWN,
    NOT_ASKED
  }

  /**
   * A mail server.
   *
   * @param host without the trailing dot; a dot for none
   * @param alias whether the name is an alias
   * @param tls whether STARTTLS is offered, null when unknown
   * @param unheard why a server that was to be asked did not say, null otherwise
   */
  public record Server(
      int preference,
      String host,
      Addresses state,
      List<InetAddress> ips,
      boolean alias,
      @Nullable Boolean tls,
      @Nullable String unheard) {
    Server with(@Nullable Boolean offered) {
      String why = offered == null ? "it did not say" : null;
      return new Server(preference, host, state, ips, alias, offered, why);
    }

    Server unheard(ErrorCode why) {
      return new Server(preference, host, state, ips, alias, null, words(why));
    }

    /** Whether it is so far down the list that nothing was looked up. */
    boolean passedOver() {
      return state == Addresses.NOT_ASKED && !none();
    }

    boolean none() {
      return host.equals(".");
    }
  }

  /**
   * The servers that are named, in order.
   *
   * @param implicit whether the only server is the domain itself, for want of MX records
   */
  public record Evidence(List<Server> servers, boolean implicit) {}

  @Override
  public Description description() {
    return MxDescription.DESCRIPTION;
  }

  @Override
  public Future<Evidence> collect(Target target, CheckContext context) {
    String domain = target.text();
    DnsProbe dns = context.probe(DnsProbe.class);
    Future<Void> admitted = dns.admit(context, domain);
    Future<DnsAnswer> asked = dns.query(context, domain, Type.MX);
    return admitted
        .compose(fine -> asked)
        .compose(
            answer -> {
              if (answer.nxdomain()) {
                return Future.failedFuture(
                    new CheckFailure(
                        ErrorCode.DNS_NXDOMAIN, "The name " + domain + " does not exist."));
              }
              return answer.records().isEmpty()
                  ? itself(context, dns, domain)
                  : servers(context, dns, answer);
            })
        .compose(seen -> greet(context, seen));
  }

  private static Future<Evidence> itself(CheckContext context, DnsProbe dns, String domain) {
    Future<DnsAnswer> v4 = dns.query(context, domain, Type.A);
    Future<DnsAnswer> v6 = dns.query(context, domain, Type.AAAA);
    return server(0, domain, v4, v6)
        .compose(
            server ->
                switch (server.state()) {
                  case FOUND -> Future.succeededFuture(new Evidence(List.of(server), true));
                  case INSIDE, UNKNOWN ->
                      Future.failedFuture(
                          v4.failed() && !DnsProbe.isBlocked(v6.cause()) ? v4.cause() : v6.cause());
                  default -> Future.succeededFuture(new Evidence(List.of(), true));
                });
  }

  private static Future<Evidence> servers(CheckContext context, DnsProbe dns, DnsAnswer answer) {
    List<MXRecord> records =
        answer.records().stream()
            .map(MXRecord.class::cast)
            .sorted(
                Comparator.comparingInt(MXRecord::getPriority)
                    .thenComparing(mx -> mx.getTarget().toString()))
            .toList();
    List<Future<Server>> servers = new ArrayList<>();
    for (MXRecord mx : records) {
      String host = mx.getTarget().equals(Name.root) ? "." : mx.getTarget().toString(true);
      servers.add(
          host.equals(".") || servers.size() >= MOST_LOOKED_UP
              ? Future.succeededFuture(
                  new Server(
                      mx.getPriority(), host, Addresses.NOT_ASKED, List.of(), false, null, null))
              : server(context, dns, mx.getPriority(), host));
    }
    return Future.all(servers)
        .map(all -> new Evidence(servers.stream().map(Future::result).toList(), false));
  }

  private static Future<Server> server(
      CheckContext context, DnsProbe dns, int preference, String host) {
    return server(
        preference, host, dns.query(context, host, Type.A), dns.query(context, host, Type.AAAA));
  }

  private static Future<Server> server(
      int preference, String host, Future<DnsAnswer> v4, Future<DnsAnswer> v6) {
    return Future.join(v4, v6)
        .transform(
            both -> {
              List<InetAddress> ips = new ArrayList<>();
              boolean alias = false;
              Addresses state = Addresses.NONE;
              for (Future<DnsAnswer> one : List.of(v4, v6)) {
                if (one.succeeded()) {
                  ips.addAll(one.result().addresses());
                  alias |= !one.result().aliases().isEmpty();
                } else if (DnsProbe.isBlocked(one.cause())) {
                  return Future.succeededFuture(
                      new Server(preference, host, Addresses.INSIDE, List.of(), false, null, null));
                } else if (one.cause() instanceof CheckFailure) {
                  state = Addresses.UNKNOWN;
                } else {
                  return Future.failedFuture(one.cause());
                }
              }
              return Future.succeededFuture(
                  new Server(
                      preference,
                      host,
                      ips.isEmpty() ? state : Addresses.FOUND,
                      List.copyOf(ips),
                      alias,
                      null,
                      null));
            });
  }

  /**
   * Asks the first servers whether they offer encryption; who does not say stays unknown. Waiting
   * for the turn at a server takes none of its time, and when the turn does not come, the check has
   * to come again: what is not known then is our doing, not the server's.
   */
  private static Future<Evidence> greet(CheckContext context, Evidence seen) {
    long patience = Math.min(GREETING_MS, context.deadline().remainingMillis() / 2);
    List<Future<Server>> greeted = new ArrayList<>();
    int asked = 0;
    for (Server server : seen.servers()) {
      boolean ask = server.state() == Addresses.FOUND && asked < MOST_GREETED;
      asked += ask ? 1 : 0;
      greeted.add(
          ask
              ? greet(context, server, patience)
                  .map(server::with)
                  .recover(
                      cause ->
                          cause instanceof CheckFailure failure
                                  && failure.error().code() != ErrorCode.DEADLINE_EXCEEDED
                              ? Future.succeededFuture(server.unheard(failure.error().code()))
                              : Future.failedFuture(cause))
              : Future.succeededFuture(server));
    }
    return Future.all(greeted)
        .map(all -> new Evidence(greeted.stream().map(Future::result).toList(), seen.implicit()));
  }

  private static Future<@Nullable Boolean> greet(
      CheckContext context, Server server, long patience) {
    Host host = new Host(server.host().toLowerCase(Locale.ROOT), null);
    return context
        .probe(TcpProbe.class)
        .talk(context, host, server.ips().get(0), SMTP, patience, patience, new Greeting())
        .map(talk -> offersTls(text(talk.heard())));
  }

  private static String words(ErrorCode why) {
    return switch (why) {
      case CONNECT_REFUSED -> "the connection was refused";
      case CONNECT_UNREACHABLE -> "no way led there";
      case CONNECTION_RESET -> "the connection was cut off";
      case CONNECT_TIMEOUT, READ_TIMEOUT -> "no answer came";
      default -> "it may not be asked from here";
    };
  }

  private static String text(Buffer heard) {
    return heard.toString(StandardCharsets.ISO_8859_1);
  }

  /** Waits for the greeting, says EHLO, waits for the answer, and says goodbye. */
  static final class Greeting implements TcpProbe.Script {
    private int said;

    @Override
    public @Nullable Buffer next(Buffer heard) {
      int replies = replies(text(heard)).size();
      if (replies <= said) {
        return Buffer.buffer();
      }
      said = replies;
      return switch (replies) {
        case 1 -> Buffer.buffer("EHLO plumbline.invalid\r\n");
        case 2 -> Buffer.buffer("QUIT\r\n");
        default -> null;
      };
    }
  }

  /**
   * Whether the answer to EHLO names STARTTLS; null when there is no such answer.
   *
   * @param heard all that the server said
   */
  static @Nullable Boolean offersTls(String heard) {
    List<List<String>> replies = replies(heard);
    if (replies.size() < 2
        || !replies.get(0).get(0).startsWith("220")
        || !replies.get(1).get(0).startsWith("250")) {
      return null;
    }
    return replies.get(1).stream()
        .skip(1)
        .anyMatch(line -> line.substring(4).strip().equalsIgnoreCase("STARTTLS"));
  }

  /**
   * The whole replies (RFC 5321 section 4.2): lines of one code, the last with a space after it.
   */
  private static List<List<String>> replies(String heard) {
    List<List<String>> replies = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    int start = 0;
    for (int end = heard.indexOf('\n'); end >= 0; end = heard.indexOf('\n', start)) {
      String line = heard.substring(start, end).stripTrailing();
      start = end + 1;
      lines.add(line.length() < 4 ? line + " ".repeat(4 - line.length()) : line);
      if (line.length() < 4 || line.charAt(3) != '-') {
        replies.add(lines);
        lines = new ArrayList<>();
      }
    }
    return replies;
  }

  @Override
  public Judgement judge(Evidence seen, Options options) {
    List<Server> servers = seen.servers();
    boolean none = servers.stream().anyMatch(Server::none);
    List<String> unresolvable = hosts(servers.stream().filter(s -> s.state() == Addresses.NONE));
    List<String> aliases = hosts(servers.stream().filter(Server::alias));
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("records", servers.stream().filter(s -> !s.passedOver()).map(Mx::row).toList());
    fields.put("null_mx", none && servers.size() == 1);
    fields.put("implicit", seen.implicit() && !servers.isEmpty());
    fields.put("unresolvable", unresolvable);
    fields.put("points_to_cname", seen.implicit() ? List.of() : aliases);

    List<Finding> found = new ArrayList<>();
    if (servers.isEmpty()) {
      found.add(NO_SERVER.found());
    } else if (seen.implicit()) {
      found.add(IMPLICIT.found());
    } else if (none) {
      found.add(servers.size() == 1 ? NULL_MX.found() : NULL_MX_AND_MORE.found());
    }
    List<Server> named = servers.stream().filter(server -> !server.none()).toList();
    if (!named.isEmpty()) {
      hosts(named, unresolvable, seen.implicit() ? List.of() : aliases, found);
    }
    return Judgement.of(fields, found);
  }

  private static void hosts(
      List<Server> named, List<String> unresolvable, List<String> aliases, List<Finding> found) {
    List<String> literal =
        hosts(named.stream().filter(server -> ADDRESS.matcher(server.host()).matches()));
    List<String> inside = hosts(named.stream().filter(s -> s.state() == Addresses.INSIDE));
    inside.removeAll(literal);
    List<String> unknown = hosts(named.stream().filter(s -> s.state() == Addresses.UNKNOWN));
    List<String> open = hosts(named.stream().filter(s -> Boolean.FALSE.equals(s.tls())));
    List<Server> usable =
        named.stream()
            .filter(s -> s.state() != Addresses.NONE && s.state() != Addresses.INSIDE)
            .toList();
    if (usable.isEmpty()) {
      found.add(NO_USABLE.found());
    }
    name(IS_ADDRESS, literal, "must be a host name, not an address", found);
    name(UNRESOLVABLE, unresolvable, "has no address", found);
    name(INSIDE, inside, "belongs to a private network", found);
    name(ALIAS, aliases, "is an alias (CNAME)", found);
    name(UNKNOWN, unknown, "could not be looked up", found);
    name(NO_TLS, open, "does not offer encryption (STARTTLS)", found);
    List<String> all = named.stream().map(Server::host).toList();
    if (all.stream().distinct().count() < all.size()) {
      found.add(TWICE.found());
    }
    if (named.size() == 1) {
      found.add(SINGLE.found());
    }
    if (named.stream().anyMatch(Server::passedOver)) {
      found.add(
          MANY.found(
              String.format(
                  Locale.ROOT,
                  "There are %,d mail servers; only the first %d were looked up and are listed.",
                  named.size(),
                  MOST_LOOKED_UP)));
    }
    boolean six =
        named.stream().flatMap(s -> s.ips().stream()).anyMatch(ip -> ip.getAddress().length == 16);
    if (usable.stream().anyMatch(s -> !s.ips().isEmpty()) && !six) {
      found.add(NO_IPV6.found());
    }
    List<String> unheard =
        named.stream()
            .filter(server -> server.unheard() != null)
            .map(server -> server.host() + " (" + server.unheard() + ")")
            .distinct()
            .toList();
    if (!unheard.isEmpty()) {
      found.add(
          NOT_ASKED.found(
              "Nothing is known of the encryption of "
                  + Few.of(unheard)
                  + ". Many networks let nobody out on port 25, so this need not be the server's"
                  + " fault."));
    }
  }

  private static void name(FindingCode code, List<String> hosts, String what, List<Finding> found) {
    if (!hosts.isEmpty()) {
      found.add(
          code.found(
              hosts.size() == 1
                  ? "The mail server " + hosts.get(0) + " " + what + "."
                  : "Of these mail servers each " + what + ": " + Few.of(hosts) + "."));
    }
  }

  private static List<String> hosts(Stream<Server> servers) {
    return new ArrayList<>(servers.map(Server::host).distinct().toList());
  }

  private static Map<String, @Nullable Object> row(Server server) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("preference", server.preference());
    row.put("host", server.host());
    row.put("ips", server.ips().stream().map(AddressText::format).toList());
    row.put("tls", server.tls());
    return row;
  }
}
