/** A stub resolver: transport, wire format, cache and private-name filter. It queries only the configured resolvers. */
@NullMarked
package dev.plumbline.dns;

import org.jspecify.annotations.NullMarked;
