/** The embedded PostgreSQL server. */
@NullMarked
package dev.plumbline.postgres.embedded;

import org.jspecify.annotations.NullMarked;
