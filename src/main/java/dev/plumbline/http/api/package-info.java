/** One class for each operation of openapi.json. */
@NullMarked
package dev.plumbline.http.api;

import org.jspecify.annotations.NullMarked;
