package dev.plumbline.lab;

import dev.plumbline.check.CheckModule;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.TargetParser;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.config.Config;
import dev.plumbline.probe.DnsProbe;
import dev.plumbline.probe.DnsResolver;
import dev.plumbline.probe.LabGuard;
import dev.plumbline.probe.TcpProbe;
import dev.plumbline.probe.TestContext;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The DNS lab and a probe that asks it, for tests of modules. No other server is contacted. */
public final class DnsBench implements AutoCloseable {
  /** Addresses for documentation, which stand for public ones here (RFC 5737, RFC 3849). */
  private static final List<String> PUBLIC =
      List.of("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32");

  private static final TargetPolicy POLICY =
      new TargetPolicy(
          new TargetPolicy.Rules(PUBLIC, List.of(), List.of("corp.example"), List.of("53")),
          (address, port) -> false);

  private final Vertx vertx = Vertx.vertx();
  private final DnsLab dns = DnsLab.start();

  private DnsBench() {}

  public static DnsBench start() {
    return new DnsBench();
  }

  public DnsLab dns() {
    return dns;
  }

  /**
   * What a module says of a domain of the lab, held against what it promises.
   *
   * @param query options as they stand in a query string; empty for none
   */
  public CheckResult check(CheckModule<?> module, String domain, String query) {
    return check(module, dns.address(), domain, query);
  }

  /**
   * As {@link #check(CheckModule, String, String)}, asking another server.
   *
   * @param server as {@code dns.servers} takes it
   */
  public CheckResult check(CheckModule<?> module, String server, String domain, String query) {
    Map<String, String> options = new HashMap<>();
    for (String pair : query.isEmpty() ? new String[0] : query.split("&")) {
      options.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
    }
    Config.Dns settings = new Config.Dns(List.of(server), List.of(), Duration.ofMillis(700), 1_000);
    DnsProbe probe =
        new DnsProbe(new DnsResolver(vertx, settings, POLICY, System::nanoTime), Map.of(), POLICY);
    try {
      return Checked.by(
          vertx,
          module,
          TargetParser.parse(module.description(), domain),
          TestContext.of(module.description(), options)
              .withDeadline(Long.parseLong(options.getOrDefault("timeout_ms", "10000")))
              .withProbe(DnsProbe.class, probe)
              .withProbe(TcpProbe.class, new TcpProbe(vertx, LabGuard.of(vertx, POLICY, dns))));
    } catch (InvalidTargetException invalid) {
      throw new AssertionError(domain, invalid);
    }
  }

  @Override
  public void close() {
    Await.value(vertx.close());
    dns.close();
  }
}
