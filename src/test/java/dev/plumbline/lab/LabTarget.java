package dev.plumbline.lab;

/**
 * Something that the lab offers to be checked.
 *
 * @param module the module to check it with
 * @param target what to give to the module, options in the form of a query behind it
 * @param expectation what the module must report, for example {@code problem=expired}
 */
public record LabTarget(String module, String target, String expectation) {}
