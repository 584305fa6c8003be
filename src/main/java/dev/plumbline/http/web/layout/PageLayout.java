package dev.plumbline.http.web.layout;

import org.jspecify.annotations.Nullable;

/**
 * The frame around a page, as the template layout.jte sees it.
 *
 * @param signedIn whether the browser carries a session, good or not
 */
public record PageLayout(PageInfo page, SiteSettings site, boolean signedIn) {

    /** A path of ours as a link has it. */
    public String href(String path) {
        return site.base() + path;
    }

    /** Where an asset is. */
    public String asset(String name) {
        return site.base() + site.assets().path(name);
    }

    public String title() {
        return page.title().isEmpty() ? "Plumbline" : page.title() + " · Plumbline";
    }

    /** The page's whole address; null where it has none of its own. */
    public @Nullable String address() {
        return page.canonical() == null ? null : site.publicUrl() + page.canonical();
    }

    public @Nullable String current(String section) {
        return page.section().equals(section) ? "page" : null;
    }
}
