package dev.plumbline.check;

/**
 * The type under which {@link CheckModule}s are registered with {@link java.util.ServiceLoader}, which supports no
 * generic types.
 */
public interface RegisteredModule {}
