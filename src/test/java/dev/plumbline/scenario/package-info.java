/**
 * Overload and attacks on a service in its own process, with the JVM options for production. Run by {@code -Pscenario}.
 */
package dev.plumbline.scenario;
