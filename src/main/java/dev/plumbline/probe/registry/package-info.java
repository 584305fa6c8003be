/** RDAP and WHOIS lookups. */
@NullMarked
package dev.plumbline.probe.registry;

import org.jspecify.annotations.NullMarked;
