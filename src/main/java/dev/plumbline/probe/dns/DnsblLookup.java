package dev.plumbline.probe.dns;

import dev.plumbline.result.CheckError;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response of a DNS blocklist for one address.
 *
 * @param codes the A records; empty if there is no entry
 * @param texts the TXT records
 * @param reliable whether the test entry of the zone is as expected: {@code 127.0.0.1} is not listed if the address is,
 *     and {@code 127.0.0.2} is listed if the address is not
 * @param error why a lookup failed; null if all succeeded
 */
public record DnsblLookup(
        String zone,
        InetAddress address,
        List<InetAddress> codes,
        List<String> texts,
        boolean reliable,
        @Nullable CheckError error) {}
