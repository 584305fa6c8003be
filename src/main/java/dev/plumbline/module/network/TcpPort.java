package dev.plumbline.module.network;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.FindingCollector;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.check.Options;
import dev.plumbline.check.PrintableText;
import dev.plumbline.check.Target;
import dev.plumbline.probe.tcp.TcpProbe;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a TCP port is open, and what the server behind it says first. */
@AutoService(CheckModule.class)
public final class TcpPort implements CheckModule<TcpPort.Evidence, TcpPort.Report, TcpPort.Findings> {
    private static final String READ_BANNER = "read_banner";
    private static final long BANNER_MS = 3_000;
    private static final int MOST_BANNER = 1_024;
    private static final int MOST_TRIED = 6;
    private static final long LEAST_CONNECT_MS = 1_000;
    private static final double SLOW_MS = 1_000;

    /** The fields of the report. */
    public record Report(
            boolean open,
            @Nullable Double connectMs,
            @Nullable String banner,
            @Nullable String ip,
            List<String> allIps) {}

    /** The findings. */
    public interface Findings extends FindingCollector {
        void portRefused(InetAddress ip);

        void portFiltered(InetAddress ip);

        void hostUnreachable(InetAddress ip);

        void otherAddressClosed(InetAddress open, List<InetAddress> closed);

        void noBanner();

        void slowConnect(double ms);
    }

    /**
     * What was seen.
     *
     * @param addresses all of the host
     * @param failures why those that were tried before did not open, in order
     * @param open the address that did, null when none did
     * @param talk what was said there
     */
    public record Evidence(
            List<InetAddress> addresses,
            List<CheckError> failures,
            @Nullable InetAddress open,
            TcpProbe.@Nullable Exchange talk) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        return context.probe(TcpProbe.class)
                .addresses(context, to.host(), to.port())
                .compose(addresses -> next(context, to, addresses, List.of()));
    }

    private static Future<Evidence> next(
            CheckContext context, Target.HostPort to, List<InetAddress> addresses, List<CheckError> failures) {
        int tried = failures.size();
        int most = Math.min(addresses.size(), MOST_TRIED);
        InetAddress address = addresses.get(tried);
        long share = context.deadline().remainingMillis() / (most - tried);
        return context.probe(TcpProbe.class)
                .talk(
                        context,
                        to.host(),
                        address,
                        to.port(),
                        Math.max(share, LEAST_CONNECT_MS),
                        BANNER_MS,
                        context.options().flag(READ_BANNER) ? TcpPort::listen : TcpProbe.Script.SILENCE)
                .map(talk -> new Evidence(addresses, failures, address, talk))
                .recover(cause -> {
                    if (!(cause instanceof CheckFailure failure)) {
                        return Future.failedFuture(cause);
                    }
                    List<CheckError> more = new ArrayList<>(failures);
                    more.add(failure.error());
                    boolean on = tried + 1 < most && !context.deadline().passed() && isAbsence(failure.error());
                    return on
                            ? next(context, to, addresses, more)
                            : Future.succeededFuture(new Evidence(addresses, more, null, null));
                });
    }

    /** Whether another address may do better. */
    private static boolean isAbsence(CheckError error) {
        return switch (error.code()) {
            case CONNECT_REFUSED, CONNECT_TIMEOUT, CONNECT_UNREACHABLE, CONNECTION_RESET -> true;
            default -> false;
        };
    }

    /** Waits for whole lines, the last of which does not announce another (RFC 959 section 4.2). */
    static @Nullable Buffer listen(Buffer heard) {
        int length = heard.length();
        if (length >= MOST_BANNER) {
            return null;
        }
        if (length == 0 || heard.getByte(length - 1) != '\n') {
            return Buffer.buffer();
        }
        String text = heard.toString(StandardCharsets.ISO_8859_1);
        String last = text.substring(text.lastIndexOf('\n', length - 2) + 1);
        boolean announces = last.length() > 3
                && last.charAt(3) == '-'
                && last.chars().limit(3).allMatch(c -> c >= '0' && c <= '9');
        return announces ? Buffer.buffer() : null;
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        TcpProbe.Exchange talk = evidence.talk();
        InetAddress open = evidence.open();
        boolean readBanner = options.flag(READ_BANNER);
        String banner =
                talk == null || !readBanner ? null : printable(talk.heard().getBytes());
        if (talk == null || open == null) {
            CheckError error = mostSpecific(evidence.failures());
            InetAddress ip = evidence.addresses().get(evidence.failures().indexOf(error));
            switch (error.code()) {
                case CONNECT_REFUSED, CONNECTION_RESET -> findings.portRefused(ip);
                case CONNECT_TIMEOUT -> findings.portFiltered(ip);
                case CONNECT_UNREACHABLE -> findings.hostUnreachable(ip);
                default -> {}
            }
            findings.error(error);
        } else {
            if (!evidence.failures().isEmpty()) {
                findings.otherAddressClosed(
                        open,
                        evidence.addresses().subList(0, evidence.failures().size()));
            }
            if (readBanner && banner == null) {
                findings.noBanner();
            }
            if (talk.connectMs() > SLOW_MS) {
                findings.slowConnect(talk.connectMs());
            }
        }
        return new Report(
                talk != null,
                talk == null ? null : Math.round(talk.connectMs() * 10) / 10.0,
                banner,
                open == null ? null : IpAddressText.format(open),
                evidence.addresses().stream().map(IpAddressText::format).toList());
    }

    /** A response (refused, reset) is more specific than a timeout. */
    private static CheckError mostSpecific(List<CheckError> failures) {
        for (ErrorCode code :
                List.of(ErrorCode.CONNECT_REFUSED, ErrorCode.CONNECTION_RESET, ErrorCode.CONNECT_TIMEOUT)) {
            for (CheckError failure : failures) {
                if (failure.code() == code) {
                    return failure;
                }
            }
        }
        return failures.get(0);
    }

    /** The banner with dots for characters that are not printable, null if there is none. */
    static @Nullable String printable(byte[] bytes) {
        String text = new String(bytes, 0, Math.min(bytes.length, MOST_BANNER), StandardCharsets.UTF_8);
        return bytes.length == 0
                ? null
                : PrintableText.lines(text.replace("\r\n", "\n").stripTrailing());
    }
}
