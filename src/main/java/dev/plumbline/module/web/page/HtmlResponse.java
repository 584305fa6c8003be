package dev.plumbline.module.web.page;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.html.HtmlHead;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.target.Target;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An HTML page, up to {@link HttpProbe#PAGE_BYTES}.
 *
 * @param type the Content-Type header, null if it is not set
 * @param cut whether only a part of the page was read
 */
public record HtmlResponse(byte[] bytes, @Nullable String type, boolean cut) {
    /**
     * Decodes the content of a response.
     *
     * @return null if the type is not HTML, if the content is empty, or if it starts with text and its type is not set
     */
    public static @Nullable HtmlResponse of(HttpExchange page) throws CheckFailure {
        String type = page.headers().first("content-type");
        if (type != null && !type.toLowerCase(Locale.ROOT).contains("html")) {
            return null;
        }
        HttpBody content = page.content(HttpProbe.PAGE_BYTES);
        byte[] bytes = content.shared();
        int start = 0;
        while (start < bytes.length && isSpaceOrByteOrderMark(bytes[start])) {
            start++;
        }
        boolean html = start < bytes.length && (type != null || bytes[start] == '<');
        return html ? new HtmlResponse(bytes, type, content.truncated()) : null;
    }

    /** True for 0 too, which is half of a space in UTF-16. */
    private static boolean isSpaceOrByteOrderMark(byte b) {
        return b >= 0 && b <= ' ' || "\u00ef\u00bb\u00bf\u00fe\u00ff".indexOf(b & 0xff) >= 0;
    }

    public HtmlHead head() {
        return HtmlHead.parse(bytes, type);
    }

    public String text() {
        return HtmlHead.decode(bytes, type);
    }

    /**
     * The URL against which the URLs in the page are resolved.
     *
     * @param base the href of the base element, null if there is none
     */
    public static Target.Url base(HttpExchange page, @Nullable String base) {
        Target.Url declared = base == null ? null : RedirectLocation.resolveReference(page.url(), base);
        return declared == null ? page.url() : declared;
    }
}
