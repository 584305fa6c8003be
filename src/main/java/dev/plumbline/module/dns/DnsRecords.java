package dev.plumbline.module.dns;

import static dev.plumbline.module.dns.DnsRecordsDescription.ALIAS_AND_MORE;
import static dev.plumbline.module.dns.DnsRecordsDescription.ALIAS_AT_APEX;
import static dev.plumbline.module.dns.DnsRecordsDescription.BROKEN_ALIAS;
import static dev.plumbline.module.dns.DnsRecordsDescription.DANGLING;
import static dev.plumbline.module.dns.DnsRecordsDescription.DENIED;
import static dev.plumbline.module.dns.DnsRecordsDescription.HIDDEN;
import static dev.plumbline.module.dns.DnsRecordsDescription.LONG_ALIASES;
import static dev.plumbline.module.dns.DnsRecordsDescription.LONG_TTL;
import static dev.plumbline.module.dns.DnsRecordsDescription.NOTHING;
import static dev.plumbline.module.dns.DnsRecordsDescription.NO_IPV6;
import static dev.plumbline.module.dns.DnsRecordsDescription.NXDOMAIN;
import static dev.plumbline.module.dns.DnsRecordsDescription.SEVERAL_ALIASES;
import static dev.plumbline.module.dns.DnsRecordsDescription.SHORT_TTL;
import static dev.plumbline.module.dns.DnsRecordsDescription.SINGLE_SERVER;
import static dev.plumbline.module.dns.DnsRecordsDescription.TTLS_DIFFER;
import static dev.plumbline.module.dns.DnsRecordsDescription.UNANSWERED;
import static dev.plumbline.module.dns.DnsRecordsDescription.WILDCARD;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.Description;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Finding;
import dev.plumbline.check.Judgement;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.DnsAnswer;
import dev.plumbline.probe.DnsProbe;
import dev.plumbline.probe.RegistrableDomains;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** What the DNS says of a name. */
@AutoService(CheckModule.class)
public final class DnsRecords implements CheckModule<DnsRecords.Evidence> {
  static final String TYPES = "types";
  static final List<String> USUAL =
      List.of("A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA", "HTTPS", "SRV");
  static final List<String> UNUSUAL =
      List.of("SVCB", "TLSA", "DS", "DNSKEY", "PTR", "NAPTR", "SSHFP", "URI");
  private static final int MOST_NAME = 253;
  private static final int SHORT_TTL_SECONDS = 60;
  private static final int LONG_TTL_SECONDS = 7 * 86_400;
  private static final int LONG_CHAIN = 3;
  private static final Set<ErrorCode> OPEN = Set.of(ErrorCode.DNS_TIMEOUT, ErrorCode.REQUEST_LIMIT);
  private static final RegistrableDomains DOMAINS = new RegistrableDomains();

  /** A label that nobody has; the same all the time, so that the answers can be kept. */
  static final String NOBODYS_LABEL =
      "nobodys-" + Long.toString(new SecureRandom().nextLong() >>> 8, 36);

  /**
   * What came of one type: an answer, or why there is none.
   *
   * @param failure {@code target_blocked} when the answer may not be told
   */
  public record Asked(String type, @Nullable DnsAnswer answer, @Nullable CheckError failure) {
    boolean answered() {
      return answer != null && !answer.failed();
    }

    /** When nothing is known of the addresses, only they and the way to them are told. */
    Asked unless(@Nullable CheckError doubt) {
      return doubt == null || !answered() || List.of("A", "AAAA", "CNAME").contains(type)
          ? this
          : new Asked(type, null, doubt);
    }

    /** Whether there is something that may not be told. */
    boolean hidden() {
      return failure != null && failure.code() == ErrorCode.TARGET_BLOCKED;
    }

    /** Whether there is an alias or a record. */
    boolean found() {
      return hidden()
          || answer != null && !(answer.records().isEmpty() && answer.aliases().isEmpty());
    }

