package dev.plumbline.module.mail.bimi;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file to which a BIMI record refers.
 *
 * @param location the URL of the response after redirects
 * @param fault why the file is not available, as a sentence; null if the content was evaluated
 * @param error why it is unknown whether the file is available; null if that is known
 * @param contentType null if it is not set or there is no response
 * @param bytes the size of the uncompressed file
 * @param content the evaluated file; null if {@code fault} or {@code error} is present
 * @param digest of the uncompressed file, see {@link SvgLogo#digest}
 */
record BimiFile<T>(
        Target.Url url,
        Target.Url location,
        @Nullable String fault,
        @Nullable CheckError error,
        @Nullable String contentType,
        int bytes,
        @Nullable T content,
        @Nullable String digest) {
    private static final int MAX_REDIRECTS = 3;

    private interface Parser<T> {
        T parse(byte[] file) throws CertificateException;
    }

    static Future<BimiFile<SvgLogo>> logo(CheckContext context, Target.Url url) {
        return fetch(context, url, "image/svg+xml", SvgLogo::parse);
    }

    static Future<BimiFile<MarkCertificate>> certificate(CheckContext context, Target.Url url, Instant now) {
        return fetch(context, url, "*/*", file -> MarkCertificate.parse(file, now));
    }

    private static <T> Future<BimiFile<T>> fetch(
            CheckContext context, Target.Url url, String accept, Parser<T> parser) {
        HttpRequestSpec request = HttpRequestSpec.get(url, SvgLogo.MAX_BYTES).with("accept", accept);
        return context.probe(HttpProbe.class)
                .follow(context, request, MAX_REDIRECTS)
                .compose(trace -> trace.parseBodies(context, () -> of(url, trace, parser)));
    }

    private static <T> BimiFile<T> of(Target.Url url, RedirectTrace trace, Parser<T> parser) throws CheckFailure {
        HttpExchange page = trace.page();
        CheckError error = trace.error() == null && page != null ? page.bodyError() : trace.error();
        if (error != null || page == null) {
            CheckError cause = Objects.requireNonNull(error);
            boolean known = cause.code().targetFault();
            return new BimiFile<>(
                    url, trace.url(), known ? cause.message() : null, known ? null : cause, null, 0, null, null);
        }
        String type = page.headers().firstText("content-type");
        HttpBody body = page.decoded(SvgLogo.MAX_BYTES);
        String fault = null;
        if (page.status() != 200) {
            fault = "The server returned status " + page.status() + ".";
        } else if (body.truncated()) {
            fault = "The file is larger than 256 KiB.";
        } else if (body.unreadable()) {
            fault = "The response body cannot be decoded.";
        }
        if (fault == null) {
            try {
                byte[] file = SvgLogo.uncompressed(body.shared());
                T content = parser.parse(file);
                return new BimiFile<>(url, page.url(), null, null, type, file.length, content, SvgLogo.digest(file));
            } catch (IOException malformed) {
                fault = "The gzip compression is malformed, or the file is larger than 256 KiB.";
            } catch (CertificateException malformed) {
                fault = malformed.getMessage();
            }
        }
        return new BimiFile<>(url, page.url(), fault, null, type, 0, null, null);
    }

    boolean redirected() {
        return !location.equals(url);
    }
}
