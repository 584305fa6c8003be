package dev.plumbline.http.web.layout;

import java.net.URI;

/**
 * What all pages have in common.
 *
 * @param publicUrl under which people reach the service, without a slash at its end
 * @param base the path of that: empty unless a reverse proxy shows the service below one
 * @param secure whether people reach it over TLS
 */
public record SiteSettings(String publicUrl, String base, boolean secure, Assets assets) {

    static SiteSettings of(String publicUrl, Assets assets) {
        String trimmed = publicUrl.endsWith("/") ? publicUrl.substring(0, publicUrl.length() - 1) : publicUrl;
        String path = URI.create(trimmed).getRawPath();
        return new SiteSettings(trimmed, path == null ? "" : path, trimmed.startsWith("https:"), assets);
    }
}