    List<Record> records() {
      return answer == null ? List.of() : answer.records();
    }
  }

  /**
   * All that was asked, in order.
   *
   * @param nobodys of a name below this one that nobody set up; null when it is too long for one
   * @param doubt why it is not known whether the name leads inside, null when it does not
   */
  public record Evidence(
      String name, List<Asked> asked, @Nullable Asked nobodys, @Nullable CheckError doubt) {
    /** Null when it could not be found out. */
    @Nullable Boolean wildcard() {
      if (nobodys == null) {
        return false;
      }
      return nobodys.answered() || nobodys.hidden() ? (Boolean) nobodys.found() : null;
    }
  }

  @Override
  public Description description() {
    return DnsRecordsDescription.DESCRIPTION;
  }

  @Override
  public Future<Evidence> collect(Target target, CheckContext context) {
    String name = target.text();
    DnsProbe dns = context.probe(DnsProbe.class);
    List<String> given = context.options().list(TYPES);
    List<String> types = List.copyOf(new LinkedHashSet<>(given.isEmpty() ? USUAL : given));
    Future<Void> admitted = dns.admit(context, name);
    Future<@Nullable Asked> nobodys = nobodys(context, dns, name, types);
    List<Future<Asked>> asked = types.stream().map(type -> ask(context, dns, name, type)).toList();
    Future<Optional<CheckError>> doubt =
        admitted
            .map(fine -> Optional.<CheckError>empty())
            .recover(
                cause ->
                    cause instanceof CheckFailure failure && !DnsProbe.isBlocked(cause)
                        ? Future.succeededFuture(Optional.of(doubt(failure.error())))
                        : Future.failedFuture(cause));
    return doubt
        .compose(fine -> Future.all(asked))
        .compose(
            done ->
                nobodys.map(
                    below ->
                        seen(
                            name,
                            asked.stream().map(Future::result).toList(),
                            below,
                            doubt.result().orElse(null))));
  }

  private static CheckError doubt(CheckError why) {
    return new CheckError(
        why.code(),
        "Whether the name leads to a private network could not be found out, so no more than its"
            + " addresses is told. "
            + why.message());
  }

  private static Evidence seen(
      String name, List<Asked> asked, @Nullable Asked below, @Nullable CheckError doubt) {
    Asked nobodys =
        doubt != null && below != null && below.found()
            ? new Asked(below.type(), null, doubt)
            : below;
    return new Evidence(
        name, asked.stream().map(one -> one.unless(doubt)).toList(), nobodys, doubt);
  }

  private static Future<Asked> ask(CheckContext context, DnsProbe dns, String name, String type) {
    return dns.ask(context, name, Type.value(type))
        .map(answer -> new Asked(type, answer, null))
        .recover(
            cause ->
                cause instanceof CheckFailure failure
                    ? Future.succeededFuture(new Asked(type, null, failure.error()))
                    : Future.failedFuture(cause));
  }

  private static Future<@Nullable Asked> nobodys(
      CheckContext context, DnsProbe dns, String name, List<String> types) {
    String nobodys = NOBODYS_LABEL + "." + name;
    return nobodys.length() > MOST_NAME
        ? Future.succeededFuture()
        : ask(context, dns, nobodys, types.contains("A") ? "A" : types.get(0)).map(one -> one);
  }

