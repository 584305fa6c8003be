package dev.plumbline.module.mail;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.smtp.SmtpGreetingScript;
import dev.plumbline.probe.smtp.SmtpReply;
import dev.plumbline.probe.smtp.SmtpSession;
import dev.plumbline.probe.tcp.ConnectAttempts;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The greeting and the extensions of an SMTP server. Never starts a mail transaction. A transaction looks like an
 * address scan, and its result depends on greylisting and reputation.
 */
@AutoService(RegisteredModule.class)
public final class Smtp implements CheckModule<Smtp.Evidence, Smtp.Report, Smtp.Findings> {
    static final int SLOW_GREETING_MS = 5_000;

    /** The size that each server must accept, in bytes (RFC 5321 section 4.5.3.1.7). */
    static final long MIN_SIZE = 65_536;

    private static final int MAX_BANNER_CHARACTERS = 1_024;
    private static final Set<Integer> IMPLICIT_TLS_PORTS = Set.of(465, 993, 995);

    /** A name with a dot, or an address literal. */
    private static final Pattern HOSTNAME = Pattern.compile(
            "[\\p{L}\\p{N}-]{1,63}+(?:\\.[\\p{L}\\p{N}-]{1,63}+)++|\\[[0-9A-Fa-f:.IPv]{2,50}+]",
            Pattern.UNICODE_CHARACTER_CLASS);

    private static final Pattern LOCAL_NAME = Pattern.compile(".*\\.(?:localhost|localdomain|local|internal|lan)");

    /** Words that ESMTP inspection replaces (Cisco ASA): the hostname by asterisks, unknown extensions by X. */
    private static final Pattern MASKED = Pattern.compile("(?=.*\\*{4})[*02 ]++|X{6,}[A-Z]?");

    /** Mechanisms that send the password itself (RFC 4616, draft-murchison-sasl-login). */
    private static final Set<String> PLAINTEXT_MECHANISMS = Set.of("PLAIN", "LOGIN");

    /** The fields of the report. Boxed values are null only in a result with an error. */
    public record Report(
            boolean connected,
            @Nullable String banner,
            @NullOnError Boolean greetingOk,
            @NullOnError Boolean starttls,
            @NullOnError List<String> extensions,
            @Nullable Long sizeLimit,
            @NullOnError Boolean authBeforeTls,
            @NullOnError Double connectMs,
            @NullOnError Double bannerMs) {}

    public interface Findings extends FindingCollector {
        void portRefused(InetAddress ip, int port);

        void portFiltered(InetAddress ip, int port);

        void hostUnreachable(InetAddress ip);

        void otherAddressClosed(InetAddress open, List<InetAddress> closed);

        void noGreeting();

        void implicitTlsPort(int port);

        void otherProtocol(String response);

        void connectionRejected(String reply);

        void temporarilyUnavailable(String reply);

        void helloRejected(String reply);

        void helloUnanswered();

        void responseTooLarge(int bytes, String reply);

        void unsolicitedReply();

        void noEsmtp();

        void noStarttls();

        void tlsRequiredByDane(String host);

        void tlsRequirementUnknown(String reason);

        void modifiedByFirewall(String text);

        void greetingWithoutHostname(String greeting);

        void plaintextAuthBeforeTls(List<String> mechanisms);

        void authBeforeTls(List<String> mechanisms);

        void sizeLimitTooSmall(long bytes);

        void sizeNotDeclared();

        void slowGreeting(double ms);
    }

