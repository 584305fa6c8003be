package dev.plumbline.support;

/** The exit code and the outputs of a command. */
public record CommandResult(int code, String out, String err) {}
