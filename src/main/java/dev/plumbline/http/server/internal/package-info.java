/** The only code of the HTTP server that depends on Netty's channel pipeline and on Vert.x internals. */
@org.jspecify.annotations.NullMarked
package dev.plumbline.http.server.internal;
