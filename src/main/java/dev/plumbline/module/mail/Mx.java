package dev.plumbline.module.mail;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.module.reference.DanglingReferences.Reference;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.probe.smtp.SmtpGreetingScript;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/** Looks up the mail servers of a domain and tests whether they support STARTTLS. */
@AutoService(RegisteredModule.class)
public final class Mx implements CheckModule<Mx.Evidence, Mx.Report, Mx.Findings> {
    static final int MAX_LOOKUPS = 20;
    private static final int MAX_CONNECTIONS = 4;
    private static final long SMTP_TIMEOUT_MS = 3_000;
    private static final int SMTP_PORT = 25;
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    public record Report(
            List<Row> records,
            boolean nullMx,
            boolean implicit,
            List<String> unresolvable,
            List<String> pointsToCname,
            List<DanglingReferences.Row> danglingReferences) {}

    /** An MX record. */
    public record Row(int preference, String host, List<String> ips, @Nullable Boolean tls) {}

    public interface Findings extends DanglingReferences.Findings {
        void noMailServer();

        void implicitMx();

        void nullMx();

        void nullMxPreference(int preference);

        void nullMxWithOthers();

        void noUsableMx();

        void mxIsAddress(List<String> hosts);

        void mxUnresolvable(List<String> hosts);

        void mxPrivateAddress(List<String> hosts);

        void mxPointsToAlias(List<String> hosts);

        void mxLookupFailed(List<String> hosts);

        void noStarttls(List<String> hosts);

        void tlsRequiredByDane(List<String> hosts);

        void tlsRequiredByMtaSts(List<String> hosts);

        void tlsRequirementUnknown(String reason);

        void duplicateMx(List<String> hosts);

        void singleMx();

        void manyMx(int count);

        void noIpv6();

        void starttlsUnknown(List<String> hosts);
    }

    /**
     * A mail server.
     *
     * @param host without the final dot; a dot for the null MX
     * @param tls whether the server supports STARTTLS, null if unknown
     * @param tlsError why the STARTTLS test failed, null if it succeeded or was not performed
     */
    public record Server(
            int preference, String host, HostAddresses addresses, @Nullable Boolean tls, @Nullable String tlsError) {
        Server with(@Nullable Boolean supported, @Nullable String error) {
            return new Server(preference, host, addresses, supported, error);
        }

        private boolean is(State state) {
            return addresses.state() == state;
        }

        private boolean isNullMx() {
            return host.equals(".");
        }

        private boolean isAddress() {
            return ADDRESS.matcher(host).matches();
        }

        private boolean isOmitted() {
            return is(State.NOT_CHECKED) && !isNullMx();
        }
    }

    /**
     * @param servers by preference
     * @param implicit whether the only server is the domain itself, because it has no MX records
     * @param required of servers that do not support STARTTLS
     * @param dangling the hosts that do not exist
     */
    record Evidence(List<Server> servers, boolean implicit, TlsRequirement required, DanglingReferences dangling) {
        Evidence(List<Server> servers, boolean implicit) {
            this(servers, implicit, TlsRequirement.NONE, DanglingReferences.NONE);
        }

        Evidence withRequired(TlsRequirement requirement) {
            return new Evidence(servers, implicit, requirement, dangling);
        }

        Evidence withDangling(DanglingReferences references) {
            return new Evidence(servers, implicit, required, references);
        }

        private List<String> hosts(Predicate<Server> condition) {
            return servers.stream()
                    .filter(condition)
                    .map(Server::host)
                    .distinct()
                    .toList();
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admission = dns.admit(context, domain);
        Future<DnsResponse> response = dns.query(context, domain, Type.MX);
        return admission
                .compose(admitted -> response)
                .compose(DnsProbe::requireName)
                .compose(mx -> mx.records().isEmpty() ? implicit(context, domain) : servers(context, mx))
                .compose(evidence -> testStarttls(context, evidence))
                .compose(evidence -> addRequirement(context, domain, evidence))
                .compose(evidence -> DanglingReferences.find(context, danglingHosts(evidence.servers()))
                        .map(evidence::withDangling));
    }

