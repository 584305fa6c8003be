package dev.plumbline.lab;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * A recursive DNS server on loopback, over UDP and TCP on one port. It serves the configured records, follows CNAME
 * records and returns NXDOMAIN for other names. A name can have another {@link Behavior}, see {@link DnsFaults}.
 */
public final class DnsLab implements AutoCloseable {
    private static final int MAX_ALIASES = 20;
    private static final Name ZONE = Name.root;

    /** The transport of a query. */
    public enum Transport {
        UDP,
        TCP
    }

    /** The response to queries for one name, instead of the standard response. */
    @FunctionalInterface
    public interface Behavior {
        /**
         * @param standard the response of a server without faults
         * @param count number of earlier queries for this name and type
         * @return the bytes to send; null: no response
         */
        byte @Nullable [] reply(Message query, Message standard, Transport transport, int count) throws IOException;
    }

    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(DnsLab::daemon);
    private final Map<String, List<Record>> records = new ConcurrentHashMap<>();
    private final Map<String, Behavior> behaviors = new ConcurrentHashMap<>();
    private volatile @Nullable Behavior fallback;
    private volatile boolean rotating;
    private volatile SignedZones signedZones = new SignedZones();
    private final Map<String, Long> delays = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> followed = new ConcurrentHashMap<>();

    private DnsLab(DatagramSocket udp, ServerSocket tcp) {
        this.udp = udp;
        this.tcp = tcp;
        daemon(this::serveUdp).start();
        daemon(this::serveTcp).start();
    }

    /** A server on a free port of 127.0.0.1. */
    public static DnsLab start() {
        return start(0);
    }

    /** A server on 127.0.0.1; port 0: a free port. */
    public static DnsLab start(int port) {
        return start(InetAddress.getLoopbackAddress(), port);
    }

    /** A server on another local address; port 0: a free port. */
    public static DnsLab start(InetAddress loopback, int port) {
        for (int attempt = 0; ; attempt++) {
            try {
                ServerSocket tcp = new ServerSocket(port, 50, loopback);
                try {
                    return new DnsLab(new DatagramSocket(tcp.getLocalPort(), loopback), tcp);
                } catch (SocketException taken) {
                    tcp.close();
                    if (port != 0 || attempt == 20) {
                        throw taken;
                    }
                }
            } catch (IOException failed) {
                throw new IllegalStateException("cannot bind the DNS lab to a port", failed);
            }
        }
    }

    public int port() {
        return tcp.getLocalPort();
    }

    /** The address in the format of {@code dns.servers}. */
    public String address() {
        return tcp.getInetAddress().getHostAddress() + ":" + port();
    }

    /** The number of queries for this name, of all types, over UDP and TCP. */
    public int queries(String name) {
        String prefix = key(name) + " ";
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .mapToInt(entry -> entry.getValue().get())
                .sum();
    }

    /**
     * The number of queries for a domain and the names below it, with those that a recursive resolver sends for
     * aliases; an empty domain: for all names.
     */
    public int queriesBelow(String domain) {
        return Stream.of(counts, followed)
                .flatMap(each -> each.entrySet().stream())
                .filter(entry -> ("." + entry.getKey().split(" ")[0]).endsWith("." + key(domain)) || domain.isEmpty())
                .mapToInt(entry -> entry.getValue().get())
                .sum();
    }

