package dev.plumbline;

/** Arguments to a command, and nothing else. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {}
}
