/** Accounts: people with their passwords and sessions, and the keys that programs use. */
@NullMarked
package dev.plumbline.account;

import org.jspecify.annotations.NullMarked;
