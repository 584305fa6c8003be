/** The module {@code nameservers}. */
@NullMarked
package dev.plumbline.module.dns.nameservers;

import org.jspecify.annotations.NullMarked;