    private static Stream<Reference> danglingHosts(List<Server> servers) {
        return servers.stream()
                .filter(server -> !server.isAddress())
                .flatMap(
                        server -> Reference.of(server.host(), server.addresses().missing()));
    }

    private static Future<Evidence> addRequirement(CheckContext context, String domain, Evidence evidence) {
        List<String> withoutTls = evidence.hosts(each -> Boolean.FALSE.equals(each.tls()));
        return withoutTls.isEmpty()
                ? Future.succeededFuture(evidence)
                : TlsRequirement.lookup(context, domain, withoutTls, SMTP_PORT).map(evidence::withRequired);
    }

    private static Future<Evidence> implicit(CheckContext context, String domain) {
        return context.probe(DnsProbe.class)
                .addresses(context, domain)
                .compose(HostAddresses::requireKnown)
                .map(addresses -> addresses.ips().isEmpty()
                        ? List.<Server>of()
                        : List.of(new Server(0, domain, addresses, null, null)))
                .map(servers -> new Evidence(servers, true));
    }

    private static Future<Evidence> servers(CheckContext context, DnsResponse response) {
        List<MXRecord> records = response.records().stream()
                .map(MXRecord.class::cast)
                .sorted(Comparator.comparingInt(MXRecord::getPriority)
                        .thenComparing(mx -> mx.getTarget().toString()))
                .toList();
        List<Future<Server>> servers = new ArrayList<>();
        for (MXRecord mx : records) {
            boolean isNull = mx.getTarget().equals(Name.root);
            String host = mx.getTarget().toString(!isNull);
            Future<HostAddresses> addresses = isNull || servers.size() >= MAX_LOOKUPS
                    ? Future.succeededFuture(HostAddresses.NOT_CHECKED)
                    : context.probe(DnsProbe.class).addresses(context, host);
            servers.add(addresses.map(result -> new Server(mx.getPriority(), host, result, null, null)));
        }
        return Future.all(servers).map(all -> new Evidence(all.list(), false));
    }

    /** Connects to the first servers that have an address. */
    private static Future<Evidence> testStarttls(CheckContext context, Evidence evidence) {
        long timeout = Math.min(SMTP_TIMEOUT_MS, context.deadline().remainingMillis() / 2);
        List<Future<Server>> servers = new ArrayList<>();
        int connections = 0;
        for (Server server : evidence.servers()) {
            servers.add(
                    server.addresses().ips().isEmpty() || connections++ >= MAX_CONNECTIONS
                            ? Future.succeededFuture(server)
                            : testStarttls(context, server, timeout));
        }
        return Future.all(servers).map(all -> new Evidence(all.list(), evidence.implicit()));
    }

    /** Fails if the limits of this service did not allow the connection before the deadline. */
    private static Future<Server> testStarttls(CheckContext context, Server server, long timeout) {
        Host host = new Host(server.host().toLowerCase(Locale.ROOT), null);
        SmtpGreetingScript script = new SmtpGreetingScript();
        return context.probe(TcpProbe.class)
                .exchange(context, host, server.addresses().ips().get(0), SMTP_PORT, timeout, timeout, script)
                .map(exchange -> script.session().offersTls())
                .map(tls -> server.with(tls, tls == null ? "no valid SMTP response" : null))
                .recover(CheckFailure.otherwise(
                        ErrorCode.DEADLINE_EXCEEDED, error -> server.with(null, reason(error.code()))));
    }

