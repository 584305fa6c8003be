package dev.plumbline.http.web.layout;

import org.jspecify.annotations.Nullable;

/**
 * The data of the template layout.jte.
 *
 * @param signedIn whether the request contains a session cookie, valid or not, because public pages do not query the
 *     database
 */
public record PageLayout(PageInfo page, SiteSettings site, boolean signedIn) {

    public String href(String path) {
        return site.basePath() + path;
    }

    public String asset(String name) {
        return site.basePath() + site.assets().path(name);
    }

    public String title() {
        return page.title().isEmpty() ? "Plumbline" : page.title() + " · Plumbline";
    }

    /** The canonical URL, or null. */
    public @Nullable String canonicalUrl() {
        return page.canonical() == null ? null : site.publicUrl() + page.canonical();
    }

    /** The value of {@code aria-current} for an entry of the main navigation. */
    public @Nullable String current(String section) {
        return page.section().equals(section) ? "page" : null;
    }
}
