package dev.plumbline.probe;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Description;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.TargetPolicy;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * Records of the DNS, for checks that judge the records themselves. It asks the resolver that the
 * option {@code resolver} names, shares answers of the last few seconds, and keeps to itself what
 * belongs to a private network.
 */
public final class DnsProbe {
  private static final long MOMENT_MS = 5_000;

  private final DnsResolver standard;
  private final Map<String, DnsResolver> named;
  private final TargetPolicy policy;

  /**
   * @param named the resolvers that people may choose besides the standard one
   */
  public DnsProbe(DnsResolver standard, Map<String, DnsResolver> named, TargetPolicy policy) {
    this.standard = standard;
    this.named = Map.copyOf(named);
    this.policy = policy;
  }

  /**
   * What the DNS says of a name; that it or its type does not exist is an answer. Fails as {@link
   * DnsResolver#query} does, and with {@code target_blocked} when the answer holds what belongs to
   * a private network.
   *
   * @param type of {@link Type}
   */
  public Future<DnsAnswer> query(CheckContext context, String name, int type) {
    return ask(context, name, type).compose(DnsResolver::told);
  }

  /** As {@link #query}, but that the resolver has failed is an answer too. */
  public Future<DnsAnswer> ask(CheckContext context, String name, int type) {
    return resolver(context)
        .ask(name, type, context.deadline(), MOMENT_MS)
        .compose(
            answer ->
                DnsVeil.hides(policy, answer)
                    ? Future.failedFuture(DnsVeil.inside(name))
                    : Future.succeededFuture(answer));
  }

  /**
   * Fails with {@code target_blocked} when a domain has an address of a private network: nothing
   * else that our resolver knows of it may be told then, because strangers might not know it. When
   * nothing can be found out of its addresses, fails as {@link #query} does.
   */
  public Future<Void> admit(CheckContext context, String domain) {
    Future<DnsAnswer> v4 = query(context, domain, Type.A);
    Future<DnsAnswer> v6 = query(context, domain, Type.AAAA);
    return Future.join(v4, v6)
        .transform(
            both -> {
              for (Future<DnsAnswer> answer : List.of(v4, v6)) {
                boolean unknown = answer.failed() && answer.cause() instanceof CheckFailure;
                if (answer.failed() && (!unknown || isBlocked(answer.cause()))) {
                  return Future.failedFuture(answer.cause());
                }
              }
              return v4.failed() && v6.failed()
                  ? Future.failedFuture(v4.cause())
                  : Future.succeededFuture();
            });
  }

  /** Whether an outcome is the refusal to tell something. */
  public static boolean isBlocked(@Nullable Throwable cause) {
    return cause instanceof CheckFailure failure
        && failure.error().code() == ErrorCode.TARGET_BLOCKED;
  }

  private DnsResolver resolver(CheckContext context) {
    String name = context.options().text(Description.RESOLVER);
    return name == null ? standard : named.getOrDefault(name, standard);
  }
}
