package dev.plumbline.http.web.layout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the frame around a page says of it.
 *
 * @param title of the window, without the name of the service
 * @param description one sentence, for search engines and link previews
 * @param section which entry of the navigation it belongs to: {@code check}, {@code bulk}, {@code
 *     tools}, {@code api}, {@code account} or none of them
 * @param canonical the one address that it has, a path with its query; null where it has none of
 *     its own
 * @param indexed whether search engines may list it
 * @param scripts the assets that it needs besides site.js
 * @param person the e-mail address of whoever is known to be signed in; null where nobody asked
 */
public record PageInfo(
        String title,
        String description,
        String section,
        @Nullable String canonical,
        boolean indexed,
        List<String> scripts,
        @Nullable String person) {

    /** Titles and descriptions may hold what targets say. */
    public PageInfo {
        title = DisplayText.plain(title);
        description = DisplayText.plain(description);
    }

    /** A page that anybody may see and search engines may list. */
    public static PageInfo open(String title, String description, String section, String canonical) {
        return new PageInfo(title, description, section, canonical, true, List.of(), null);
    }

    /** A page that is not for search engines. */
    public static PageInfo unlisted(String title, String description, String section) {
        return new PageInfo(title, description, section, null, false, List.of(), null);
    }

    /** The same page, which needs these assets too. */
    public PageInfo with(String... assets) {
        return new PageInfo(title, description, section, canonical, indexed, List.of(assets), person);
    }

    /** The same page at its one address. */
    public PageInfo at(String path) {
        return new PageInfo(title, description, section, path, indexed, scripts, person);
    }

    /** The same page as this person sees it. */
    public PageInfo of(String email) {
        return new PageInfo(title, description, section, canonical, indexed, scripts, email);
    }
}
