/** Registration of the web pages. */
@NullMarked
package dev.plumbline.http.web;

import org.jspecify.annotations.NullMarked;