    /**
     * @param port the port of the target
     * @param required of a server that does not support STARTTLS
     */
    record Evidence(int port, ConnectAttempts attempts, SmtpSession session, TlsRequirement required) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        SmtpGreetingScript script = new SmtpGreetingScript();
        return context.probe(TcpProbe.class)
                .connectAny(context, to, context.deadline().remainingMillis(), script)
                .compose(attempts -> requirement(context, to, script.session())
                        .map(required -> new Evidence(to.port(), attempts, script.session(), required)));
    }

    /** MTA-STS is not looked up, because the domains of the recipients are unknown. */
    private static Future<TlsRequirement> requirement(CheckContext context, Target.HostPort to, SmtpSession session) {
        return to.host().literal() == null && Boolean.FALSE.equals(session.offersTls())
                ? TlsRequirement.lookup(context, null, List.of(to.host().name()), to.port())
                : Future.succeededFuture(TlsRequirement.NONE);
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        ConnectAttempts attempts = evidence.attempts();
        InetAddress address = attempts.address();
        TcpProbe.Exchange exchange = attempts.exchange();
        if (address == null || exchange == null) {
            reportFailure(evidence.port(), attempts, findings);
            return new Report(false, null, null, null, null, null, null, null, null);
        }
        if (!attempts.failed().isEmpty()) {
            findings.otherAddressClosed(address, attempts.failed());
        }
        SmtpSession session = evidence.session();
        SmtpReply greeting = session.greeting();
        reportGreeting(session, findings);
        boolean established = session.established();
        if (established) {
            reportExtensions(session, evidence.required(), findings);
        } else {
            reportIncomplete(evidence.port(), session, exchange.end(), findings);
        }
        return new Report(
                true,
                greeting == null ? null : banner(greeting),
                greeting == null ? null : greeting.code() == 220,
                session.offersTls(),
                established ? session.extensions() : null,
                size(session),
                established ? session.parameters("AUTH") != null : null,
                round(exchange.connectMs()),
                session.greetingMs() == null ? null : round(session.greetingMs()));
    }

    private static void reportFailure(int port, ConnectAttempts attempts, Findings findings) {
        CheckError error = attempts.error();
        findings.error(error);
        InetAddress address = attempts.errorAddress();
        switch (error.code()) {
            case CONNECT_REFUSED, CONNECTION_RESET -> findings.portRefused(address, port);
            case CONNECT_TIMEOUT -> findings.portFiltered(address, port);
            case CONNECT_UNREACHABLE -> findings.hostUnreachable(address);
            default -> {}
        }
    }

    private static void reportIncomplete(int port, SmtpSession session, TcpProbe.End end, Findings findings) {
        SmtpReply greeting = session.greeting();
        SmtpReply hello = session.hello();
        if (session.unsolicited()) {
            error(findings, "The server sent a reply without a command.");
            findings.unsolicitedReply();
        } else if (greeting != null && greeting.code() == 0) {
            error(findings, "The server does not use SMTP on this port.");
            findings.otherProtocol(line(greeting));
        } else if (hello != null) {
            error(findings, "The server rejected EHLO: " + line(hello));
            findings.helloRejected(line(hello));
        } else if (greeting != null && greeting.code() != 220) {
            error(findings, "The server rejected the connection: " + line(greeting));
            if (greeting.code() >= 400 && greeting.code() < 500) {
                findings.temporarilyUnavailable(line(greeting));
            } else {
                findings.connectionRejected(line(greeting));
            }
        } else {
            reportEnd(port, greeting == null, end, findings);
        }
    }

    /** Reports why the greeting or the reply to EHLO is missing. */
    private static void reportEnd(int port, boolean greetingMissing, TcpProbe.End end, Findings findings) {
        String awaited = greetingMissing ? "a greeting" : "a reply to EHLO";
        findings.error(
                switch (end) {
                    case TIMEOUT, SCRIPT ->
                        new CheckError(
                                ErrorCode.READ_TIMEOUT,
                                "The server did not send " + awaited + " before the time limit of the check.");
                    case RESET ->
                        new CheckError(
                                ErrorCode.CONNECTION_RESET, "The server reset the connection before " + awaited + ".");
                    case TOO_LARGE ->
                        new CheckError(
                                ErrorCode.RESPONSE_TOO_LARGE,
                                "The server sent more than " + TcpProbe.MAX_BYTES + " bytes before the end of "
                                        + awaited + ".");
                    case CLOSED ->
                        new CheckError(
                                ErrorCode.SMTP_PROTOCOL_ERROR,
                                "The server closed the connection before " + awaited + ".");
                });
        if (end == TcpProbe.End.TOO_LARGE) {
            findings.responseTooLarge(TcpProbe.MAX_BYTES, awaited);
        } else if (!greetingMissing) {
            findings.helloUnanswered();
        } else if (IMPLICIT_TLS_PORTS.contains(port)) {
            findings.implicitTlsPort(port);
        } else {
            findings.noGreeting();
        }
    }

    private static void error(Findings findings, String message) {
        findings.error(new CheckError(ErrorCode.SMTP_PROTOCOL_ERROR, message));
    }

    private static void reportGreeting(SmtpSession session, Findings findings) {
        SmtpReply greeting = session.greeting();
        if (greeting == null || greeting.code() != 220) {
            return;
        }
        String text = greeting.texts().get(0);
        String name = text.split(" ", 2)[0];
        if (MASKED.matcher(text).matches()) {
            findings.modifiedByFirewall(text);
        } else if (!HOSTNAME.matcher(name).matches()
                || LOCAL_NAME.matcher(name.toLowerCase(Locale.ROOT)).matches()) {
            findings.greetingWithoutHostname(line(greeting));
        }
        if (session.greetingMs() != null && session.greetingMs() > SLOW_GREETING_MS) {
            findings.slowGreeting(session.greetingMs());
        }
    }

    private static void reportExtensions(SmtpSession session, TlsRequirement required, Findings findings) {
        if (!session.extended()) {
            findings.noEsmtp();
        } else {
            session.extensions().stream()
                    .filter(extension -> MASKED.matcher(extension).matches())
                    .findFirst()
                    .ifPresent(findings::modifiedByFirewall);
        }
        if (!required.daneHosts().isEmpty()) {
            required.daneHosts().forEach(findings::tlsRequiredByDane);
        } else if (!Boolean.TRUE.equals(session.offersTls())) {
            findings.noStarttls();
        }
        if (required.error() != null) {
            findings.tlsRequirementUnknown(required.error().message());
        }
        String mechanisms = session.parameters("AUTH");
        if (mechanisms != null) {
            List<String> names = mechanisms.isEmpty() ? List.of() : List.of(mechanisms.split(" +"));
            List<String> plaintext =
                    names.stream().filter(PLAINTEXT_MECHANISMS::contains).toList();
            if (plaintext.isEmpty()) {
                findings.authBeforeTls(names);
            } else {
                findings.plaintextAuthBeforeTls(plaintext);
            }
        }
        Long size = size(session);
        if (size != null && size < MIN_SIZE) {
            findings.sizeLimitTooSmall(size);
        }
        if (session.extended() && session.parameters("SIZE") == null) {
            findings.sizeNotDeclared();
        }
    }

    /** The fixed maximum message size; null if there is none (RFC 1870 section 3) or it is not a number of 64 bits. */
    private static @Nullable Long size(SmtpSession session) {
        String size = session.parameters("SIZE");
        long bytes = size != null && size.matches("[0-9]{1,18}") ? Long.parseLong(size) : 0;
        return bytes == 0 ? null : bytes;
    }

    private static String banner(SmtpReply greeting) {
        String text = greeting.text();
        return text.substring(0, Math.min(text.length(), MAX_BANNER_CHARACTERS));
    }

    private static String line(SmtpReply reply) {
        return reply.text().replace('\n', ' ');
    }

    private static double round(double ms) {
        return Math.round(ms * 10) / 10.0;
    }
}
