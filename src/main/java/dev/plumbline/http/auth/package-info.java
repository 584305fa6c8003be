/** Authentication by API key or session cookie, and the origin check of browser requests. */
@NullMarked
package dev.plumbline.http.auth;

import org.jspecify.annotations.NullMarked;
