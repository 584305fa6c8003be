/** Accounts, passwords, sessions and API keys. */
@NullMarked
package dev.plumbline.account;

import org.jspecify.annotations.NullMarked;
