package dev.plumbline.lab;

import dev.plumbline.signature.RsaKeyPairs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.DSRecord;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.NSECRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.RRset;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;
import org.xbill.DNS.utils.base32;

/** A DNS zone that is signed in memory with dnsjava, with or without faults. One key signs all records. */
public final class SignedZone {
    private static final int TTL = 300;
    private static final int KEY_SIGNING_KEY = 257;
    private static final int PROTOCOL = 3;
    private static final base32 BASE32_HEX = new base32(base32.Alphabet.BASE32HEX, false, true);

    /** How the zone proves that records do not exist. */
    public enum Denial {
        NSEC,
        NSEC3,
        NSEC3_OPT_OUT
    }

    private final Name apex;
    private final int algorithm;
    private final KeyPair keyPair;
    private final DNSKEYRecord key;
    private final NavigableMap<Name, List<Record>> records = new TreeMap<>();
    private Denial denial = Denial.NSEC;
    private int iterations;
    private byte[] salt = {};
    private Instant validFrom = Instant.now().minus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS);
    private Instant validUntil = validFrom.plus(31, ChronoUnit.DAYS);
    private DNSKEYRecord signingKey;
    private UnaryOperator<List<Record>> rewrite = UnaryOperator.identity();

    /** The signatures so far, because signing takes most of the time of a response. */
    private final Map<RecordSet, RRSIGRecord> signatures = new ConcurrentHashMap<>();

    private record RecordSet(List<Record> records, DNSKEYRecord key, Instant validFrom, Instant validUntil) {}

    /** @param algorithm a constant of {@link DNSSEC.Algorithm} */
    public SignedZone(String origin, int algorithm) {
        this(origin, algorithm, keyPair(algorithm));
    }

    public SignedZone(String origin, int algorithm, KeyPair keyPair) {
        this.apex = name(origin);
        this.algorithm = algorithm;
        this.keyPair = keyPair;
        this.key = dnskey(keyPair, KEY_SIGNING_KEY);
        this.signingKey = key;
        record("@ SOA ns1 hostmaster 1 3600 600 604800 300");
        record("@ NS ns1");
        add(key);
    }

    /** A zone with an ECDSA P-256 key. */
    public static SignedZone of(String origin) {
        return new SignedZone(origin, DNSSEC.Algorithm.ECDSAP256SHA256);
    }

    public Name apex() {
        return apex;
    }

    public DNSKEYRecord key() {
        return key;
    }

    /** Adds a record, for example {@code www A 192.0.2.1}. Names are relative to the zone. */
    public SignedZone record(String line) {
        String[] parts = line.split("\\s+", 3);
        try {
            Name owner = parts[0].equals("@") ? apex : Name.fromString(parts[0], apex);
            return add(Record.fromString(owner, Type.value(parts[1]), DClass.IN, TTL, parts[2], apex));
        } catch (IOException malformed) {
            throw new IllegalArgumentException(line, malformed);
        }
    }

    public SignedZone add(Record record) {
        records.computeIfAbsent(record.getName(), name -> new ArrayList<>()).add(record);
        return this;
    }

    /** Removes the records of a type from the apex. */
    public SignedZone remove(int type) {
        records.get(apex).removeIf(record -> record.getType() == type);
        return this;
    }

    /** Adds a delegation to a signed zone. */
    public SignedZone delegate(SignedZone child) {
        return add(child.ds(DNSSEC.Digest.SHA256)).delegateUnsigned(child.apex.toString());
    }

    /** Adds a delegation without DS records. */
    public SignedZone delegateUnsigned(String child) {
        return record(child + " NS ns1." + child);
    }

    public DSRecord ds(int digestType) {
        return new DSRecord(apex, DClass.IN, TTL, digestType, key);
    }

    public SignedZone denial(Denial kind, int additionalIterations, String saltText) {
        this.denial = kind;
        this.iterations = additionalIterations;
        this.salt = saltText.getBytes(StandardCharsets.US_ASCII);
        return this;
    }

    public SignedZone validity(Instant from, Instant until) {
        this.validFrom = from.truncatedTo(ChronoUnit.SECONDS);
        this.validUntil = until.truncatedTo(ChronoUnit.SECONDS);
        return this;
    }

    /** Makes signatures with a key that the zone does not publish. */
    public SignedZone signWithUnpublishedKey() {
        this.signingKey = dnskey(keyPair, KEY_SIGNING_KEY - 1);
        return this;
    }

    /** Publishes a key with the flag REVOKE (RFC 5011 section 2.1) and these flags. */
    public SignedZone publishRevoked(int flags) {
        return add(dnskey(keyPair, flags | DNSKEYRecord.Flags.REVOKE));
    }

    /** Revokes the key, with which the zone is signed. */
    public SignedZone revokeKey() {
        this.signingKey = dnskey(keyPair, KEY_SIGNING_KEY | DNSKEYRecord.Flags.REVOKE);
        return remove(Type.DNSKEY).add(signingKey);
    }

    /** Changes the records of each section of each response after they were signed. */
    public SignedZone rewrite(UnaryOperator<List<Record>> change) {
        UnaryOperator<List<Record>> before = rewrite;
        this.rewrite = section -> change.apply(before.apply(section));
        return this;
    }

    /** Changes the signatures of a type, or of all types ({@link Type#ANY}), so that they do not match. */
    public SignedZone corrupt(int type) {
        return rewrite(section -> section.stream()
                .map(record -> record instanceof RRSIGRecord signature && covers(signature, type)
                        ? corrupted(signature)
                        : record)
                .toList());
    }

    /** Removes the signatures of a type, or of all types ({@link Type#ANY}). */
    public SignedZone strip(int type) {
        return rewrite(section -> section.stream()
                .filter(record -> !(record instanceof RRSIGRecord signature && covers(signature, type)))
                .toList());
    }

    /** Returns all records as a zone without DNSSEC does. */
    public SignedZone unsigned() {
        return hide(Type.DNSKEY, Type.RRSIG, Type.NSEC, Type.NSEC3);
    }

    /** Removes the records of these types from all responses. */
    public SignedZone hide(Integer... types) {
        Set<Integer> hidden = Set.of(types);
        return rewrite(section -> section.stream()
                .filter(record -> !hidden.contains(record.getType()))
                .toList());
    }

    private static boolean covers(RRSIGRecord signature, int type) {
        return type == Type.ANY || signature.getTypeCovered() == type;
    }

    private static Record corrupted(RRSIGRecord signature) {
        byte[] data = signature.rdataToWireCanonical();
        data[data.length - 1] ^= 1;
        return Record.newRecord(signature.getName(), Type.RRSIG, DClass.IN, TTL, data);
    }

    /** The response of a resolver that does not validate. */
    Message respond(Message query) {
        Message response = DnsLab.responseTo(query);
        response.getHeader().setFlag(Flags.CD);
        Name name = query.getQuestion().getName();
        int type = query.getQuestion().getType();
        List<Record> answerRecords = new ArrayList<>();
        List<Record> authority = new ArrayList<>();
        List<Record> own = records.get(name);
        if (own != null) {
            addMatching(own, name, type, answerRecords);
            if (answerRecords.isEmpty()) {
                boolean excluded = denial == Denial.NSEC3_OPT_OUT && isUnsignedDelegation(name);
                addDenial(authority, excluded ? List.of(closestEncloser(name), name) : List.of(name));
            }
        } else if (hasDescendant(name)) {
            addDenial(authority, List.of(name));
        } else {
            Name encloser = closestEncloser(name);
            Name wildcard = wild(encloser);
            List<Record> synthesized = records.get(wildcard);
            if (synthesized != null) {
                addMatching(synthesized, name, type, answerRecords);
            } else {
                response.getHeader().setRcode(Rcode.NXDOMAIN);
            }
            Name nextCloser = new Name(name, name.labels() - encloser.labels() - 1);
            addDenial(
                    authority,
                    denial == Denial.NSEC
                            ? List.of(name, wildcard)
                            : answerRecords.isEmpty() ? List.of(encloser, nextCloser, wildcard) : List.of(nextCloser));
        }
        rewrite.apply(answerRecords).forEach(record -> response.addRecord(record, Section.ANSWER));
        rewrite.apply(authority).forEach(record -> response.addRecord(record, Section.AUTHORITY));
        return response;
    }

    private void addMatching(List<Record> own, Name name, int type, List<Record> answerRecords) {
        List<Record> matching =
                own.stream().filter(record -> record.getType() == type).toList();
        if (matching.isEmpty()) {
            matching = own.stream()
                    .filter(record -> record.getType() == Type.CNAME)
                    .toList();
        }
        addSigned(matching, name, answerRecords);
    }

    private void addSigned(List<Record> set, Name name, List<Record> section) {
        if (set.isEmpty()) {
            return;
        }
        set.forEach(record -> section.add(renamed(record, name)));
        RecordSet signed = new RecordSet(List.copyOf(set), signingKey, validFrom, validUntil);
        section.add(renamed(signatures.computeIfAbsent(signed, this::sign), name));
    }

    private RRSIGRecord sign(RecordSet set) {
        try {
            RRset rrset = new RRset(set.records().toArray(Record[]::new));
            return DNSSEC.sign(rrset, set.key(), keyPair.getPrivate(), set.validFrom(), set.validUntil());
        } catch (DNSSEC.DNSSECException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static Record renamed(Record record, Name name) {
        return record.getName().equals(name)
                ? record
                : Record.newRecord(name, record.getType(), DClass.IN, TTL, record.rdataToWireCanonical());
    }

    private boolean hasDescendant(Name name) {
        return records.keySet().stream().anyMatch(owner -> owner.subdomain(name) && !owner.equals(name));
    }

    private Name closestEncloser(Name name) {
        Name encloser = new Name(name, 1);
        while (!records.containsKey(encloser) && !hasDescendant(encloser)) {
            encloser = new Name(encloser, 1);
        }
        return encloser;
    }

    private static Name wild(Name parent) {
        return name("*." + (parent.equals(Name.root) ? "" : parent.toString()));
    }

    private void addDenial(List<Record> authority, List<Name> names) {
        addSigned(
                records.get(apex).stream()
                        .filter(record -> record.getType() == Type.SOA)
                        .toList(),
                apex,
                authority);
        Set<Record> proofs = new LinkedHashSet<>();
        NavigableMap<Name, Record> chain = denial == Denial.NSEC ? nsecChain() : nsec3Chain();
        for (Name name : names) {
            var entry = chain.floorEntry(denial == Denial.NSEC ? name : hashed(name));
            proofs.add((entry == null ? chain.lastEntry() : entry).getValue());
        }
        proofs.forEach(proof -> addSigned(List.of(proof), proof.getName(), authority));
    }

    private NavigableMap<Name, Record> nsecChain() {
        NavigableMap<Name, Record> chain = new TreeMap<>();
        for (Name owner : records.keySet()) {
            Name next = records.higherKey(owner);
            chain.put(
                    owner, new NSECRecord(owner, DClass.IN, TTL, next == null ? apex : next, types(owner, Type.NSEC)));
        }
        return chain;
    }

    private NavigableMap<Name, Record> nsec3Chain() {
        TreeMap<Name, Name> owners = new TreeMap<>();
        for (Name owner : records.keySet()) {
            if (denial == Denial.NSEC3_OPT_OUT && isUnsignedDelegation(owner)) {
                continue;
            }
            Name each = owner;
            while (owners.put(hashed(each), each) == null && !each.equals(apex)) {
                each = new Name(each, 1);
            }
        }
        NavigableMap<Name, Record> chain = new TreeMap<>();
        owners.forEach((hash, owner) -> {
            Name next = owners.higherKey(hash);
            chain.put(
                    hash,
                    new NSEC3Record(
                            hash,
                            DClass.IN,
                            TTL,
                            NSEC3Record.SHA1_DIGEST_ID,
                            denial == Denial.NSEC3_OPT_OUT ? 1 : 0,
                            iterations,
                            salt.length == 0 ? null : salt,
                            BASE32_HEX.fromString((next == null ? owners.firstKey() : next).getLabelString(0)),
                            records.containsKey(owner) ? types(owner, 0) : new int[0]));
        });
        return chain;
    }

    private boolean isUnsignedDelegation(Name owner) {
        return !owner.equals(apex) && has(owner, Type.NS) && !has(owner, Type.DS);
    }

    private boolean has(Name owner, int type) {
        return records.get(owner).stream().anyMatch(record -> record.getType() == type);
    }

    private int[] types(Name owner, int additional) {
        Set<Integer> types = new TreeSet<>();
        records.get(owner).forEach(record -> types.add(record.getType()));
        if (owner.equals(apex) || !types.contains(Type.NS) || types.contains(Type.DS) || additional != 0) {
            types.add(Type.RRSIG);
        }
        if (additional != 0) {
            types.add(additional);
        }
        return types.stream().mapToInt(Integer::intValue).toArray();
    }

    private Name hashed(Name name) {
        NSEC3Record parameters = new NSEC3Record(
                name,
                DClass.IN,
                TTL,
                NSEC3Record.SHA1_DIGEST_ID,
                0,
                iterations,
                salt.length == 0 ? null : salt,
                new byte[20],
                new int[0]);
        try {
            return Name.fromString(
                    BASE32_HEX.toString(parameters.hashName(name)).toLowerCase(Locale.ROOT), apex);
        } catch (GeneralSecurityException | TextParseException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private DNSKEYRecord dnskey(KeyPair pair, int flags) {
        try {
            return new DNSKEYRecord(apex, DClass.IN, TTL, flags, PROTOCOL, algorithm, pair.getPublic());
        } catch (DNSSEC.DNSSECException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static KeyPair keyPair(int algorithm) {
        try {
            return switch (algorithm) {
                case DNSSEC.Algorithm.ECDSAP256SHA256 -> ecKeyPair("secp256r1");
                case DNSSEC.Algorithm.ECDSAP384SHA384 -> ecKeyPair("secp384r1");
                case DNSSEC.Algorithm.ED25519 ->
                    KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
                case DNSSEC.Algorithm.ED448 ->
                    KeyPairGenerator.getInstance("Ed448").generateKeyPair();
                default -> RsaKeyPairs.generate(2048);
            };
        } catch (GeneralSecurityException unavailable) {
            throw new IllegalStateException(unavailable);
        }
    }

    private static KeyPair ecKeyPair(String curve) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return generator.generateKeyPair();
    }

    private static Name name(String text) {
        try {
            return Name.fromString(text, Name.root);
        } catch (TextParseException malformed) {
            throw new IllegalArgumentException(text, malformed);
        }
    }
}
