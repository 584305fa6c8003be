/** Operations of accounts, sessions and API keys. */
@NullMarked
package dev.plumbline.http.api.account;

import org.jspecify.annotations.NullMarked;
