package dev.plumbline.lab;

/**
 * Something that the lab offers to be checked.
 *
 * @param module the module to check it with
 * @param target what to give to the module; for {@code ssl-certificate} with options in the form of
 *     a query behind it
 * @param expectation what the module must report: one of several outcomes with {@code or} between
 *     them, then words for people. An outcome is a status, an error code, {@code verdict=warn}, a
 *     field as {@code problem=expired}, or {@code error=read_timeout}. {@code with method=get} says
 *     that it needs that option.
 */
public record LabTarget(String module, String target, String expectation) {}
