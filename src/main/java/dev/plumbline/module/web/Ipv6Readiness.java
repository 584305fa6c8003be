package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.dns.record.ServerHosts;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * Whether the website, the nameservers and the mail servers of a domain can be used over IPv6.
 *
 * @param dnsPort of nameservers
 * @param smtpPort of mail servers
 */
@AutoService(RegisteredModule.class)
public record Ipv6Readiness(WebPorts ports, int dnsPort, int smtpPort)
        implements CheckModule<Ipv6Readiness.Evidence, Ipv6Readiness.Report, Ipv6Readiness.Findings> {
    /** Each website is requested twice, and each request can try several addresses. */
    private static final int REDIRECTS = 4;

    private static final int SMTP_PORT = 25;

    public Ipv6Readiness() {
        this(WebPorts.STANDARD, NameserverAddress.PORT, SMTP_PORT);
    }

    /** The fields of the report. Beside an error, all of them can be null. */
    public record Report(
            @NullOnError Boolean webAaaa,
            @NullOnError Boolean nsAaaa,
            @Nullable Integer nsAaaaCount,
            @NullOnError Boolean mxAaaa,
            @Nullable Boolean httpOverIpv6,
            @Nullable Boolean sameContent,
            @Nullable Boolean nsOverIpv6,
            @Nullable Boolean mxOverIpv6) {}

    public interface Findings extends FindingCollector {
        void httpOverIpv6Failed(String error);

        void ipv6CertificateInvalid(String reason);

        void webNoAaaa(String domain);

        void wwwNoAaaa(String host);

        void nsNoAaaa(List<String> hosts);

        void mxNoAaaa(List<String> hosts);

        void ipv6ContentDiffers(String difference);

        void nsOverIpv6Failed(List<String> servers);

        void mxOverIpv6Failed(List<String> servers);

        void lookupFailed(List<String> hosts);

        void oneNsAaaa(String host);

        void someMxNoAaaa(List<String> hosts);

        void ipv6NotTested(String error);

        void ipv6ServersNotTested(List<String> servers);

        void notCompared(String error);

        void certificateInvalid(String reason);

        void noWebsite(String domain);

        void noMailServers(String domain);
    }

    /**
     * @param www the addresses of the host {@code www}
     * @param v4 the website over IPv4; null if it was not requested
     * @param v6 the website over IPv6; null if it was not requested
     * @param nsReachability of the nameservers
     * @param mxReachability of the mail servers
     */
    public record Evidence(
            String domain,
            ServerHosts.Server web,
            ServerHosts.Server www,
            ServerHosts nameservers,
            ServerHosts mailServers,
            @Nullable SitePage v4,
            @Nullable SitePage v6,
            Ipv6Reachability nsReachability,
            Ipv6Reachability mxReachability) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<HostAddresses> web = dns.addresses(context, domain);
        return dns.admit(context, domain)
                .compose(admitted -> dns.query(context, domain, Type.AAAA))
                .compose(DnsProbe::requireName)
                .compose(name -> {
                    Future<HostAddresses> www = domain.startsWith("www.")
                            ? Future.succeededFuture(HostAddresses.NOT_CHECKED)
                            : dns.addresses(context, "www." + domain);
                    Future<ServerHosts> nameservers = ServerHosts.nameservers(context, domain);
                    Future<ServerHosts> mailServers = ServerHosts.mailServers(context, domain);
                    return Future.all(web, www, nameservers, mailServers)
                            .compose(all -> connections(
                                    context,
                                    new ServerHosts.Server(domain, web.result()),
                                    nameservers.result(),
                                    mailServers.result()))
                            .map(connections -> new Evidence(
                                    domain,
                                    new ServerHosts.Server(domain, web.result()),
                                    new ServerHosts.Server("www." + domain, www.result()),
                                    nameservers.result(),
                                    mailServers.result(),
                                    connections.pages().v4(),
                                    connections.pages().v6(),
                                    connections.nameservers(),
                                    connections.mailServers()));
                });
    }

    private record Connections(Pages pages, Ipv6Reachability nameservers, Ipv6Reachability mailServers) {}

    /** Connects to the website and to the servers at the same time, because each can time out. */
    private Future<Connections> connections(
            CheckContext context, ServerHosts.Server web, ServerHosts nameservers, ServerHosts mailServers) {
        CheckContext patient = context.patiently();
        Future<Pages> pages = pages(context, web);
        Future<Ipv6Reachability> ns = Ipv6Reachability.nameservers(patient, nameservers, web.host(), dnsPort);
        Future<Ipv6Reachability> mx = Ipv6Reachability.mailServers(patient, mailServers, smtpPort);
        return Future.all(pages, ns, mx).map(all -> new Connections(pages.result(), ns.result(), mx.result()));
    }

    private record Pages(@Nullable SitePage v4, @Nullable SitePage v6) {}

    /** Requests the website over both versions, unless it does not have an IPv6 address. */
    private Future<Pages> pages(CheckContext context, ServerHosts.Server web) {
        if (!web.hasIpv6()) {
            return Future.succeededFuture(new Pages(null, null));
        }
        // the remaining half is for IPv4
        CheckContext first =
                context.within(context.deadline().atMost(context.deadline().remainingMillis() / 2));
        return page(first, web.host(), "6").compose(v6 -> (web.hasIpv4()
                        ? page(context.patiently(), web.host(), "4")
                        : Future.<@Nullable SitePage>succeededFuture(null))
                .map(v4 -> new Pages(v4, v6)));
    }

    private Future<@Nullable SitePage> page(CheckContext context, String domain, String ipVersion) {
        HttpRequestSpec request = HttpRequestSpec.get(ports.https(domain, "/"), HttpProbe.PAGE_BYTES)
                .with("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        CheckContext over = context.overIpVersion(ipVersion);
        return context.probe(HttpProbe.class).follow(over, request, REDIRECTS).compose(trace -> {
            CheckError error = trace.error();
            return error != null && error.code() == ErrorCode.TLS_UNTRUSTED
                    ? unverifiedPage(over, request, trace, error)
                    : trace.parseBodies(context, () -> SitePage.of(trace, null));
        });
    }

    /** Continues where the certificate is not valid, because that does not concern the IP version. */
    private static Future<@Nullable SitePage> unverifiedPage(
            CheckContext context, HttpRequestSpec request, RedirectTrace trace, CheckError certificateError) {
        HttpRequestSpec unverified = request.to(trace.url()).verifyingTls(false);
        return context.probe(HttpProbe.class)
                .follow(
                        context.patiently(),
                        unverified,
                        REDIRECTS - trace.hops().size())
                .compose(rest -> rest.parseBodies(context, () -> SitePage.of(rest, certificateError)));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String domain = evidence.domain();
        ServerHosts.Server web = evidence.web();
        if (Boolean.FALSE.equals(web.knownIpv6())) {
            if (web.addresses().state() == HostAddresses.State.NONE) {
                findings.noWebsite(domain);
            } else {
                findings.webNoAaaa(domain);
            }
        }
        if (evidence.www().hasIpv4() && Boolean.FALSE.equals(evidence.www().knownIpv6())) {
            findings.wwwNoAaaa(evidence.www().host());
        }
        evaluateServers(evidence, findings);
        evaluateReachability(evidence, findings);
        Boolean http = evaluatePages(evidence, findings);
        return new Report(
                web.knownIpv6(),
                evidence.nameservers().anyIpv6(),
                evidence.nameservers().ipv6Count(),
                evidence.mailServers().anyIpv6(),
                http,
                evaluateContent(evidence, findings),
                evidence.nsReachability().responds(),
                evidence.mxReachability().responds());
    }

    private static void evaluateServers(Evidence evidence, Findings findings) {
        ServerHosts nameservers = evidence.nameservers();
        List<String> withIpv6 = nameservers.withIpv6();
        if (Boolean.FALSE.equals(nameservers.anyIpv6())) {
            findings.nsNoAaaa(nameservers.names());
        } else if (withIpv6.size() == 1
                && nameservers.names().size() > 1
                && nameservers.unknown().isEmpty()) {
            findings.oneNsAaaa(withIpv6.get(0));
        }
        ServerHosts mail = evidence.mailServers();
        if (mail.error() == null && mail.servers().isEmpty()) {
            findings.noMailServers(evidence.domain());
        } else if (Boolean.FALSE.equals(mail.anyIpv6())) {
            findings.mxNoAaaa(mail.names());
        } else if (Boolean.TRUE.equals(mail.anyIpv6())) {
            reportIfAny(mail.withoutIpv6(), findings::someMxNoAaaa);
        }
        reportIfAny(
                Stream.of(List.of(evidence.web()), nameservers.servers(), mail.servers())
                        .flatMap(List::stream)
                        .filter(server -> server.knownIpv6() == null
                                && !server.addresses().limited())
                        .map(ServerHosts.Server::host)
                        .distinct()
                        .toList(),
                findings::lookupFailed);
        Stream.of(
                        evidence.web().knownIpv6() == null
                                ? evidence.web().addresses().error()
                                : null,
                        nameservers.unknownCause(),
                        mail.unknownCause())
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresent(findings::error);
    }

    private static void evaluateReachability(Evidence evidence, Findings findings) {
        Ipv6Reachability nameservers = evidence.nsReachability();
        Ipv6Reachability mailServers = evidence.mxReachability();
        reportIfAny(nameservers.failed(), findings::nsOverIpv6Failed);
        reportIfAny(mailServers.failed(), findings::mxOverIpv6Failed);
        reportIfAny(
                Stream.concat(nameservers.undetermined().stream(), mailServers.undetermined().stream())
                        .toList(),
                findings::ipv6ServersNotTested);
    }

    /** Whether the website responds over IPv6; null if that is unknown. */
    private static @Nullable Boolean evaluatePages(Evidence evidence, Findings findings) {
        SitePage v6 = evidence.v6();
        if (v6 == null) {
            return null;
        }
        CheckError error = v6.error();
        if (error == null) {
            evaluateCertificate(evidence.v4(), v6, findings);
            return true;
        }
        if (Ipv6Reachability.isUndetermined(error)) {
            findings.ipv6NotTested(error.message());
            return null;
        }
        SitePage v4 = evidence.v4();
        if (v4 != null && v4.error() != null && v4.error().code() == error.code()) {
            findings.notCompared(error.message());
        } else {
            findings.httpOverIpv6Failed(error.message());
        }
        return false;
    }

    private static void evaluateCertificate(@Nullable SitePage v4, SitePage v6, Findings findings) {
        CheckError error = v6.certificateError();
        if (error == null) {
            return;
        }
        if (v4 != null && v4.error() == null && v4.certificateError() == null) {
            findings.ipv6CertificateInvalid(error.message());
        } else {
            findings.certificateInvalid(error.message());
        }
    }

    private static @Nullable Boolean evaluateContent(Evidence evidence, Findings findings) {
        SitePage v4 = evidence.v4();
        SitePage v6 = evidence.v6();
        if (v4 == null || v6 == null || v4.error() != null || v6.error() != null) {
            return null;
        }
        String difference = v4.difference(v6);
        if (difference != null) {
            findings.ipv6ContentDiffers(difference);
        }
        return difference == null;
    }
}
