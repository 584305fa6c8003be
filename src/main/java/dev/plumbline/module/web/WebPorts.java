package dev.plumbline.module.web;

import dev.plumbline.target.Host;
import dev.plumbline.target.Target;

/** The ports of the websites of a domain. */
record WebPorts(int http, int https) {
    /** The default ports of the URL schemes (RFC 9110 section 4.2). */
    static final WebPorts STANDARD = new WebPorts(80, 443);

    Target.Url http(String name, String path) {
        return new Target.Url("http", new Host(name, null), http, path);
    }

    Target.Url https(String name, String path) {
        return new Target.Url("https", new Host(name, null), https, path);
    }
}
