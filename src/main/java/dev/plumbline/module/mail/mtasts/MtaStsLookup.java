package dev.plumbline.module.mail.mtasts;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.mail.record.RecordVersion;
import dev.plumbline.module.mail.record.TagList;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * The MTA-STS records of a domain and the response of its policy host (RFC 8461 section 3).
 *
 * @param records the texts with the version of an MTA-STS record
 * @param lookalike a text that resembles an MTA-STS record but is not one, null if there is none
 * @param response null if there is an error
 * @param error why no response was received, or why it is incomplete
 */
public record MtaStsLookup(
        List<String> records,
        @Nullable String lookalike,
        @Nullable PolicyResponse response,
        @Nullable CheckError error) {
    /** The limit that RFC 8461 section 3.3 recommends to senders. */
    static final int MAX_BYTES = 64 * 1024;

    public static final int HTTPS_PORT = 443;
    static final String PREFIX = "_mta-sts.";
    private static final String PATH = "/.well-known/mta-sts.txt";
    public static final RecordVersion VERSION =
            RecordVersion.of("v=STSv1;.*", "\\W{0,8}v\\s{0,8}=\\s{0,8}(mta-?)?sts.*");
    private static final long OPTIONAL_MS = 2_000;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9]{1,32}");
    private static final Pattern PLAIN_TEXT = Pattern.compile("(?i)text/plain[ \\t]*+(;.*)?");

    /**
     * The response of the policy host.
     *
     * @param location the target of a redirect; null if there is none
     * @param text the body; null if it cannot be decoded
     * @param truncated whether the body exceeds {@link #MAX_BYTES}
     */
    record PolicyResponse(
            int status,
            @Nullable String location,
            @Nullable String contentType,
            @Nullable String text,
            boolean truncated) {

        private static PolicyResponse of(HttpExchange exchange) throws CheckFailure {
            HttpBody body = exchange.decoded(MAX_BYTES);
            return new PolicyResponse(
                    exchange.status(),
                    exchange.headers().firstText("location"),
                    exchange.headers().firstText("content-type"),
                    body.unreadable() ? null : new String(body.shared(), StandardCharsets.UTF_8),
                    body.truncated());
        }

        boolean plainText() {
            return contentType != null && PLAIN_TEXT.matcher(contentType).matches();
        }

        /** The policy, valid or not; null if the response does not contain one. */
        @Nullable
        MtaStsPolicy policy() {
            return status == 200 && !truncated && text != null && (plainText() || MtaStsPolicy.resembles(text))
                    ? MtaStsPolicy.parse(text)
                    : null;
        }
    }

    /** The TXT records of the name of MTA-STS records. */
    public static Future<List<String>> texts(CheckContext context, String domain) {
        return context.probe(DnsProbe.class)
                .query(context, PREFIX + domain, Type.TXT)
                .map(DnsResponse::texts);
    }

    /**
     * Requests the policy.
     *
     * @param port of the policy host
     * @param texts as {@link #texts} returns them
     */
    public static Future<MtaStsLookup> fetch(CheckContext context, String domain, int port, List<String> texts) {
        List<String> records = VERSION.records(texts);
        String lookalike = VERSION.lookalike(texts);
        Target.Url url = new Target.Url("https", new Host("mta-sts." + domain, null), port, PATH);
        HttpRequestSpec request = HttpRequestSpec.get(url, MAX_BYTES).with("accept", "text/plain");
        // Without a record, senders do not request the policy, so the result does not depend on it.
        boolean optional = records.isEmpty();
        CheckContext share = optional ? context.within(context.deadline().atMost(OPTIONAL_MS)) : context;
        return context.probe(HttpProbe.class)
                .exchange(share, request)
                .compose(exchange -> context.executeBlocking(
                        () -> new MtaStsLookup(records, lookalike, PolicyResponse.of(exchange), exchange.bodyError())))
                .recover(CheckFailure.otherwise(
                        ErrorCode.DEADLINE_EXCEEDED, error -> new MtaStsLookup(records, lookalike, null, error)));
    }

    static boolean isValidId(@Nullable String id) {
        return id != null && ID.matcher(id).matches();
    }

    /** The policy that senders apply; null if they do not apply one or it was not received. */
    @Nullable
    public MtaStsPolicy applied() {
        if (records.size() != 1 || error != null || response == null || !response.plainText()) {
            return null;
        }
        TagList tags = TagList.parse(records.get(0));
        MtaStsPolicy policy = response.policy();
        return tags.errors().isEmpty()
                        && isValidId(tags.get("id"))
                        && policy != null
                        && policy.errors().isEmpty()
                ? policy
                : null;
    }
}
