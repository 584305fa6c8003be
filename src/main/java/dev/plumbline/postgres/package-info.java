/** PostgreSQL: connection pool, schema migration, notifications and retention. */
@NullMarked
package dev.plumbline.postgres;

import org.jspecify.annotations.NullMarked;
