package dev.plumbline.lab;

/**
 * A target of the lab and the expected result of a module.
 *
 * @param module name of the module
 * @param target target of the check; for certificate modules optionally followed by options in the form of a query
 * @param expectation one or more outcomes separated by {@code or}, optionally followed by an explanation. An outcome is
 *     a status, an error code, {@code verdict=warn}, a field such as {@code problem=expired}, or
 *     {@code error=read_timeout}. {@code with method=get} states an option that the check needs.
 */
public record LabTarget(String module, String target, String expectation) {}
