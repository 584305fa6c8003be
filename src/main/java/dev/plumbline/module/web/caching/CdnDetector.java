package dev.plumbline.module.web.caching;

import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.ResponseHeaders;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recognizes content delivery networks by headers that only they send. */
final class CdnDetector {
    /**
     * A header of a CDN.
     *
     * @param header the name, in lower case
     * @param text a part of the value in lower case; empty if the name is sufficient
     */
    private record Rule(String cdn, String header, String text) {}

    private static final List<Rule> RULES = List.of(
            new Rule("Cloudflare", "cf-ray", ""),
            new Rule("Cloudflare", "cf-cache-status", ""),
            new Rule("Amazon CloudFront", "x-amz-cf-id", ""),
            new Rule("Amazon CloudFront", "via", "cloudfront.net"),
            new Rule("Fastly", "x-served-by", "cache-"),
            new Rule("Fastly", "x-fastly-request-id", ""),
            new Rule("Akamai", "akamai-grn", ""),
            new Rule("Akamai", "akamai-cache-status", ""),
            new Rule("Akamai", "x-akamai-transformed", ""),
            new Rule("Akamai", "server", "akamai"),
            new Rule("Azure Front Door", "x-azure-ref", ""),
            new Rule("Google Cloud", "via", "1.1 google"),
            new Rule("Vercel", "x-vercel-id", ""),
            new Rule("Netlify", "x-nf-request-id", ""),
            new Rule("bunny.net", "cdn-pullzone", ""),
            new Rule("bunny.net", "server", "bunnycdn"),
            new Rule("KeyCDN", "server", "keycdn"),
            new Rule("CDN77", "x-77-cache", ""),
            new Rule("CDN77", "server", "cdn77"),
            new Rule("Imperva", "x-iinfo", ""),
            new Rule("Imperva", "x-cdn", "imperva"),
            new Rule("Sucuri", "x-sucuri-id", ""),
            new Rule("Alibaba Cloud", "eagleid", ""),
            new Rule("Tencent Cloud", "x-nws-log-uuid", ""),
            new Rule("Gcore", "x-id-fe", ""));

    private CdnDetector() {}

    record Match(String cdn, HttpHeader header) {}

    /** The first match; null if there is none. */
    static @Nullable Match detect(ResponseHeaders headers) {
        for (Rule rule : RULES) {
            for (HttpHeader line : headers.lines()) {
                if (line.name().equals(rule.header())
                        && line.value().toLowerCase(Locale.ROOT).contains(rule.text())) {
                    return new Match(rule.cdn(), line);
                }
            }
        }
        return null;
    }
}
