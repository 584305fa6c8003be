package dev.plumbline.lab;

import java.util.ArrayList;
import java.util.List;

/**
 * SSRF targets. None of them may reach a listener on this machine while {@code targets.allow} is empty. They are URLs
 * for {@code http-status}; {@code PORT} is replaced by the port of a canary.
 */
public final class HostileTargets {
    private HostileTargets() {}

    /** How a hostile target is rejected. */
    public enum Rejection {
        /** The target is invalid: 422 before any lookup. */
        INVALID,
        /** The target is not permitted: 422 before any lookup. */
        FORBIDDEN,
        /** The name resolves to a special-purpose address: {@code target_blocked}, without a connection. */
        BLOCKED
    }

    /** A hostile target. */
    public record Case(String target, String description, Rejection rejection) {
        @Override
        public String toString() {
            return description + ": " + target;
        }
    }

    private static final String[] FORBIDDEN = {
        // loopback
        "http://127.0.0.1:PORT/", "loopback",
        "http://127.0.0.1.:PORT/", "loopback with a trailing dot",
        "http://127.1.2.3:PORT/", "loopback, not .1",
        "http://127.255.255.254:PORT/", "the end of loopback",
        "http://2130706433:PORT/", "decimal",
        "http://2130706433.:PORT/", "decimal with a trailing dot",
        "http://017700000001:PORT/", "one octal number",
        "http://00000177.0.0.1:PORT/", "octal with many zeros",
        "http://0177.0.0.1:PORT/", "octal",
        "http://0177.00.00.01:PORT/", "octal in all parts",
        "http://0177.0.0.0x1:PORT/", "octal and hexadecimal",
        "http://0x7f000001:PORT/", "one hexadecimal number",
        "http://0X7F.0X0.0X0.0X1:PORT/", "hexadecimal in capitals",
        "http://0x7f.1:PORT/", "hexadecimal, short",
        "http://0x0000000007f.1:PORT/", "hexadecimal with zeros",
        "http://127.1:PORT/", "two parts",
        "http://127.0.1:PORT/", "three parts",
        "http://127.65535:PORT/", "two parts, 0.255.255",
        "http://１２７.０.０.１:PORT/", "full-width digits",
        "http://127。0。0。1:PORT/", "ideographic full stops",
        "http://127｡0｡0｡1:PORT/", "half-width ideographic full stops",
        "http://①②⑦.⓪.⓪.①:PORT/", "circled digits",
        "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏:PORT/", "mathematical digits",
        "http://０x７f.1:PORT/", "full-width hexadecimal",
        "http://%31%32%37.0.0.1:PORT/", "percent-encoded digits",
        "http://127%2e0%2e0%2e1:PORT/", "percent-encoded dots",
        "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1:PORT/", "percent-encoded full-width digits",
        "http://1\u00ad27.0.0.1:PORT/", "a soft hyphen inside",
        "http://127.0.0.1\u200b:PORT/", "a zero-width space at the end",
        "http:127.0.0.1:PORT/", "no slashes",
        "http:/127.0.0.1:PORT/", "one slash",
        "http:////127.0.0.1:PORT/", "four slashes",
        "//127.0.0.1:PORT/", "no scheme",
        "127.0.0.1:PORT", "neither scheme nor path",
        "HTTP://127.0.0.1:PORT/#@example.com/", "a fragment that looks like a host",
        "http://127.0.0.1:PORT#example.com", "a fragment right after the port",
        "http://127.0.0.1:PORT?@example.com/", "a query that looks like a host",
        "http://127.0.0.1:0PORT/", "a port with a leading zero",
        "http://[::1]:PORT/", "loopback",
        "http://[0:0:0:0:0:0:0:1]:PORT/", "loopback, written out",
        "http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/", "loopback with all zeros",
        "http://[::0.0.0.1]:PORT/", "loopback, dotted",
        // unspecified addresses
        "http://0.0.0.0:PORT/", "unspecified",
        "http://0:PORT/", "unspecified, short",
        "http://0x0:PORT/", "unspecified, hexadecimal",
        "http://[::]:PORT/", "unspecified",
        "http://0.1.2.3:PORT/", "this network",
        // embedded IPv4 addresses
        "http://[::ffff:127.0.0.1]:PORT/", "IPv4-mapped",
        "http://[::ffff:7f00:1]:PORT/", "IPv4-mapped, hexadecimal",
        "http://[::FFFF:0:0]:PORT/", "IPv4-mapped unspecified",
        "http://[::ffff:8.8.8.8]:PORT/", "IPv4-mapped, of a public address",
        "http://[0:0:0:0:0:ffff:10.0.0.1]:PORT/", "IPv4-mapped, private",
        "http://[::127.0.0.1]:PORT/", "IPv4-compatible",
        "http://[::7f00:1]:PORT/", "IPv4-compatible, hexadecimal",
        "http://[::ffff:0:127.0.0.1]:PORT/", "IPv4-translated",
        "http://[64:ff9b::127.0.0.1]:PORT/", "NAT64 of loopback",
        "http://[64:ff9b::7f00:1]:PORT/", "NAT64 of loopback, hexadecimal",
        "http://[64:ff9b::10.0.0.1]:PORT/", "NAT64 of a private address",
        "http://[64:ff9b::169.254.169.254]:PORT/", "NAT64 of metadata",
        "http://[64:ff9b:1::8.8.8.8]:PORT/", "local NAT64",
        "http://[2002:7f00:1::]:PORT/", "6to4 of loopback",
        "http://[2002:a00:1::1]:PORT/", "6to4 of a private address",
        "http://[2002:808:808::1]:PORT/", "6to4 of a public address",
        "http://[2001:0:7f00:1::]:PORT/", "Teredo, server on loopback",
        "http://[2001:0:808:808:0:0:80ff:fffe]:PORT/", "Teredo, client on loopback",
        "http://[2600::5efe:127.0.0.1]:PORT/", "ISATAP of loopback",
        "http://[2600::200:5efe:10.0.0.1]:PORT/", "ISATAP of a private address",
        // private networks
        "http://10.0.0.1:PORT/", "private",
        "http://10.255.255.255:PORT/", "private",
        "http://012.1.2.3:PORT/", "private, octal",
        "http://172.16.0.1:PORT/", "private",
        "http://172.31.255.255:PORT/", "private",
        "http://192.168.1.1:PORT/", "private",
        "http://0xc0a80101:PORT/", "private, hexadecimal",
        "http://100.64.0.1:PORT/", "carrier-grade NAT",
        "http://100.127.255.255:PORT/", "carrier-grade NAT",
        "http://169.254.1.1:PORT/", "link-local",
        "http://[fc00::1]:PORT/", "unique local",
        "http://[fdff:ffff::1]:PORT/", "unique local",
        "http://[fe80::1]:PORT/", "link-local",
        "http://[febf::1]:PORT/", "link-local",
        "http://[fec0::1]:PORT/", "site-local",
        // cloud metadata services
        "http://169.254.169.254/latest/meta-data/", "metadata of AWS, Google, Azure and most others",
        "http://2852039166/latest/meta-data/", "metadata, decimal",
        "http://0xa9fea9fe/", "metadata, hexadecimal",
        "http://0251.0376.0251.0376/", "metadata, octal",
        "http://[::ffff:169.254.169.254]/", "metadata, IPv4-mapped",
        "http://169.254.170.2/v2/credentials", "metadata of AWS containers",
        "http://169.254.170.23/", "credentials of AWS EKS pods",
        "http://[fd00:ec2::254]/latest/meta-data/", "metadata of AWS over IPv6",
        "http://[fd00:ec2::23]/", "credentials of AWS EKS pods over IPv6",
        "http://[fd20:ce::254]/computeMetadata/v1/", "metadata of Google over IPv6",
        "http://168.63.129.16/machine?comp=goalstate", "Azure's wire server, in public space",
        "http://0xa83f8110/", "Azure's wire server, hexadecimal",
        "http://100.100.100.200/latest/meta-data/", "metadata of Alibaba",
        "http://192.0.0.192/latest/", "metadata of Oracle",
        "http://169.254.0.23/latest/meta-data/", "metadata of Tencent",
        "http://169.254.42.42/conf", "metadata of Scaleway",
        "http://[fd00:42::42]/conf", "metadata of Scaleway over IPv6",
        "http://[fe80::a9fe:a9fe]/openstack", "metadata of OpenStack over IPv6",
        "http://metadata.google.internal/computeMetadata/v1/", "metadata of Google by name",
        // other special-purpose addresses
        "http://192.0.0.8:PORT/", "protocol assignments",
        "http://192.0.2.1:PORT/", "documentation",
        "http://198.51.100.1:PORT/", "documentation",
        "http://203.0.113.1:PORT/", "documentation",
        "http://198.18.0.1:PORT/", "benchmarking",
        "http://198.19.255.255:PORT/", "benchmarking",
        "http://192.88.99.1:PORT/", "6to4 relays",
        "http://192.31.196.1:PORT/", "AS112",
        "http://192.52.193.1:PORT/", "AMT",
        "http://192.175.48.1:PORT/", "AS112",
        "http://224.0.0.1:PORT/", "multicast",
        "http://239.255.255.250:PORT/", "multicast, SSDP",
        "http://240.0.0.1:PORT/", "reserved",
        "http://255.255.255.255:PORT/", "broadcast",
        "http://4294967295:PORT/", "broadcast, decimal",
        "http://[100::1]:PORT/", "discard-only",
        "http://[100:0:0:1::1]:PORT/", "dummy prefix",
        "http://[2001:2::1]:PORT/", "benchmarking",
        "http://[2001:10::1]:PORT/", "ORCHID",
        "http://[2001:20::1]:PORT/", "ORCHIDv2",
        "http://[2001:1::1]:PORT/", "port control anycast",
        "http://[2001:db8::1]:PORT/", "documentation",
        "http://[3fff::1]:PORT/", "documentation",
        "http://[2620:4f:8000::1]:PORT/", "AS112",
        "http://[5f00::1]:PORT/", "segment routing",
        "http://[ff02::1]:PORT/", "multicast",
        "http://[ff0e::1]:PORT/", "global multicast",
        "http://[4000::1]:PORT/", "unassigned",
        "http://[8000::1]:PORT/", "unassigned",
        "http://[200::1]:PORT/", "reserved",
        // internal names
        "http://localhost:PORT/", "localhost",
        "http://LOCALHOST.:PORT/", "localhost with a dot",
        "http://ｌｏｃａｌｈｏｓｔ:PORT/", "localhost, full-width",
        "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/", "localhost, circled",
        "http://local%68ost:PORT/", "localhost, percent-encoded",
        "http://loca\u00adlhost:PORT/", "localhost with a soft hyphen",
        "http://a.localhost:PORT/", "below localhost",
        "http://printer.local:PORT/", ".local",
        "http://db.internal:PORT/", ".internal",
        "http://router.home.arpa:PORT/", ".home.arpa",
        "http://expyuzz4wqqyqhjn.onion:PORT/", ".onion",
        "http://intranet:PORT/", "a single label",
        "http://ip6-localhost:PORT/", "a single label of the hosts file",
        "http://host.docker.internal:PORT/", "the host of a container",
        "http://kubernetes.default.svc.cluster.local/", "a service of a cluster",
        // ports
        "http://example.com:22/", "the port of SSH",
        "http://example.com:6379/", "the port of Redis",
        "http://example.com:11211/", "the port of memcached",
    };

