/** The HTTP/1.1 and HTTP/2 client of checks, redirects and shared fetches. */
@NullMarked
package dev.plumbline.probe.http;

import org.jspecify.annotations.NullMarked;
