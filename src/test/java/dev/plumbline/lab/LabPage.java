package dev.plumbline.lab;

import java.util.function.Consumer;

/**
 * One address of the HTTP lab.
 *
 * @param path what it answers to
 * @param expectation what {@code http-status} should say of it
 * @param answer writes the answer and ends the connection, or does not
 */
record LabPage(String path, String expectation, Consumer<LabExchange> answer) {}
