package dev.plumbline.module.dns.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.dns.CnameChain;
import dev.plumbline.lab.AuthoritativeZone;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.module.dns.AnswerRecords;
import dev.plumbline.module.dns.nameservers.NameserverEvidence;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.AddressProbe;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.Server;
import dev.plumbline.module.dns.nameservers.Nameservers;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.NameserverResponse;
import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Any response of a nameserver is evaluated without an exception and in bounded time. */
class NameserverPropertyTest {
    private static final ModuleDefinition<NameserverEvidence> MODULE = SheetModule.load(new Nameservers());
    private static final Name ZONE = Name.fromConstantString("zone.test.");
    private static final InetAddress ADDRESS = IpAddressText.parse("192.0.2.1");
    private static final AuthoritativeZone GOOD = AuthoritativeZone.of(
                    "zone.test", 7, "@ NS ns1", "@ NS ns2", "ns1 A 192.0.2.1", "www CNAME a", "a CNAME b", "b TXT text")
            .transferable()
            .recursive();

    private static byte[] response(Name name, int type) throws IOException {
        Message query = Message.newQuery(Record.newRecord(name, type, DClass.IN));
        return GOOD.reply(query, query, DnsLab.Transport.TCP, 0);
    }

    private static NameserverResponse decoded(byte[] bytes) {
        try {
            return new NameserverResponse(new Message(bytes), 1);
        } catch (IOException | RuntimeException malformed) {
            return null;
        }
    }

    private static NameserverResponse corrupted(Name name, int type, List<Integer> changes) throws IOException {
        byte[] bytes = response(name, type);
        for (int change : changes) {
            bytes[change % bytes.length] = (byte) (change / bytes.length);
        }
        return decoded(bytes);
    }

    private static Evaluation evaluate(NameserverResponse soa, NameserverResponse ns, NameserverResponse transfer) {
        Server server = new Server(
                "ns1.zone.test",
                Name.fromConstantString("ns1.zone.test."),
                HostAddresses.found(List.of(ADDRESS)),
                List.of(ADDRESS),
                List.of(new AddressProbe(ADDRESS, soa, null, ns, transfer, null, soa)));
        List<Name> targets = ns == null ? List.of() : ZoneDelegation.targets(ns.answers(ZONE, Type.NS));
        ZoneDelegation delegation = new ZoneDelegation(
                ZONE, Name.fromConstantString("test."), ZoneDelegation.State.REFERRAL, targets, Map.of());
        return MODULE.evaluate(
                new NameserverEvidence(ZONE, ZONE, delegation, null, false, List.of(server)),
                Options.defaults(MODULE.description()));
    }

    @Property(tries = 500)
    void evaluatesCorruptedResponses(
            @ForAll @Size(min = 1, max = 8) List<@IntRange(max = 100_000) Integer> soa,
            @ForAll @Size(max = 8) List<@IntRange(max = 100_000) Integer> ns,
            @ForAll @Size(max = 8) List<@IntRange(max = 100_000) Integer> transfer)
            throws IOException {
        NameserverResponse first = corrupted(ZONE, Type.SOA, soa);
        if (first == null) {
            return;
        }
        Evaluation evaluation = evaluate(first, corrupted(ZONE, Type.NS, ns), corrupted(ZONE, Type.AXFR, transfer));

        assertThat(evaluation.fields().get("servers")).asInstanceOf(LIST).hasSize(1);
    }

    @Property(tries = 500)
    void readsRecordsOfCorruptedResponses(
            @ForAll @Size(min = 1, max = 8) List<@IntRange(max = 100_000) Integer> changes) throws IOException {
        Name name = Name.fromConstantString("www.zone.test.");
        NameserverResponse response = corrupted(name, Type.TXT, changes);
        if (response == null) {
            return;
        }
        assertThat(AnswerRecords.of(name, Type.TXT, response).aliases()).hasSizeLessThanOrEqualTo(8);
        try {
            assertThat(CnameChain.of(name, Type.TXT, response.message(), 1).responseMs())
                    .isEqualTo(1);
        } catch (CheckFailure mismatched) {
            assertThat(mismatched.error().message()).endsWith(".");
        }
    }

    @Test
    void evaluatesThousandsOfRecordsInBoundedTime() throws IOException {
        NameserverResponse soa = decoded(response(ZONE, Type.SOA));
        NameserverResponse ns = decoded(response(ZONE, Type.NS));
        for (int i = 0; i < 10_000; i++) {
            ns.message()
                    .addRecord(new NSRecord(ZONE, DClass.IN, 60, new Name("ns" + i + ".zone.test.")), Section.ANSWER);
        }
        Evaluation evaluation = assertTimeoutPreemptively(Duration.ofSeconds(10), () -> evaluate(soa, ns, ns));

        assertThat(evaluation.findings()).isNotEmpty();
    }

    @Test
    void followsAliasLoopsInBoundedTime() throws IOException {
        Name first = Name.fromConstantString("a.zone.test.");
        Name second = Name.fromConstantString("b.zone.test.");
        Message message = new Message(1);
        message.getHeader().setFlag(Flags.QR);
        List<Record> loop = new ArrayList<>(
                List.of(new CNAMERecord(first, DClass.IN, 60, second), new CNAMERecord(second, DClass.IN, 60, first)));
        for (int i = 0; i < 10_000; i++) {
            loop.add(new CNAMERecord(new Name("c" + i + ".zone.test."), DClass.IN, 60, first));
        }
        loop.forEach(record -> message.addRecord(record, Section.ANSWER));

        AnswerRecords records = assertTimeoutPreemptively(
                Duration.ofSeconds(10), () -> AnswerRecords.of(first, Type.A, new NameserverResponse(message, 1)));

        assertThat(records.data()).isEmpty();
    }

    /** As many as fit in a response over TCP. */
    @Test
    void evaluatesThousandsOfNameserversWithGlue() {
        List<Name> names = IntStream.range(0, 4_000)
                .mapToObj(i -> Name.fromConstantString("ns" + i + ".zone.test."))
                .toList();
        Map<Name, List<InetAddress>> glue = new HashMap<>();
        names.stream().limit(1_500).forEach(name -> glue.put(name, List.of(ADDRESS)));
        ZoneDelegation delegation =
                new ZoneDelegation(ZONE, Name.fromConstantString("test."), ZoneDelegation.State.REFERRAL, names, glue);
        List<Server> servers = names.stream()
                .map(name -> new Server(
                        name.toString(true), name, HostAddresses.NOT_CHECKED, delegation.glueOf(name), List.of()))
                .toList();

        Evaluation evaluation = assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () -> MODULE.evaluate(
                        new NameserverEvidence(ZONE, ZONE, delegation, null, false, servers),
                        Options.defaults(MODULE.description())));

        assertThat(evaluation.findings())
                .filteredOn(finding -> finding.code().equals("missing_glue"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains("2,495 more"));
    }
}
