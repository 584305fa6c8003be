/** The HTTP/1.1, HTTP/2 and HTTP/3 client of checks, redirects and shared fetches. */
@NullMarked
package dev.plumbline.probe.http;

import org.jspecify.annotations.NullMarked;
