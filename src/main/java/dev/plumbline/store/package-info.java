/** PostgreSQL: embedded server, connection pool, schema migration, notifications and retention. */
@NullMarked
package dev.plumbline.store;

import org.jspecify.annotations.NullMarked;
