package dev.plumbline.module.tls;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import dev.plumbline.tls.CertificateEvaluation;
import dev.plumbline.tls.CertificateEvidence;
import dev.plumbline.tls.CertificateFindings;
import dev.plumbline.tls.CertificateReport;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether clients accept the certificate of a server, when it expires and which problems it has. */
@AutoService(RegisteredModule.class)
public final class SslCertificate
        implements CheckModule<SslCertificate.Evidence, CertificateReport, SslCertificate.Findings> {
    private static final int MAX_ADDRESSES = 16;

    /** The findings about other addresses of the host, beside those about the certificate. */
    public interface Findings extends CertificateFindings {
        void addressProblem(String ip, String problem);

        void addressFailed(String ip, String error);

        void addressDiffers(String ip, String firstIp, String serial);

        void addressNotChecked(String ip, String error);

        void addressesSkipped(int checked, int skipped);
    }

    /**
     * The certificates of the host's addresses.
     *
     * @param addresses those that were checked, in order; not empty
     * @param skipped the number of addresses that were not checked
     */
    public record Evidence(List<Address> addresses, int skipped) {}

    /** The certificate of one address, or the error. */
    public record Address(String ip, @Nullable CertificateEvidence certificate, @Nullable CheckError error) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        TlsProbe probe = context.probe(TlsProbe.class);
        if (context.options().flag("all_ips")) {
            return probe.addresses(context, to.host(), to.port()).compose(addresses -> all(context, to, addresses));
        }
        return probe.handshake(context, to.host(), to.port(), CertificateOptions.serverName(context))
                .compose(peer -> CertificateOptions.examine(context, to.host(), peer))
                .map(certificate -> new Evidence(List.of(new Address(certificate.ip(), certificate, null)), 0));
    }

    private static Future<Evidence> all(CheckContext context, Target.HostPort to, List<InetAddress> addresses) {
        List<Future<Address>> checks = addresses.stream()
                .limit(MAX_ADDRESSES)
                .map(address -> context.probe(TlsProbe.class)
                        .handshakeWith(context, to.host(), address, to.port(), CertificateOptions.serverName(context))
                        .compose(peer -> CertificateOptions.examine(context, to.host(), peer))
                        .map(certificate -> new Address(certificate.ip(), certificate, null))
                        .recover(CheckFailure.otherwise(
                                error -> new Address(IpAddressText.format(address), null, error))))
                .toList();
        return Future.join(checks)
                .map(done ->
                        new Evidence(checks.stream().map(Future::result).toList(), addresses.size() - checks.size()));
    }

    @Override
    public @Nullable CertificateReport evaluate(Evidence evidence, Options options, Findings findings) {
        List<Address> addresses = evidence.addresses();
        Address first = addresses.stream()
                .filter(address -> address.certificate() != null)
                .findFirst()
                .orElse(addresses.get(0));
        CertificateEvidence certificate = first.certificate();
        if (certificate == null) {
            findings.error(first.error());
            return null;
        }
        CertificateReport report =
                CertificateEvaluation.evaluate(certificate, options.optionalInteger("warn_days"), findings);
        for (Address other : addresses) {
            if (!other.equals(first)) {
                compare(certificate, other, findings);
            }
        }
        if (evidence.skipped() > 0) {
            findings.addressesSkipped(addresses.size(), evidence.skipped());
        }
        return report;
    }

    private static void compare(CertificateEvidence first, Address other, Findings findings) {
        CheckError error = other.error();
        CertificateEvidence certificate = other.certificate();
        if (error != null && error.code().targetFault()) {
            findings.addressFailed(other.ip(), error.message());
        } else if (error != null) {
            findings.addressNotChecked(other.ip(), error.message());
        } else if (certificate != null) {
            CertificateEvaluation.problems(certificate).stream()
                    .findFirst()
                    .ifPresent(problem -> findings.addressProblem(
                            other.ip(), problem.sentence(certificate.path(), certificate.host(), certificate.at())));
            if (!certificate.leaf().equals(first.leaf())) {
                findings.addressDiffers(
                        other.ip(),
                        first.ip(),
                        CertificateReport.serial(certificate.leaf().getSerialNumber()));
            }
        }
    }
}