    private static final String[] INVALID = {
        "http://user@127.0.0.1:PORT/", "a user name",
        "http://user:pass@127.0.0.1:PORT/", "a user name and password",
        "http://example.com@127.0.0.1:PORT/", "a user name that looks like a host",
        "http://example.com:80@127.0.0.1:PORT/", "a user name that looks like a host and port",
        "http://127.0.0.1:PORT\\@example.com/", "a backslash before the @",
        "http://example.com\\@127.0.0.1:PORT/", "a backslash after the host",
        "http:\\\\127.0.0.1:PORT\\", "backslashes for slashes",
        "http://127.0.0.1:PORT%40example.com/", "an encoded @ in the port",
        "http://example.com%40127.0.0.1:PORT/", "an encoded @",
        "http://example.com%2f@127.0.0.1:PORT/", "an encoded slash before the @",
        "http://example.com%23@127.0.0.1:PORT/", "an encoded number sign before the @",
        "http://example.com%0d%0aHost:%20127.0.0.1/", "an encoded CR LF in the host",
        "http://example.com\r\nHost: 127.0.0.1/", "a CR LF in the host",
        "http://example.com/\r\nX-Injected: 1", "a CR LF in the path",
        "http://example.com/\nX-Injected: 1", "an LF in the path",
        "http://127.0.0.1\t:PORT/", "a tab in the host",
        "http://127.0.0.1%00.example.com:PORT/", "an encoded NUL in the host",
        "http://127.0.0.1\0.example.com:PORT/", "a NUL in the host",
        "http://127.0.0.1 .example.com:PORT/", "a space in the host",
        "http://127.0.0.1%20.example.com:PORT/", "an encoded space in the host",
        "http://[::1%25lo]:PORT/", "a zone ID, encoded",
        "http://[fe80::1%eth0]:PORT/", "a zone ID",
        "http://[::1]127.0.0.1:PORT/", "text after the bracket",
        "http://[::1:PORT/", "an open bracket",
        "http://::1:PORT/", "no brackets",
        "http://[127.0.0.1]:PORT/", "IPv4 in brackets",
        "http://[::ffff:127.1]:PORT/", "IPv4-mapped, short",
        "http://[::ffff:0177.0.0.1]:PORT/", "IPv4-mapped, octal",
        "http://[v1.fe80]/", "an IPvFuture literal",
        "http://256.0.0.1:PORT/", "a part above 255",
        "http://127.0.0.256:PORT/", "a last part above 255",
        "http://127.0.0.0.1:PORT/", "five parts",
        "http://4294967296:PORT/", "a number above 2^32",
        "http://340282366920938463463374607431768211457:PORT/", "an IPv6 address as a number",
        "http://0177.0.0.08:PORT/", "octal with an 8",
        "http://127..1:PORT/", "an empty part",
        "http://.127.0.0.1:PORT/", "a leading dot",
        "http://example.127:PORT/", "a name that ends in a number",
        "http://127.0.0.1.0x:PORT/", "five parts, the last hexadecimal",
        "http://127.0.0.1:PORT:80/", "two ports",
        "http://127.0.0.1:99999/", "a port above 65535",
        "http://127.0.0.1:-1/", "a negative port",
        "http://127.0.0.1:0/", "port 0",
        "http://:PORT/", "no host",
        "http:///", "an empty target",
        "file:///etc/passwd", "a file",
        "file://127.0.0.1/etc/passwd", "a file on a host",
        "gopher://127.0.0.1:PORT/_x", "gopher",
        "dict://127.0.0.1:PORT/", "dict",
        "ftp://127.0.0.1:PORT/", "ftp",
        "ldap://127.0.0.1:PORT/", "ldap",
        "jar:http://127.0.0.1:PORT/!/", "jar",
        "javascript:alert(1)", "a script",
        "data:text/html,x", "data",
        "unix:/var/run/docker.sock", "a socket",
        "http+unix://%2Fvar%2Frun%2Fdocker.sock/", "a socket over HTTP",
    };

