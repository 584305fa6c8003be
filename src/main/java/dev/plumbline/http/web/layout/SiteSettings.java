package dev.plumbline.http.web.layout;

import java.net.URI;

/**
 * Data that all pages share.
 *
 * @param publicUrl the URL of the service, without a trailing slash
 * @param basePath the path of the public URL; empty unless a reverse proxy serves the service below a path
 * @param secure whether the public URL is https
 */
public record SiteSettings(String publicUrl, String basePath, boolean secure, Assets assets) {

    static SiteSettings of(String publicUrl, Assets assets) {
        return new SiteSettings(publicUrl, URI.create(publicUrl).getRawPath(), publicUrl.startsWith("https:"), assets);
    }
}
