package dev.plumbline.module.web;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.module.web.page.HtmlResponse;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The properties by which the pages of a website over IPv4 and IPv6 are compared.
 *
 * @param host the host after all redirects
 * @param title null if the page is not HTML or has no title
 * @param bytes the size of the content, up to {@link HttpProbe#PAGE_BYTES}
 * @param error why there is no page; null if there is one
 * @param certificateError why a certificate is not valid; null if all are valid or none was received
 */
record SitePage(
        String host,
        int status,
        @Nullable String title,
        int bytes,
        @Nullable CheckError error,
        @Nullable CheckError certificateError) {
    /** Pages that are generated for each request differ in size, but rarely by half. */
    private static final double MIN_SIZE_RATIO = 0.5;

    /** Below this size, for example in a short error page, a few values of the request can double the size. */
    private static final int MIN_COMPARED_BYTES = 1_000;

    static SitePage of(RedirectTrace trace, @Nullable CheckError certificateError) throws CheckFailure {
        HttpExchange page = trace.page();
        if (page == null) {
            CheckError error = trace.error() == null
                    ? new CheckError(ErrorCode.HTTP_PROTOCOL_ERROR, "The server did not send a response.")
                    : trace.error();
            return new SitePage(trace.url().host().name(), 0, null, 0, error, certificateError);
        }
        String title = null;
        int bytes = 0;
        try {
            HtmlResponse html = HtmlResponse.of(page);
            title = html == null
                    ? null
                    : html.head().titles().stream().findFirst().orElse(null);
            bytes = page.content(HttpProbe.PAGE_BYTES).shared().length;
        } catch (CheckFailure undecodable) {
            bytes = page.body().shared().length;
        }
        return new SitePage(page.url().host().name(), page.status(), title, bytes, null, certificateError);
    }

    /** How the other page, over IPv6, differs; null if it does not. */
    @Nullable
    String difference(SitePage v6) {
        if (status != v6.status) {
            return "status %d over IPv4 and %d over IPv6".formatted(status, v6.status);
        }
        if (!host.equals(v6.host)) {
            return "redirects to %s over IPv4 and to %s over IPv6".formatted(host, v6.host);
        }
        if (!Objects.equals(title, v6.title)) {
            return "title \"%s\" over IPv4 and \"%s\" over IPv6"
                    .formatted(Objects.toString(title, ""), Objects.toString(v6.title, ""));
        }
        int larger = Math.max(bytes, v6.bytes);
        return larger >= MIN_COMPARED_BYTES && Math.min(bytes, v6.bytes) < larger * MIN_SIZE_RATIO
                ? "%d bytes over IPv4 and %d bytes over IPv6".formatted(bytes, v6.bytes)
                : null;
    }
}
