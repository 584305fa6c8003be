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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
 * A recursive DNS server on loopback, over UDP and TCP on one port. It answers from what it was
 * given, follows aliases as a real one does, says NXDOMAIN of every other name, and misbehaves as
 * {@link DnsFaults} say for names that were given one.
 */
public final class DnsLab implements AutoCloseable {
    private static final int MOST_ALIASES_FOLLOWED = 20;
    private static final Name ZONE = Name.root;

    /** How the question came. */
    public enum Transport {
        UDP,
        TCP
    }

    /** What is sent for one name, in place of an honest answer. */
    @FunctionalInterface
    public interface Behaviour {
        /**
         * @param honest what an honest server would answer
         * @param count how often this name and type was asked for before
         * @return the bytes to send, null for silence
         */
        byte @Nullable [] reply(Message query, Message honest, Transport transport, int count) throws IOException;
    }

    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(DnsLab::daemon);
    private final Map<String, List<Record>> records = new ConcurrentHashMap<>();
    private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
    private final Map<String, Long> delays = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

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

    /** A server on this port of 127.0.0.1, 0 for a free one. */
    public static DnsLab start(int port) {
        return start(InetAddress.getLoopbackAddress(), port);
    }

    /** A server on this port of another address of this machine, 0 for a free one. */
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
                throw new IllegalStateException("the DNS lab cannot listen", failed);
            }
        }
    }

    public int port() {
        return tcp.getLocalPort();
    }

    /** As {@code dns.servers} takes it. */
    public String address() {
        return "127.0.0.1:" + port();
    }

    /** How many questions came for this name, of every type, over UDP and TCP. */
    public int queries(String name) {
        String prefix = key(name) + " ";
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .mapToInt(entry -> entry.getValue().get())
                .sum();
    }

    /** How many questions came for all names. */
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

    /** Makes a name exist without any records of its own. */
    public DnsLab empty(String name) {
        records.computeIfAbsent(key(name), missing -> new CopyOnWriteArrayList<>());
        return this;
    }

    /** Forgets the records of a name. */
    public DnsLab forget(String name) {
        records.remove(key(name));
        return this;
    }

    public DnsLab behave(String name, Behaviour behaviour) {
        behaviours.put(key(name), behaviour);
        return this;
    }

    /** Answers after this time. */
    public DnsLab slow(String name, long millis) {
        delays.put(key(name), millis);
        return this;
    }

    /** As many aliases in a row, the last of which has the address. */
    public DnsLab chain(String name, int aliases, String address) {
        String from = name;
        for (int i = 1; i <= aliases; i++) {
            String to = "link" + i + "." + name;
            alias(from, to);
            from = to;
        }
        return address(from, address);
    }

    /** The answer's header and question, to be filled in. */
    static Message answerTo(Message query) {
        Message answer = new Message(query.getHeader().getID());
        Header header = answer.getHeader();
        header.setFlag(Flags.QR);
        header.setFlag(Flags.RD);
        header.setFlag(Flags.RA);
        answer.addRecord(query.getQuestion(), Section.QUESTION);
        return answer;
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
                // the socket was closed, or what came is no message: neither is answered
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
            // The client is served: it closed, or sent what is no question.
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
        Message honest = honest(query);
        Behaviour behaviour = behaviours.get(name);
        byte[] bytes = behaviour == null
                ? fitting(query, honest, transport)
                : behaviour.reply(query, honest, transport, count);
        if (bytes == null) {
            return;
        }
        Long delay = delays.get(name);
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

    private static byte[] fitting(Message query, Message honest, Transport transport) {
        if (transport == Transport.TCP) {
            return honest.toWire();
        }
        int room = query.getOPT() == null ? 512 : query.getOPT().getPayloadSize();
        return honest.toWire(Math.max(512, room));
    }

    private Message honest(Message query) {
        Message answer = answerTo(query);
        Record question = query.getQuestion();
        Name name = question.getName();
        for (int i = 0; i <= MOST_ALIASES_FOLLOWED; i++) {
            List<Record> all = records.get(key(name.toString()));
            List<Record> wanted = all == null ? List.of() : ofType(all, question.getType());
            wanted.forEach(found -> answer.addRecord(found, Section.ANSWER));
            if (!wanted.isEmpty()) {
                return answer;
            }
            List<Record> alias = all == null ? List.of() : ofType(all, Type.CNAME);
            if (alias.isEmpty()) {
                answer.getHeader().setRcode(all == null ? Rcode.NXDOMAIN : Rcode.NOERROR);
                answer.addRecord(soa(), Section.AUTHORITY);
                return answer;
            }
            if (!answer.findRecord(alias.get(0), Section.ANSWER)) {
                answer.addRecord(alias.get(0), Section.ANSWER);
            }
            name = ((org.xbill.DNS.CNAMERecord) alias.get(0)).getTarget();
        }
        return answer;
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
}
