package dev.plumbline.module.mail.spf;

import com.google.common.io.BaseEncoding;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.ReverseMap;

/**
 * The client for which a record is evaluated. Its address is not connected.
 *
 * @param address an IPv4-mapped address is an IPv4 address
 * @param sender with local part and domain
 */
record SpfClient(InetAddress address, String sender, String helo) {
    private static final String MAPPED = "::ffff:";

    /** The client in the options; null without {@code client_ip}. */
    static @Nullable SpfClient of(Options options, String domain) {
        String ip = options.optionalText("client_ip");
        InetAddress address = ip == null ? null : IpAddressText.parse(ip);
        if (address == null) {
            return null;
        }
        String helo = options.optionalText("helo");
        return of(address, options.optionalText("sender"), helo == null ? domain : helo, domain);
    }

    /** @param sender without domain or local part: these are the domain and {@code postmaster} */
    static SpfClient of(InetAddress address, @Nullable String sender, String helo, String domain) {
        String mailbox = sender == null || sender.isEmpty() ? domain : sender;
        int at = mailbox.lastIndexOf('@');
        String local = at <= 0 ? "postmaster" : mailbox.substring(0, at);
        return new SpfClient(unmapped(address), local + "@" + mailbox.substring(at + 1), helo);
    }

    private static InetAddress unmapped(InetAddress address) {
        String text = IpAddressText.format(address);
        InetAddress embedded = text.startsWith(MAPPED) ? IpAddressText.parse(text.substring(MAPPED.length())) : null;
        return embedded == null ? address : embedded;
    }

    boolean isV4() {
        return address instanceof Inet4Address;
    }

    String local() {
        return sender.substring(0, sender.lastIndexOf('@'));
    }

    String senderDomain() {
        return sender.substring(sender.lastIndexOf('@') + 1);
    }

    /** The address with a dot after each byte (IPv4) or hexadecimal digit (IPv6), for the macro i. */
    String dotted() {
        return isV4()
                ? IpAddressText.format(address)
                : BaseEncoding.base16().lowerCase().withSeparator(".", 1).encode(address.getAddress());
    }

    /** The name of the PTR records of the address. */
    String reverseName() {
        return DnsResolver.text(ReverseMap.fromAddress(address));
    }

    /** Whether the first bits of an address are those of this client. False for the other family. */
    boolean matches(InetAddress network, int prefix) {
        byte[] own = address.getAddress();
        byte[] other = network.getAddress();
        BigInteger difference = new BigInteger(1, own).xor(new BigInteger(1, other));
        return own.length == other.length
                && difference.shiftRight(8 * own.length - prefix).signum() == 0;
    }
}
