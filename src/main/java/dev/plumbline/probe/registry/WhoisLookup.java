package dev.plumbline.probe.registry;

import dev.plumbline.result.CheckError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The WHOIS responses about a domain.
 *
 * @param responses the registry's first; empty if the top-level domain has no WHOIS server
 * @param referralError why the server to which the last response refers did not respond or was not queried; null if
 *     there is no such server
 */
public record WhoisLookup(List<WhoisResponse> responses, @Nullable CheckError referralError) {}