    /** Targets that are rejected before any lookup. */
    public static List<Case> rejectedBeforeLookup(int port) {
        List<Case> cases = new ArrayList<>();
        add(cases, FORBIDDEN, port, Rejection.FORBIDDEN);
        add(cases, INVALID, port, Rejection.INVALID);
        return cases;
    }

    /** Names that resolve to special-purpose addresses. Adds their records to the DNS lab. */
    public static List<Case> rejectedAfterLookup(DnsLab lab, int port) {
        lab.address("loopback4.hostile.test", "127.0.0.1");
        lab.address("loopback6.hostile.test", "::1");
        lab.address("private.hostile.test", "192.168.0.1");
        lab.address("metadata.hostile.test", "169.254.169.254");
        lab.address("wireserver.hostile.test", "168.63.129.16");
        lab.address("unspecified.hostile.test", "0.0.0.0");
        lab.address("mapped.hostile.test", "::ffff:127.0.0.1");
        lab.address("nat64.hostile.test", "64:ff9b::7f00:1");
        lab.address("sixtofour.hostile.test", "2002:7f00:1::");
        lab.address("local6.hostile.test", "fd00::1");
        lab.address("mixed.hostile.test", "93.184.216.34", "127.0.0.1", "93.184.216.35");
        lab.address("mixed6.hostile.test", "93.184.216.34", "::1");
        lab.alias("alias.hostile.test", "loopback4.hostile.test");
        lab.alias("aliases.hostile.test", "alias.hostile.test");
        lab.alias("outside.hostile.test", "localhost").address("localhost", "127.0.0.1");
        lab.alias("inner.hostile.test", "db.internal").address("db.internal", "93.184.216.34");
        lab.behave("bare.hostile.test", DnsFaults.aliasOnly("loopback4.hostile.test"));
        lab.behave("rebinding.hostile.test", DnsFaults.rebinding("127.0.0.1", "169.254.169.254", "10.0.0.1"));
        List<Case> cases = new ArrayList<>();
        add(
                cases,
                new String[] {
                    "http://loopback4.hostile.test:PORT/", "a name for loopback",
                    "http://loopback6.hostile.test:PORT/", "a name for loopback over IPv6",
                    "http://private.hostile.test:PORT/", "a name for a private address",
                    "http://metadata.hostile.test/", "a name for metadata",
                    "http://wireserver.hostile.test/", "a name for Azure's wire server",
                    "http://unspecified.hostile.test:PORT/", "a name for 0.0.0.0",
                    "http://mapped.hostile.test:PORT/", "a name for an IPv4-mapped address",
                    "http://nat64.hostile.test:PORT/", "a name for a NAT64 address",
                    "http://sixtofour.hostile.test:PORT/", "a name for a 6to4 address",
                    "http://local6.hostile.test:PORT/", "a name for a unique local address",
                    "http://mixed.hostile.test:PORT/", "one special-purpose address among several",
                    "http://mixed6.hostile.test:PORT/", "a special-purpose IPv6 address and a public IPv4 address",
                    "http://alias.hostile.test:PORT/", "an alias of a name for loopback",
                    "http://aliases.hostile.test:PORT/", "an alias of an alias of a name for loopback",
                    "http://outside.hostile.test:PORT/", "an alias of localhost",
                    "http://inner.hostile.test:PORT/", "an alias of an internal name with a public address",
                    "http://bare.hostile.test:PORT/", "a CNAME record without its target",
                    "http://rebinding.hostile.test:PORT/", "a name with another address at each lookup",
                    "http://MIXED.hostile.TEST.:PORT/", "another spelling of a name",
                },
                port,
                Rejection.BLOCKED);
        return cases;
    }

    private static void add(List<Case> cases, String[] pairs, int port, Rejection rejection) {
        for (int i = 0; i < pairs.length; i += 2) {
            cases.add(new Case(pairs[i].replace("PORT", "" + port), pairs[i + 1], rejection));
        }
    }
}