  @Override
  public Judgement judge(Evidence seen, Options options) {
    List<Asked> answered = seen.asked().stream().filter(Asked::answered).toList();
    List<Record> all = answered.stream().flatMap(one -> one.records().stream()).toList();
    List<Record> shown = Stream.concat(all.stream(), way(answered)).distinct().toList();
    Map<String, Object> records = rows(answered, shown);
    boolean denied = answered.stream().map(Asked::answer).anyMatch(DnsAnswer::nxdomain);
    boolean missing = denied && all.stream().allMatch(CNAMERecord.class::isInstance);
    boolean alias = answered.stream().anyMatch(one -> !one.answer().aliases().isEmpty());
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("rcode", rcode(seen, missing));
    fields.put("records", records);
    fields.put("ttl_min", shown.isEmpty() ? null : shortestTtl(shown));
    fields.put("wildcard", seen.wildcard());
    fields.put(
        "authoritative",
        !answered.isEmpty() && answered.stream().allMatch(one -> one.answer().authoritative()));
    fields.put("response_ms", slowest(answered));
    if (answered.isEmpty()) {
      return new Judgement(fields, List.of(), failure(seen.asked()));
    }
    if (missing && !alias && all.isEmpty()) {
      return new Judgement(
          fields,
          List.of(NXDOMAIN.found()),
          new CheckError(ErrorCode.DNS_NXDOMAIN, "The name " + seen.name() + " does not exist."));
    }
    List<Finding> found = new ArrayList<>();
    if (missing && alias) {
      found.add(DANGLING.found());
    }
    if (denied && !missing) {
      found.add(DENIED.found());
    }
    aliases(seen.name(), answered, found);
    gaps(seen, answered, found);
    if (Boolean.TRUE.equals(seen.wildcard())) {
      found.add(WILDCARD.found());
    }
    if (all.isEmpty() && !missing && answered.size() == seen.asked().size()) {
      found.add(NOTHING.found());
    }
    if (records.containsKey("A") && asked(answered, "AAAA") && !records.containsKey("AAAA")) {
      found.add(NO_IPV6.found());
    }
    times(answered, shown, found);
    return new Judgement(fields, found, open(answered, seen));
  }

  /** All records by which the name is an alias, and what it is an alias of too. */
  private static Stream<Record> way(List<Asked> answered) {
    return answered.stream().flatMap(one -> one.answer().way().stream());
  }

  /** The rows by type, in the order in which the types were asked for. */
  private static Map<String, Object> rows(List<Asked> answered, List<Record> shown) {
    Map<String, List<Record>> byType = new LinkedHashMap<>();
    answered.forEach(one -> byType.put(one.type(), new ArrayList<>()));
    for (Record one : shown) {
      byType.computeIfAbsent(Type.string(one.getType()), more -> new ArrayList<>()).add(one);
    }
    Map<String, Object> rows = new LinkedHashMap<>();
    byType.forEach(
        (type, records) -> {
          if (!records.isEmpty()) {
            rows.put(type, records.stream().sorted(RecordRow.ORDER).map(RecordRow::of).toList());
          }
        });
    return rows;
  }

  /**
   * What was not answered in time, or not asked for, leaves the question open, however much is
   * known. So does a wildcard of which nothing is known, since there is no gap between yes and no.
   */
  private static @Nullable CheckError open(List<Asked> answered, Evidence seen) {
    for (Asked one : seen.asked()) {
      if (one.failure() != null && OPEN.contains(one.failure().code())) {
        return one.failure();
      }
    }
    if (seen.doubt() != null && !isBrokenAlias(answered, seen)) {
      return seen.doubt();
    }
    if (seen.wildcard() != null || seen.nobodys() == null) {
      return null;
    }
    CheckError why = failure(List.of(seen.nobodys()));
    return new CheckError(
        why.code(), "Whether there is a wildcard could not be found out. " + why.message());
  }

  private static void aliases(String name, List<Asked> answered, List<Finding> found) {
    List<Record> own =
        answered.stream()
            .filter(one -> one.type().equals("CNAME"))
            .flatMap(one -> one.records().stream())
            .toList();
    boolean alias = !own.isEmpty() || answered.stream().anyMatch(DnsRecords::followed);
    boolean more =
        answered.stream()
            .anyMatch(
                one ->
                    !one.type().equals("CNAME")
                        && !one.records().isEmpty()
                        && one.answer().aliases().isEmpty());
    if (alias && name.equals(DOMAINS.registered(name))) {
      found.add(ALIAS_AT_APEX.found());
    } else if (alias && more) {
      found.add(ALIAS_AND_MORE.found());
    }
    if (own.size() > 1) {
      found.add(SEVERAL_ALIASES.found());
    }
    if (answered.stream().anyMatch(one -> one.answer().aliases().size() >= LONG_CHAIN)) {
      found.add(LONG_ALIASES.found());
    }
  }

