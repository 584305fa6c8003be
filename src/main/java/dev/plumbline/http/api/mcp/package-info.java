/** The Model Context Protocol (MCP): checks as tools of agents. */
@NullMarked
package dev.plumbline.http.api.mcp;

import org.jspecify.annotations.NullMarked;
