/** Response headers, content negotiation and static documents that all API operations share. */
@NullMarked
package dev.plumbline.http.api;

import org.jspecify.annotations.NullMarked;
