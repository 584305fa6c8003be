package dev.plumbline.probe.registry;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.config.Config;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.Optional;

/** Looks up domains, addresses and AS numbers by RDAP (RFC 9082), the successor of WHOIS. */
public final class RdapProbe {
    /** The maximum size of a response in bytes. */
    public static final int MAX_BYTES = 256 * 1024;

    private static final int REDIRECTS = 3;
    private static final String TYPES = "application/rdap+json, application/json;q=0.5";

    private final HttpProbe http;
    private final RdapBootstrap bootstrap;
    private final RegistryRateLimiter rateLimiter;

    public RdapProbe(
            HttpProbe http, RdapBootstrap bootstrap, Config.RegistrySettings settings, RateLimiterFactory limiters) {
        this.http = http;
        this.bootstrap = bootstrap;
        this.rateLimiter =
                new RegistryRateLimiter(limiters, LimiterKind.RDAP_SERVER, settings.perServer(), System::nanoTime);
    }

    /**
     * Looks up a domain.
     *
     * @param domain lower-case A-labels
     * @return the response with any status; empty if no server is known for the top-level domain
     */
    public Future<Optional<RdapResponse>> lookup(CheckContext context, String domain) {
        return bootstrap.serverOf(context, domain).compose(server -> lookup(context, server, "domain/" + domain));
    }

    /** Looks up the registration of an address; empty if no registry is responsible for it. */
    public Future<Optional<RdapResponse>> lookup(CheckContext context, InetAddress address) {
        return bootstrap
                .serverOf(context, address)
                .compose(server -> lookup(context, server, "ip/" + IpAddressText.format(address)));
    }

    /** Looks up an AS number; empty if no registry is responsible for it. */
    public Future<Optional<RdapResponse>> lookup(CheckContext context, long asNumber) {
        return bootstrap.serverOf(context, asNumber).compose(server -> lookup(context, server, "autnum/" + asNumber));
    }

    private Future<Optional<RdapResponse>> lookup(CheckContext context, Optional<String> server, String path) {
        Target.Url url = server.map(known -> RdapBootstrap.url(known + path)).orElse(null);
        return url == null ? Future.succeededFuture(Optional.empty()) : request(context, url);
    }

    private Future<Optional<RdapResponse>> request(CheckContext context, Target.Url url) {
        HttpRequestSpec call = HttpRequestSpec.get(url, MAX_BYTES).with("accept", TYPES);
        return rateLimiter.run(context, url.authority(), share -> http.follow(share, call, REDIRECTS)
                .compose(trace -> trace.completePage().compose(page -> response(trace, page)))
                .map(Optional::of));
    }

    private static Future<RdapResponse> response(RedirectTrace trace, HttpExchange page) {
        if (page.body().truncated()) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.RESPONSE_TOO_LARGE, "The RDAP response exceeds " + MAX_BYTES / 1024 + " KiB."));
        }
        return Future.succeededFuture(new RdapResponse(
                trace.hops().stream().map(hop -> hop.url().host().name()).toList(),
                page.status(),
                page.body().text(page.headers().first("content-type"))));
    }
}
