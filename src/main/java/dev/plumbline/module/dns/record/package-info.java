/** Records and delegations that several modules use. */
@NullMarked
package dev.plumbline.module.dns.record;

import org.jspecify.annotations.NullMarked;
