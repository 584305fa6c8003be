package dev.plumbline.probe.http;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.Target;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request and where its redirects led.
 *
 * @param hops every answer, in order; empty when not even the first came
 * @param url the URL that was asked last, whether or not it answered
 * @param error why the journey ended early; null when the last hop is its true end
 */
public record RedirectTrace(List<HttpExchange> hops, Target.Url url, @Nullable CheckError error) {

    public RedirectTrace {
        hops = List.copyOf(hops);
    }

    /**
     * The same, for a journey whose first URL was itself reached by a redirect: what is forbidden
     * there is the redirect's fault, not the target's.
     */
    public RedirectTrace afterRedirect() {
        return error == null ? this : new RedirectTrace(hops, url, RedirectFollower.afterRedirect(error));
    }

    /** The last answer, or null when there was none. */
    public @Nullable HttpExchange last() {
        return hops.isEmpty() ? null : hops.get(hops.size() - 1);
    }

    /** The answer at the end of all redirects, whole or in part; null when there was none. */
    public @Nullable HttpExchange page() {
        HttpExchange last = last();
        return last == null || last.redirects() ? null : last;
    }

    /** Whether a redirect led from an encrypted page to one that is not. */
    public boolean downgraded() {
        for (int i = 0; i < hops.size(); i++) {
            boolean nextSecure = i + 1 < hops.size() ? hops.get(i + 1).url().secure() : url.secure();
            if (hops.get(i).url().secure() && !nextSecure) {
                return true;
            }
        }
        return false;
    }
}
