package dev.plumbline.check;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A module that is a part of a composite module.
 *
 * @param module the module that checks the part; not a composite
 * @param area the area of the composite to which the part belongs
 */
public record CompositePart(ModuleDescription module, String area) {
    /** The area whose hosts are those of the MX records. */
    public static final String MAIL_AREA = "mail";

    /** The module whose result contains the hosts of the MX records. */
    public static final String MX_MODULE = "mx";

    /** The module whose result shows whether the mail server supports STARTTLS. */
    static final String SMTP_MODULE = "smtp";

    /** The module that opens more connections to the mail server than all others together. */
    static final String MAIL_SCAN_MODULE = "smtp-tls";

    private static final int SMTP_PORT = 25;

    /** The name of the CSV column with the verdict of this part. */
    public String column() {
        return module.module().replace('-', '_') + "_verdict";
    }

    /**
     * The mail server of a domain.
     *
     * @param ip its first address; null if it does not have one
     */
    public record MailServer(String host, @Nullable String ip) {}

    /** Whether the target is the host of an MX record, or its address. */
    public boolean needsMailServer() {
        return area.equals(MAIL_AREA)
                && switch (module.input()) {
                    case HOST_PORT, HOST, IP -> true;
                    case DOMAIN, URL, EMAIL -> false;
                };
    }

    /**
     * The target of this part in a check of a domain.
     *
     * @param mailServer see {@link #mailServer}
     * @return null if the part has no target
     */
    public @Nullable String target(String domain, @Nullable MailServer mailServer) {
        if (needsMailServer()) {
            return mailServer == null
                    ? null
                    : switch (module.input()) {
                        case HOST_PORT -> mailServer.host() + ":" + SMTP_PORT;
                        case IP -> mailServer.ip();
                        default -> mailServer.host();
                    };
        }
        return switch (module.input()) {
            case DOMAIN, HOST, HOST_PORT -> domain;
            case URL -> module.schemes().get(0) + "://" + domain + "/";
            case IP, EMAIL -> null;
        };
    }

    /**
     * The verdict of a result of this part in a composite. Mail servers that do not respond are not determined, because
     * many networks block outgoing connections to port 25.
     */
    public Verdict verdict(CheckResult result) {
        return isSilentMailServer(result.error()) ? Verdict.ERROR : result.verdict();
    }

    /** Whether this error can have the cause that the network of this service blocks connections to mail servers. */
    boolean isSilentMailServer(@Nullable CheckError error) {
        return error != null
                && needsMailServer()
                && (error.code() == ErrorCode.CONNECT_TIMEOUT || error.code() == ErrorCode.CONNECT_UNREACHABLE);
    }

    /**
     * The most preferred mail server in a result of the module {@value #MX_MODULE}; null if there is none. The host of
     * an implicit MX is not used, because it often is a web server.
     */
    public static @Nullable MailServer mailServer(CheckResult mx) {
        return Boolean.TRUE.equals(mx.fields().get("implicit"))
                        || !(mx.fields().get("records") instanceof List<?> records)
                ? null
                : records.stream()
                        .flatMap(row -> Stream.ofNullable(MxRow.of(row)))
                        .min(Comparator.comparingInt(MxRow::preference))
                        .map(MxRow::server)
                        .orElse(null);
    }

    /**
     * Whether another mail server in a result of the module {@value #MX_MODULE} responded, so that mail is delivered.
     */
    static boolean otherMailServerResponds(CheckResult mx, String host) {
        return mx.fields().get("records") instanceof List<?> records
                && records.stream()
                        .anyMatch(row -> row instanceof Map<?, ?> record
                                && record.get("tls") != null
                                && !host.equals(record.get("host")));
    }

    private record MxRow(int preference, MailServer server) {
        /** Null if the value is not the row of a mail server. */
        static @Nullable MxRow of(@Nullable Object row) {
            if (row instanceof Map<?, ?> record
                    && record.get("preference") instanceof Number preference
                    && record.get("host") instanceof String host
                    && host.indexOf('.') > 0) {
                String ip = record.get("ips") instanceof List<?> ips && !ips.isEmpty() ? (String) ips.get(0) : null;
                return new MxRow(preference.intValue(), new MailServer(host, ip));
            }
            return null;
        }
    }
}
