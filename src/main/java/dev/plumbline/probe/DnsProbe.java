package dev.plumbline.probe;

import dev.plumbline.check.CheckContext;
import io.vertx.core.Future;

/** Records of the DNS, for checks that judge the records themselves. */
public final class DnsProbe {
  private final DnsResolver resolver;

  public DnsProbe(DnsResolver resolver) {
    this.resolver = resolver;
  }

  /**
   * What the DNS says of a name; that it or its type does not exist is an answer. Fails as {@link
   * DnsResolver#query} does.
   *
   * @param type of {@link org.xbill.DNS.Type}
   */
  public Future<DnsAnswer> query(CheckContext context, String name, int type) {
    return resolver.query(name, type, context.deadline());
  }
}
