package dev.plumbline.module.web;

import com.google.common.base.Strings;
import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.ResponseHeaders;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A response without its content, for comparison with other responses.
 *
 * @param coding the content codings in lower case; empty if there is none
 * @param bytes the size as received
 * @param decodedBytes the size of the decoded content
 * @param hash the SHA-256 hash of the decoded content
 * @param complete whether all content was read
 * @param readable whether the content was decoded
 * @param varies whether Vary contains Accept-Encoding or an asterisk
 * @param contentType the media type in lower case, without parameters; empty if it is not sent
 */
record ContentSample(
        int status,
        String coding,
        int bytes,
        int decodedBytes,
        HashCode hash,
        boolean complete,
        boolean readable,
        boolean varies,
        String contentType) {

    /** @throws CheckFailure {@code response_too_large} if decoding exceeds the CPU time of the check */
    static ContentSample of(HttpExchange response, int maxBytes) throws CheckFailure {
        ResponseHeaders headers = response.headers();
        HttpBody content = response.decoded(maxBytes);
        String type = Strings.nullToEmpty(headers.first("content-type")).toLowerCase(Locale.ROOT);
        return new ContentSample(
                response.status(),
                coding(headers.joined("content-encoding")),
                response.body().size(),
                content.size(),
                Hashing.sha256().hashBytes(content.shared()),
                !content.truncated(),
                !content.unreadable(),
                !Collections.disjoint(headers.elements("vary"), List.of("accept-encoding", "*")),
                type.split(";", 2)[0].strip());
    }

    private static String coding(@Nullable String header) {
        String coding = Strings.nullToEmpty(header).toLowerCase(Locale.ROOT).strip();
        return switch (coding) {
            case "identity" -> "";
            case "x-gzip" -> "gzip";
            default -> coding;
        };
    }

    /** Whether the content of two complete responses with the same status differs. */
    boolean differsFrom(ContentSample other) {
        return status == other.status
                && readable
                && other.readable
                && complete
                && other.complete
                && !hash.equals(other.hash);
    }
}
