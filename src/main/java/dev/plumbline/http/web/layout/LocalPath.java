package dev.plumbline.http.web.layout;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validation of the path to which a sign-in redirects, to prevent open redirects. */
public final class LocalPath {
    /** Browsers treat {@code //} and {@code /\} as the start of another host. */
    private static final Pattern LOCAL = Pattern.compile("/(?![/\\\\])[!-~&&[^\\\\]]{0,2000}");

    /** A parent segment could leave the base path behind a reverse proxy. */
    private static final Pattern PARENT_SEGMENT = Pattern.compile("(?i).*/(\\.|%2e){2}([/?#].*)?");

    private LocalPath() {}

    /** The given path if it is a page of this service, otherwise the default. */
    public static String or(String defaultPath, @Nullable String given) {
        return given != null
                        && LOCAL.matcher(given).matches()
                        && !PARENT_SEGMENT.matcher(given).matches()
                        && !given.startsWith("/sign-")
                ? given
                : defaultPath;
    }

    /** The path of the sign-in page, which redirects to the given path afterwards. */
    public static String signIn(String next) {
        return "/sign-in?next=" + Links.encoded(next);
    }
}
