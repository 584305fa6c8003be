package dev.plumbline.check;

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

    private static final int SMTP_PORT = 25;

    /** The name of the CSV column with the verdict of this part. */
    public String column() {
        return module.module().replace('-', '_') + "_verdict";
    }

    /** Whether the target is the host of an MX record. */
    public boolean needsMailHost() {
        return area.equals(MAIL_AREA) && (module.input() == InputType.HOST_PORT || module.input() == InputType.HOST);
    }

    /**
     * The target of this part in a check of a domain.
     *
     * @param mailHost see {@link #mailHost}
     * @return null if the part has no target
     */
    public @Nullable String target(String domain, @Nullable String mailHost) {
        if (needsMailHost()) {
            boolean port = module.input() == InputType.HOST_PORT;
            return mailHost == null || !port ? mailHost : mailHost + ":" + SMTP_PORT;
        }
        return switch (module.input()) {
            case DOMAIN, HOST, HOST_PORT -> domain;
            case URL -> module.schemes().get(0) + "://" + domain + "/";
            case IP, EMAIL -> null;
        };
    }

    /**
     * The verdict of a result of this part in a composite. Not determined are the parts of a host without addresses,
     * because a domain can be used for mail only, and mail servers that do not respond, because many networks block
     * outgoing connections to port 25.
     */
    public Verdict verdict(CheckResult result) {
        CheckError error = result.error();
        if (error == null) {
            return result.verdict();
        }
        return switch (error.code()) {
            case DNS_NXDOMAIN, DNS_NO_DATA -> Verdict.ERROR;
            case CONNECT_TIMEOUT, CONNECT_UNREACHABLE -> needsMailHost() ? Verdict.ERROR : result.verdict();
            default -> result.verdict();
        };
    }

    /**
     * The most preferred host in a result of the module {@value #MX_MODULE}; null if there is none. The host of an
     * implicit MX is not used, because it often is a web server.
     */
    public static @Nullable String mailHost(CheckResult mx) {
        return Boolean.TRUE.equals(mx.fields().get("implicit"))
                        || !(mx.fields().get("records") instanceof List<?> records)
                ? null
                : records.stream()
                        .flatMap(row -> row instanceof Map<?, ?> record ? Stream.of(record) : Stream.empty())
                        .filter(record -> record.get("preference") instanceof Number
                                && record.get("host") instanceof String host
                                && host.indexOf('.') > 0)
                        .min(Comparator.comparing(record -> ((Number) record.get("preference")).intValue()))
                        .map(record -> (String) record.get("host"))
                        .orElse(null);
    }
}
