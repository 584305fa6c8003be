package dev.plumbline.http.web.layout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a page.
 *
 * @param title without the name of the service
 * @param description one sentence for search engines and link previews
 * @param section the entry of the main navigation: {@code check}, {@code bulk}, {@code tools}, {@code api},
 *     {@code account}, or empty
 * @param canonical the canonical path with its query, or null
 * @param indexed whether search engines may index the page
 * @param scripts the assets in addition to site.js
 * @param email the address of the signed-in user; null if unknown
 */
public record PageInfo(
        String title,
        String description,
        String section,
        @Nullable String canonical,
        boolean indexed,
        List<String> scripts,
        @Nullable String email) {

    /** Removes control characters, as titles and descriptions can contain text from targets. */
    public PageInfo {
        title = DisplayText.plain(title);
        description = DisplayText.markdown(description).line();
    }

    /** A page that search engines may index. */
    public static PageInfo indexed(String title, String description, String section, String canonical) {
        return new PageInfo(title, description, section, canonical, true, List.of(), null);
    }

    /** A page that search engines must not index. */
    public static PageInfo unlisted(String title, String description, String section) {
        return new PageInfo(title, description, section, null, false, List.of(), null);
    }

    public PageInfo withScripts(String... assets) {
        return new PageInfo(title, description, section, canonical, indexed, List.of(assets), email);
    }

    public PageInfo withCanonical(String path) {
        return new PageInfo(title, description, section, path, indexed, scripts, email);
    }

    public PageInfo withUser(String address) {
        return new PageInfo(title, description, section, canonical, indexed, scripts, address);
    }
}
