/** Pages for sign-in, account and API keys. */
@NullMarked
package dev.plumbline.http.web.account;

import org.jspecify.annotations.NullMarked;
