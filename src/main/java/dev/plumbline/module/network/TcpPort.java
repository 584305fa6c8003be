package dev.plumbline.module.network;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.tcp.BannerScript;
import dev.plumbline.probe.tcp.ConnectAttempts;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a TCP port accepts connections, and the banner that the server sends. */
@AutoService(RegisteredModule.class)
public final class TcpPort implements CheckModule<ConnectAttempts, TcpPort.Report, TcpPort.Findings> {

    public record Report(
            boolean open,
            @Nullable Double connectMs,
            @Nullable String banner,
            @Nullable String ip,
            List<String> allIps) {}

    public interface Findings extends FindingCollector {
        void portRefused(InetAddress ip);

        void portFiltered(InetAddress ip);

        void hostUnreachable(InetAddress ip);

        void otherAddressClosed(InetAddress open, List<InetAddress> closed);

        void noBanner();

        void slowConnect(double ms);
    }

    @Override
    public Future<ConnectAttempts> collect(Target target, CheckContext context) {
        TcpProbe.Script script = context.options().flag("read_banner") ? new BannerScript() : TcpProbe.Script.NONE;
        return context.probe(TcpProbe.class).connectAny(context, (Target.HostPort) target, 3_000, script);
    }

    @Override
    public Report evaluate(ConnectAttempts attempts, Options options, Findings findings) {
        List<String> allIps = IpAddressText.format(attempts.addresses());
        InetAddress address = attempts.address();
        TcpProbe.Exchange exchange = attempts.exchange();
        if (address == null || exchange == null) {
            findings.error(attempts.error());
            switch (attempts.error().code()) {
                case CONNECT_REFUSED, CONNECTION_RESET -> findings.portRefused(attempts.errorAddress());
                case CONNECT_TIMEOUT -> findings.portFiltered(attempts.errorAddress());
                case CONNECT_UNREACHABLE -> findings.hostUnreachable(attempts.errorAddress());
                default -> {}
            }
            return new Report(false, null, null, null, allIps);
        }
        String banner = BannerScript.text(exchange.received());
        if (!attempts.failed().isEmpty()) {
            findings.otherAddressClosed(address, attempts.failed());
        }
        if (banner == null && options.flag("read_banner")) {
            findings.noBanner();
        }
        if (exchange.connectMs() > 1_000) {
            findings.slowConnect(exchange.connectMs());
        }
        return new Report(
                true, Math.round(exchange.connectMs() * 10) / 10.0, banner, IpAddressText.format(address), allIps);
    }
}