  /** Whether nothing is known but that the name is an alias. */
  private static boolean isBrokenAlias(List<Asked> answered, Evidence seen) {
    return answered.stream().allMatch(one -> one.type().equals("CNAME") && !one.records().isEmpty())
        && seen.asked().stream().anyMatch(one -> !one.answered() && !one.hidden());
  }

  private static boolean followed(Asked one) {
    return one.answer() != null && !one.answer().aliases().isEmpty();
  }

  private static void gaps(Evidence seen, List<Asked> answered, List<Finding> found) {
    List<String> hidden = new ArrayList<>();
    List<String> silent = new ArrayList<>();
    for (Asked one : seen.asked()) {
      if (!one.answered() && (seen.doubt() == null || !seen.doubt().equals(one.failure()))) {
        (one.hidden() ? hidden : silent).add(one.type());
      }
    }
    if (isBrokenAlias(answered, seen)) {
      found.add(BROKEN_ALIAS.found());
    } else if (!silent.isEmpty()) {
      found.add(UNANSWERED.found("No answer came for " + String.join(", ", silent) + "."));
    }
    if (!hidden.isEmpty()) {
      found.add(
          HIDDEN.found(
              "Records of type "
                  + String.join(", ", hidden)
                  + " name hosts of a private network and are not shown."));
    }
    if (seen.nobodys() != null && seen.nobodys().hidden()) {
      found.add(
          HIDDEN.found("A wildcard below the name leads to a private network and is not shown."));
    }
    long servers =
        answered.stream()
            .flatMap(one -> one.records().stream())
            .filter(NSRecord.class::isInstance)
            .count();
    if (servers == 1) {
      found.add(SINGLE_SERVER.found());
    }
  }

  private static void times(List<Asked> answered, List<Record> all, List<Finding> found) {
    for (Asked one : answered) {
      if (one.records().stream().mapToLong(Record::getTTL).distinct().count() > 1) {
        found.add(
            TTLS_DIFFER.found("The " + one.type() + " records have different times to live."));
      }
    }
    if (!all.isEmpty() && shortestTtl(all) < SHORT_TTL_SECONDS) {
      found.add(SHORT_TTL.found());
    } else if (!all.isEmpty() && shortestTtl(all) > LONG_TTL_SECONDS) {
      found.add(LONG_TTL.found());
    }
  }

  private static boolean asked(List<Asked> answered, String type) {
    return answered.stream().anyMatch(one -> one.type().equals(type));
  }

  private static @Nullable String rcode(Evidence seen, boolean missing) {
    if (missing) {
      return "NXDOMAIN";
    }
    if (seen.asked().stream().anyMatch(Asked::answered)) {
      return "NOERROR";
    }
    return rcode(seen.asked());
  }

  private static @Nullable String rcode(List<Asked> asked) {
    return asked.stream()
        .map(Asked::answer)
        .filter(answer -> answer != null)
        .map(answer -> Rcode.string(answer.rcode()))
        .findFirst()
        .orElse(null);
  }

  private static CheckError failure(List<Asked> asked) {
    for (Asked one : asked) {
      if (one.failure() != null) {
        return one.failure();
      }
    }
    return new CheckError(
        ErrorCode.DNS_SERVFAIL, "The DNS resolver answered " + rcode(asked) + ".");
  }

  private static int shortestTtl(List<Record> records) {
    return (int) records.stream().mapToLong(Record::getTTL).min().orElse(0);
  }

  private static @Nullable Double slowest(List<Asked> answered) {
    double slowest =
        answered.stream().mapToDouble(one -> one.answer().responseMs()).max().orElse(-1);
    return slowest < 0 ? null : Math.round(slowest * 10) / 10.0;
  }
}
