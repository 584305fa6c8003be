package dev.plumbline.lab;

import java.util.function.Consumer;

/**
 * A page of the HTTP lab.
 *
 * @param path path of the page; can end with a variable in braces
 * @param expectation expected result of {@code http-status}, see {@link LabTarget}
 * @param handler writes the response
 */
record LabPage(String path, String expectation, Consumer<LabExchange> handler) {}
