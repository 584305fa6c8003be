package dev.plumbline.module.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.probe.certificate.CertificateProbe;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.target.Host;
import dev.plumbline.tls.CertificateEvidence;
import io.vertx.core.Future;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The options of {@code certificate.yaml}, for every module that reports on a certificate. */
final class CertificateOptions {
    private CertificateOptions() {}

    /** The SNI; null for the hostname of the target. */
    static @Nullable String serverName(CheckContext context) {
        return context.options().optionalText("sni");
    }

    /** Validates the certificate of a peer for the server name. */
    static Future<CertificateEvidence> examine(CheckContext context, Host host, TlsPeer peer) {
        String name = serverName(context);
        Host expected = name == null ? host : new Host(name.toLowerCase(Locale.ROOT), null);
        return context.probe(CertificateProbe.class)
                .examine(context, peer, expected, context.options().flag("check_revocation"));
    }
}
