/** Backup and restore of the embedded PostgreSQL server. */
@NullMarked
package dev.plumbline.postgres.backup;

import org.jspecify.annotations.NullMarked;
