package dev.plumbline.target;

/** The type of target that a module accepts. */
public enum InputType implements LowerCaseId {
    DOMAIN,
    URL,
    IP,
    HOST,
    EMAIL,
    HOST_PORT
}
