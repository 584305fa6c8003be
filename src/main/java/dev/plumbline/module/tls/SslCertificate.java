package dev.plumbline.module.tls;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Host;
import dev.plumbline.check.InputType;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.certificate.CertificateProbe;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.tls.CertificateEvidence;
import dev.plumbline.tls.CertificateFindings;
import dev.plumbline.tls.CertificateProblem;
import dev.plumbline.tls.CertificateReport;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whether a server's certificate would be accepted, until when, and what is wrong with it. */
@AutoService(ModuleDefinition.class)
public final class SslCertificate implements ModuleDefinition<SslCertificate.Evidence> {
    private static final String SNI = "sni";
    private static final String CHECK_REVOCATION = "check_revocation";
    private static final String ALL_IPS = "all_ips";
    private static final String WARN_DAYS = "warn_days";
    private static final int MOST_ADDRESSES = 16;

    private static final Pattern HOST_NAME = Pattern.compile(
            "(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*" + "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

    private static final FindingCode ADDRESS_DIFFERS = new FindingCode(
            "address_differs",
            Level.WARN,
            "ip",
            "Another address of the host shows another certificate.",
            "Install the same certificate on every server of the host.",
            null);
    private static final FindingCode ADDRESS_PROBLEM = new FindingCode(
            "address_problem",
            Level.FAIL,
            "ip",
            "Another address of the host shows a certificate with a problem.",
            "Install a good certificate on every server of the host.",
            null);
    private static final FindingCode ADDRESS_FAILED = new FindingCode(
            "address_failed",
            Level.FAIL,
            "ip",
            "Another address of the host shows no certificate at all.",
            "Repair the server there, or take its address out of the DNS.",
            null);
    private static final FindingCode ADDRESS_NOT_CHECKED = new FindingCode(
            "address_not_checked",
            Level.INFO,
            "ip",
            "Another address of the host could not be looked at, for a reason on our side.",
            "Check that address by itself.",
            null);
    private static final FindingCode ADDRESSES_SKIPPED = new FindingCode(
            "addresses_skipped",
            Level.INFO,
            "ip",
            "The host has more addresses than are looked at.",
            "Check the others one by one.",
            null);

    private static final ModuleDescription DESCRIPTION = ModuleDescription.of(
                    "ssl-certificate", "SSL certificate", InputType.HOST_PORT)
            .summary("Shows the certificate of a server, whether browsers accept it, when it expires, and"
                    + " what is wrong with it.")
            .category("tls")
            .defaultPort(443)
            .example("example.com", "example.com or example.com:8443")
            .connects()
            .reachability()
            .options(
                    OptionDescription.text(
                            SNI,
                            "Server name",
                            "Ask for the certificate of this name instead of the target's, and judge it for"
                                    + " this name (SNI).",
                            HOST_NAME,
                            253),
                    OptionDescription.bool(
                            CHECK_REVOCATION,
                            "Check revocation",
                            "Ask the issuer whether it has revoked the certificate (OCSP, then its list).",
                            false),
                    OptionDescription.bool(
                            ALL_IPS,
                            "All addresses",
                            "Look at every address of the host, 16 at most, and report where they differ.",
                            false),
                    OptionDescription.integer(
                            WARN_DAYS,
                            "Warn before expiry",
                            "Warn when fewer than this many days are left; 0 for never.",
                            30,
                            0,
                            365))
            .fields(CertificateReport.fields())
            .findings(CertificateFindings.codes())
            .findings(ADDRESS_PROBLEM, ADDRESS_FAILED, ADDRESS_DIFFERS, ADDRESS_NOT_CHECKED, ADDRESSES_SKIPPED)
            .build();

    /**
     * What was seen.
     *
     * @param addresses one for each address that was looked at, in order; not empty
     * @param skipped how many more addresses the host has
     */
    public record Evidence(List<Address> addresses, int skipped) {
        public Evidence {
            addresses = List.copyOf(addresses);
        }
    }

    /**
     * What one address showed: a certificate or an error.
     *
     * @param ip null where any address of the host could have answered
     */
    public record Address(@Nullable String ip, @Nullable CertificateEvidence seen, @Nullable CheckError error) {}

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.HostPort hostPort = (Target.HostPort) target;
        Options options = context.options();
        TlsProbe probe = context.probe(TlsProbe.class);
        if (options.flag(ALL_IPS)) {
            return probe.addresses(context, hostPort.host(), hostPort.port())
                    .compose(addresses -> each(probe, context, hostPort, addresses));
        }
        return probe.handshake(context, hostPort.host(), hostPort.port(), options.text(SNI))
                .compose(peer -> examine(context, hostPort.host(), peer))
                .map(seen -> new Evidence(List.of(new Address(null, seen, null)), 0));
    }

