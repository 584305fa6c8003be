package dev.plumbline.probe.registry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The registration of an address block.
 *
 * @param cidr the largest CIDR block with the address that is a part of the registered range
 * @param org the name of the organization; null if it is not published, or if the holder is a person
 * @param country an ISO 3166-1 code in upper case
 * @param originAsNumbers the AS numbers that the holder registered as origins (ARIN only)
 * @param reserved whether the registry marks the block as reserved
 * @param complete whether all contacts are part of the response
 */
public record NetworkRegistration(
        String cidr,
        @Nullable String name,
        @Nullable String org,
        @Nullable String country,
        @Nullable String abuseEmail,
        List<Long> originAsNumbers,
        boolean reserved,
        boolean complete) {

    /** Whether the registry returned the entire address space instead of a registration. */
    public boolean coversAllAddresses() {
        return cidr.endsWith("/0");
    }
}