    static String reason(ErrorCode code) {
        return switch (code) {
            case CONNECT_REFUSED -> "connection refused";
            case CONNECT_UNREACHABLE -> "no route to host";
            case CONNECTION_RESET -> "connection reset";
            case CONNECT_TIMEOUT, READ_TIMEOUT -> "timeout";
            default -> "connection not allowed";
        };
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        List<Server> servers = evidence.servers();
        boolean hasNullMx = servers.stream().anyMatch(Server::isNullMx);
        Report report = new Report(
                servers.stream().filter(each -> !each.isOmitted()).map(Mx::row).toList(),
                hasNullMx && servers.size() == 1,
                evidence.implicit() && !servers.isEmpty(),
                evidence.hosts(each -> each.is(State.NONE)),
                evidence.hosts(each -> each.addresses().alias() && !evidence.implicit()),
                evidence.dangling().rows());
        if (servers.isEmpty()) {
            findings.noMailServer();
        } else if (evidence.implicit()) {
            findings.implicitMx();
        } else if (report.nullMx()) {
            findings.nullMx();
            int preference = servers.get(0).preference();
            if (preference != 0) {
                findings.nullMxPreference(preference);
            }
        } else if (hasNullMx) {
            findings.nullMxWithOthers();
        }
        List<Server> hosts = servers.stream().filter(each -> !each.isNullMx()).toList();
        if (!hosts.isEmpty()) {
            evaluateHosts(
                    new Evidence(hosts, evidence.implicit(), evidence.required(), evidence.dangling()),
                    report,
                    findings);
        }
        return report;
    }

    private static void evaluateHosts(Evidence evidence, Report report, Findings findings) {
        List<Server> servers = evidence.servers();
        List<Server> usable = servers.stream()
                .filter(each -> !each.is(State.NONE) && !each.is(State.PRIVATE))
                .toList();
        if (usable.isEmpty()) {
            findings.noUsableMx();
        }
        reportIfAny(evidence.hosts(Server::isAddress), findings::mxIsAddress);
        evidence.dangling().report(findings);
        reportIfAny(
                report.unresolvable().stream()
                        .filter(host -> !evidence.dangling().contains(host))
                        .toList(),
                findings::mxUnresolvable);
        reportIfAny(evidence.hosts(each -> each.is(State.PRIVATE) && !each.isAddress()), findings::mxPrivateAddress);
        reportIfAny(report.pointsToCname(), findings::mxPointsToAlias);
        reportIfAny(
                evidence.hosts(each -> (each.is(State.FAILED) || each.is(State.PARTIAL))
                        && !each.addresses().limited()),
                findings::mxLookupFailed);
        servers.stream()
                .map(Server::addresses)
                .filter(HostAddresses::limited)
                .findFirst()
                .ifPresent(limited -> findings.error(limited.error()));
        evaluateStarttls(evidence, findings);
        Set<String> unique = new HashSet<>();
        reportIfAny(evidence.hosts(each -> !unique.add(each.host())), findings::duplicateMx);
        if (servers.size() == 1) {
            findings.singleMx();
        }
        if (servers.stream().anyMatch(Server::isOmitted)) {
            findings.manyMx(servers.size());
        }
        if (!usable.isEmpty()
                && usable.stream().allMatch(each -> each.is(State.FOUND))
                && usable.stream()
                        .flatMap(each -> each.addresses().ips().stream())
                        .noneMatch(Inet6Address.class::isInstance)) {
            findings.noIpv6();
        }
        reportIfAny(
                servers.stream()
                        .filter(each -> each.tlsError() != null)
                        .map(each -> each.host() + " (" + each.tlsError() + ")")
                        .distinct()
                        .toList(),
                findings::starttlsUnknown);
    }

    private static void evaluateStarttls(Evidence evidence, Findings findings) {
        List<String> withoutTls = evidence.hosts(each -> Boolean.FALSE.equals(each.tls()));
        TlsRequirement required = evidence.required();
        if (required.mtaSts()) {
            reportIfAny(withoutTls, findings::tlsRequiredByMtaSts);
        }
        reportIfAny(withoutTls.stream().filter(required.daneHosts()::contains).toList(), findings::tlsRequiredByDane);
        if (!required.mtaSts()) {
            reportIfAny(
                    withoutTls.stream()
                            .filter(host -> !required.daneHosts().contains(host))
                            .toList(),
                    findings::noStarttls);
        }
        if (required.error() != null) {
            findings.tlsRequirementUnknown(required.error().message());
        }
    }

    private static Row row(Server server) {
        return new Row(
                server.preference(),
                server.host(),
                IpAddressText.format(server.addresses().ips()),
                server.tls());
    }
}
