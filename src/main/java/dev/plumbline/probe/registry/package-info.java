/** RDAP and WHOIS lookups, and the parsers of their responses. */
@NullMarked
package dev.plumbline.probe.registry;

import org.jspecify.annotations.NullMarked;