    /** The number of queries for all names. */
    public int queries() {
        return counts.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    /** Adds the A and AAAA records of a name. */
    public DnsLab address(String name, String... addresses) {
        for (String address : addresses) {
            record(name + ". 60 IN " + (address.indexOf(':') < 0 ? "A " : "AAAA ") + address);
        }
        return this;
    }

    public DnsLab alias(String name, String target) {
        return record(name + ". 60 IN CNAME " + target + ".");
    }

    /** Adds a record in the form of a zone file, for example {@code a.test. 60 IN MX 10 b.test.} */
    public DnsLab record(String line) {
        String[] parts = line.split("\\s+", 5);
        try {
            Record added = Record.fromString(
                    Name.fromString(parts[0]),
                    Type.value(parts[3]),
                    DClass.IN,
                    Long.parseLong(parts[1]),
                    parts[4],
                    Name.root);
            records.computeIfAbsent(key(parts[0]), name -> new CopyOnWriteArrayList<>())
                    .add(added);
            return this;
        } catch (IOException malformed) {
            throw new IllegalArgumentException(line, malformed);
        }
    }

    /** Adds a name without records (NODATA). */
    public DnsLab empty(String name) {
        records.computeIfAbsent(key(name), missing -> new CopyOnWriteArrayList<>());
        return this;
    }

    /** Removes the records of a name. */
    public DnsLab removeRecords(String name) {
        records.remove(key(name));
        return this;
    }

    public DnsLab behave(String name, Behavior behavior) {
        behaviors.put(key(name), behavior);
        return this;
    }

    /** The behavior for names without their own. */
    public DnsLab behave(@Nullable Behavior behavior) {
        fallback = behavior;
        return this;
    }

    /** Returns the records of a name in another order in each response, as most resolvers do. */
    public DnsLab rotating() {
        rotating = true;
        return this;
    }

    /** Adds zones with DNSSEC. */
    public DnsLab sign(SignedZones zones) {
        signedZones = zones;
        return this;
    }

    /** Closes the TCP port; the server still responds over UDP. */
    public DnsLab closeTcp() throws IOException {
        tcp.close();
        return this;
    }

    /** Delays the responses for a name; empty for all names without their own delay. */
    public DnsLab slow(String name, long millis) {
        delays.put(key(name), millis);
        return this;
    }

    /** Adds a chain of CNAME records whose last target has the address. */
    public DnsLab chain(String name, int aliases, String address) {
        String from = name;
        for (int i = 1; i <= aliases; i++) {
            String to = "link" + i + "." + name;
            alias(from, to);
            from = to;
        }
        return address(from, address);
    }

    /** A response with header and question, without records. */
    static Message responseTo(Message query) {
        Message response = new Message(query.getHeader().getID());
        Header header = response.getHeader();
        header.setFlag(Flags.QR);
        header.setFlag(Flags.RD);
        header.setFlag(Flags.RA);
        response.addRecord(query.getQuestion(), Section.QUESTION);
        return response;
    }

    @Override
    public void close() {
        later.shutdownNow();
        udp.close();
        try {
            tcp.close();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private void serveUdp() {
        byte[] buffer = new byte[4096];
        while (!udp.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                udp.receive(packet);
                Message query = new Message(java.util.Arrays.copyOf(packet.getData(), packet.getLength()));
                SocketAddress client = packet.getSocketAddress();
                reply(query, Transport.UDP, bytes -> udp.send(new DatagramPacket(bytes, bytes.length, client)));
            } catch (IOException closedOrMalformed) {
                // the socket was closed or the packet is not a DNS message: no response
            }
        }
    }

    private void serveTcp() {
        while (!tcp.isClosed()) {
            try {
                Socket client = tcp.accept();
                daemon(() -> serve(client)).start();
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            while (true) {
                Message query = new Message(in.readNBytes(in.readUnsignedShort()));
                reply(query, Transport.TCP, bytes -> {
                    out.writeShort(bytes.length);
                    out.write(bytes);
                    out.flush();
                });
            }
        } catch (IOException closedOrMalformed) {
            // the client closed the connection or did not send a DNS message
        }
    }

    private interface Sender {
        void send(byte[] bytes) throws IOException;
    }

    private void reply(Message query, Transport transport, Sender sender) throws IOException {
        Record question = query.getQuestion();
        String name = key(question.getName().toString());
        String counted = name + " " + Type.string(question.getType());
        int count =
                counts.computeIfAbsent(counted, first -> new AtomicInteger()).getAndIncrement();
        Message signed = signedZones.respondIfSigned(query);
        Message standard = signed == null ? standard(query) : signed;
        if (rotating) {
            rotate(standard, count);
        }
        Behavior behavior = behaviors.getOrDefault(name, fallback);
        byte[] bytes = behavior == null
                ? encode(query, standard, transport)
                : behavior.reply(query, standard, transport, count);
        if (bytes == null) {
            return;
        }
        Long delay = delays.getOrDefault(name, delays.get(""));
        if (delay == null) {
            sender.send(bytes);
            return;
        }
        later.schedule(
                () -> {
                    sender.send(bytes);
                    return null;
                },
                delay,
                TimeUnit.MILLISECONDS);
    }

    /** Changes the order of the records of the requested type. Their signatures and aliases keep their places. */
    private static void rotate(Message response, int distance) {
        List<Record> all = List.copyOf(response.getSection(Section.ANSWER));
        List<Record> requested = ofType(all, response.getQuestion().getType());
        if (requested.size() < 2 || requested.get(0).getType() == Type.CNAME) {
            return;
        }
        Collections.rotate(requested, distance);
        Iterator<Record> next = requested.iterator();
        response.removeAllRecords(Section.ANSWER);
        all.forEach(record -> response.addRecord(requested.contains(record) ? next.next() : record, Section.ANSWER));
    }

    private static byte[] encode(Message query, Message standard, Transport transport) {
        if (transport == Transport.TCP) {
            return standard.toWire();
        }
        int size = query.getOPT() == null ? 512 : query.getOPT().getPayloadSize();
        return standard.toWire(Math.max(512, size));
    }

    private Message standard(Message query) {
        Message response = responseTo(query);
        Record question = query.getQuestion();
        Name name = question.getName();
        for (int i = 0; i <= MAX_ALIASES; i++) {
            List<Record> all = records.get(key(name.toString()));
            List<Record> matching = all == null ? List.of() : ofType(all, question.getType());
            matching.forEach(found -> response.addRecord(found, Section.ANSWER));
            if (!matching.isEmpty()) {
                return response;
            }
            List<Record> alias = all == null ? List.of() : ofType(all, Type.CNAME);
            if (alias.isEmpty()) {
                response.getHeader().setRcode(all == null ? Rcode.NXDOMAIN : Rcode.NOERROR);
                response.addRecord(soa(), Section.AUTHORITY);
                return response;
            }
            if (!response.findRecord(alias.get(0), Section.ANSWER)) {
                response.addRecord(alias.get(0), Section.ANSWER);
            }
            name = ((org.xbill.DNS.CNAMERecord) alias.get(0)).getTarget();
            followed.computeIfAbsent(key(name.toString()), first -> new AtomicInteger())
                    .incrementAndGet();
        }
        return response;
    }

    private static List<Record> ofType(List<Record> all, int type) {
        List<Record> found = new ArrayList<>();
        for (Record one : all) {
            if (type == Type.ANY || one.getType() == type) {
                found.add(one);
            }
        }
        return found;
    }

    static SOARecord soa() {
        return new SOARecord(ZONE, DClass.IN, 30, name("ns.lab."), name("host.lab."), 1, 2, 3, 4, 30);
    }

    private static Name name(String text) {
        try {
            return Name.fromString(text);
        } catch (TextParseException malformed) {
            throw new IllegalArgumentException(text, malformed);
        }
    }

    private static String key(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "dns-lab");
        thread.setDaemon(true);
        return thread;
    }

    /** A text as the character strings of a TXT record in the form of a zone file. */
    static String quoted(String text) {
        StringBuilder parts = new StringBuilder();
        for (int start = 0; start < text.length(); start += 200) {
            parts.append('"')
                    .append(text, start, Math.min(text.length(), start + 200))
                    .append("\" ");
        }
        return parts.toString();
    }
}
