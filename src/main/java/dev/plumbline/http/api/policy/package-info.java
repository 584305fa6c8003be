/** Policies and expectations of requests. */
@NullMarked
package dev.plumbline.http.api.policy;

import org.jspecify.annotations.NullMarked;
