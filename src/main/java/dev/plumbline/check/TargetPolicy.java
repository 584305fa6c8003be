package dev.plumbline.check;

import java.net.InetAddress;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What may be a target at all: which addresses, names, ports and schemes. Pure; the one place that
 * decides it, for the refusal before any packet leaves and for every address that is about to be
 * dialled.
 */
public final class TargetPolicy {

  /**
   * What the operator has decided.
   *
   * @param allow CIDRs that are let through although special-purpose
   * @param deny names (with all below them), addresses and CIDRs that are never targets
   * @param denySuffixes names below these are never looked up
   * @param ports what may be connected to; "*" for any
   */
  public record Rules(
      List<String> allow, List<String> deny, List<String> denySuffixes, List<String> ports) {}

  /**
   * @param ownSocket whether an address and port is one of the service's own listening sockets,
   *     which are never targets whatever the rules say
   */
  public TargetPolicy(Rules rules, BiPredicate<InetAddress, Integer> ownSocket) {}

  /** Why this target is refused before any look-up, null when it is not. */
  public @Nullable String refusal(Target target) {
    return null;
  }

  /** Why this name may not be looked up, null when it may. */
  public @Nullable String refusalOfName(String name) {
    return null;
  }

  /** Why this address and port may not be connected to, null when it may. */
  public @Nullable String refusalOf(InetAddress address, int port) {
    return null;
  }
}
