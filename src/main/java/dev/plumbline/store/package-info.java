/**
 * The database: the pool over it, its schema, and the PostgreSQL that the service brings along when
 * it is given none.
 */
@NullMarked
package dev.plumbline.store;

import org.jspecify.annotations.NullMarked;
