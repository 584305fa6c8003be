package dev.plumbline.run;

import dev.plumbline.check.TargetPolicy;
import dev.plumbline.config.Config;
import dev.plumbline.probe.CertificateProbe;
import dev.plumbline.probe.DnsProbe;
import dev.plumbline.probe.DnsResolver;
import dev.plumbline.probe.EgressGuard;
import dev.plumbline.probe.HttpProbe;
import dev.plumbline.probe.OwnSockets;
import dev.plumbline.probe.RdapBootstrap;
import dev.plumbline.probe.RdapProbe;
import dev.plumbline.probe.RevocationProbe;
import dev.plumbline.probe.TcpProbe;
import dev.plumbline.probe.TlsProbe;
import dev.plumbline.probe.TlsScan;
import dev.plumbline.probe.TlsTrust;
import dev.plumbline.probe.WhoisProbe;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * All that checks run with, put together from the settings: one for each process, whether it serves
 * or runs a single check on the terminal.
 */
public record Equipment(TargetPolicy policy, Probes probes) {
  /** How the User-Agent of every service of this kind begins. */
  public static final String PRODUCT = "Plumbline/";

  /**
   * @param version of this program
   * @throws IOException when the extra roots cannot be read
   * @throws IllegalArgumentException when a rule about targets cannot be read, naming it
   */
  public static Equipment of(Vertx vertx, Config config, OwnSockets own, String version)
      throws IOException {
    Config.Targets targets = config.targets();
    TargetPolicy policy =
        new TargetPolicy(
            new TargetPolicy.Rules(
                targets.allow(), targets.deny(), config.dns().denySuffixes(), targets.ports()),
            own);
    DnsResolver resolver = new DnsResolver(vertx, config.dns(), policy, System::nanoTime);
    EgressGuard guard = new EgressGuard(vertx, policy, resolver, targets);
    TlsTrust trust = new TlsTrust(config.tls().extraRoots());
    String agent =
        targets.contact() == null
            ? PRODUCT + version
            : PRODUCT + version + " (+" + targets.contact() + ")";
    HttpProbe http = new HttpProbe(vertx, guard, trust, policy, agent);
    TlsProbe tls = new TlsProbe(vertx, guard);
    Config.Registries registries = config.registries();
    RdapBootstrap bootstrap = new RdapBootstrap(vertx, http, registries);
    CertificateProbe certificates =
        new CertificateProbe(vertx, trust, new RevocationProbe(vertx, http));
    return new Equipment(
        policy,
        new Probes(
            Map.of(
                DnsProbe.class,
                new DnsProbe(vertx, resolver, resolvers(vertx, config.dns(), policy), policy),
                HttpProbe.class,
                http,
                TlsProbe.class,
                tls,
                TlsScan.class,
                new TlsScan(vertx, guard, tls),
                RdapProbe.class,
                new RdapProbe(vertx, http, bootstrap, registries),
                WhoisProbe.class,
                new WhoisProbe(vertx, guard, registries),
                CertificateProbe.class,
                certificates,
                TcpProbe.class,
                new TcpProbe(vertx, guard))));
  }

  private static Map<String, DnsResolver> resolvers(
      Vertx vertx, Config.Dns dns, TargetPolicy policy) {
    Map<String, DnsResolver> resolvers = new HashMap<>();
    for (String name : dns.resolvers().keySet()) {
      resolvers.put(name, new DnsResolver(vertx, dns.of(name), policy, System::nanoTime));
    }
    return resolvers;
  }
}