    private static Future<Evidence> each(
            TlsProbe probe, CheckContext context, Target.HostPort target, List<InetAddress> addresses) {
        List<Future<Address>> looks = new ArrayList<>();
        for (InetAddress address : addresses.subList(0, Math.min(addresses.size(), MOST_ADDRESSES))) {
            looks.add(probe.handshakeWith(
                            context,
                            target.host(),
                            address,
                            target.port(),
                            context.options().text(SNI))
                    .compose(peer -> examine(context, target.host(), peer))
                    .map(seen -> new Address(seen.ip(), seen, null))
                    .recover(failure -> failure instanceof CheckFailure known
                            ? Future.succeededFuture(new Address(IpAddressText.format(address), null, known.error()))
                            : Future.failedFuture(failure)));
        }
        return Future.join(looks)
                .map(all -> new Evidence(looks.stream().map(Future::result).toList(), addresses.size() - looks.size()));
    }

    private static Future<CertificateEvidence> examine(CheckContext context, Host host, TlsPeer peer) {
        String sni = context.options().text(SNI);
        Host judged = sni == null ? host : new Host(sni.toLowerCase(Locale.ROOT), null);
        return context.probe(CertificateProbe.class)
                .examine(context, peer, judged, context.options().flag(CHECK_REVOCATION));
    }

    @Override
    public Evaluation evaluate(Evidence evidence, Options options) {
        Address main = main(evidence.addresses());
        CertificateEvidence seen = main.seen();
        if (seen == null) {
            return new Evaluation(Map.of(), List.of(), main.error());
        }
        Evaluation judgement = CertificateReport.evaluate(seen, options.integer(WARN_DAYS));
        List<Finding> findings = new ArrayList<>(judgement.findings());
        for (Address other : evidence.addresses()) {
            if (!other.equals(main)) {
                compare(seen, other, findings);
            }
        }
        if (evidence.skipped() > 0) {
            findings.add(ADDRESSES_SKIPPED.found(
                    "The host has " + evidence.skipped() + " more addresses, which were not looked at."));
        }
        return new Evaluation(judgement.fields(), findings, judgement.error());
    }

    /** The first address that shows a certificate, or the first of all. */
    private static Address main(List<Address> addresses) {
        for (Address address : addresses) {
            if (address.seen() != null) {
                return address;
            }
        }
        return addresses.get(0);
    }

    private static void compare(CertificateEvidence main, Address other, List<Finding> findings) {
        CertificateEvidence seen = other.seen();
        if (seen == null) {
            CheckError error = Objects.requireNonNull(other.error());
            FindingCode code = error.code().targetFault() ? ADDRESS_FAILED : ADDRESS_NOT_CHECKED;
            findings.add(code.found(other.ip() + ": " + error.message()));
            return;
        }
        Set<CertificateProblem> problems = CertificateReport.problems(seen);
        if (!problems.isEmpty()) {
            CertificateProblem first = problems.iterator().next();
            findings.add(
                    ADDRESS_PROBLEM.found(other.ip() + ": " + first.sentence(seen.path(), seen.host(), seen.at())));
        }
        if (!seen.leaf().equals(main.leaf())) {
            findings.add(ADDRESS_DIFFERS.found("The address "
                    + other.ip()
                    + " shows another certificate than "
                    + main.ip()
                    + ": its serial number is "
                    + seen.leaf().getSerialNumber().toString(16)
                    + "."));
        }
    }
}
