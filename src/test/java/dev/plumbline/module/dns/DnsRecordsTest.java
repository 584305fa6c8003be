package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.BusyFailure;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Finding;
import dev.plumbline.check.Judgement;
import dev.plumbline.check.Level;
import dev.plumbline.check.Options;
import dev.plumbline.check.Verdict;
import dev.plumbline.lab.Dig;
import dev.plumbline.lab.DnsBench;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.DnsSaid;
import dev.plumbline.lab.Named;
import dev.plumbline.module.dns.DnsRecords.Asked;
import dev.plumbline.module.dns.DnsRecords.Evidence;
import dev.plumbline.probe.DnsAnswer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

class DnsRecordsTest {
  private static final DnsRecords MODULE = new DnsRecords();
  private static DnsBench bench;

  @BeforeAll
  static void start() {
    bench = DnsBench.start();
    bench
        .dns()
        .address("full.test", "192.0.2.1", "2001:db8::1")
        .record("full.test. 300 IN MX 10 mail.full.test.")
        .record("full.test. 300 IN TXT \"v=spf1 \" \"-all\"")
        .record("full.test. 300 IN CAA 0 issue \"ca.test\"")
        .address("inside.test", "192.0.2.1", "10.1.2.3")
        .record("half.test. 300 IN TXT \"known\"")
        .address("half.test", "192.0.2.1")
        .behave("half.test", DnsFaults.only(Type.HTTPS, DnsFaults.rcode(Rcode.SERVFAIL)))
        .address("ldap.test", "192.0.2.1")
        .record("ldap.test. 300 IN SRV 0 0 389 dc1.corp.example.")
        .behave("lame.test", DnsFaults.rcode(Rcode.REFUSED))
        .behave("upward.test", DnsFaults.upwardReferral())
        .record("doubt.test. 300 IN TXT \"known\"")
        .behave(
            "doubt.test",
            (query, honest, transport, count) ->
                query.getQuestion().getType() == Type.TXT
                    ? honest.toWire()
                    : DnsFaults.rcode(Rcode.SERVFAIL).reply(query, honest, transport, count))
        .behave("silent.test", DnsFaults.silent())
        .empty("empty.test")
        .alias("circle.test", "round.test")
        .alias("round.test", "circle.test")
        .address("xn--bcher-kva.test", "192.0.2.1");
  }

  @AfterAll
  static void stop() {
    bench.close();
  }

  private static CheckResult check(String domain, String query) {
    return bench.check(MODULE, domain, query);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, List<Map<String, Object>>> records(CheckResult result) {
    return (Map<String, List<Map<String, Object>>>) result.fields().get("records");
  }

  @Test
  void tellsEveryRecord() {
    CheckResult result = check("Full.test.", "");

    assertThat(result.verdict()).isEqualTo(Verdict.PASS);
    assertThat(result.fields()).containsEntry("rcode", "NOERROR").containsEntry("ttl_min", 60);
    Map<String, List<Map<String, Object>>> records = records(result);
    assertThat(records.keySet()).containsExactly("A", "AAAA", "MX", "TXT", "CAA");
    assertThat(records.get("AAAA"))
        .isEqualTo(List.of(Map.of("name", "full.test", "ttl_seconds", 60L, "data", "2001:db8::1")));
    assertThat(records.get("MX").toString())
        .contains("preference=10, host=mail.full.test", "data=10 mail.full.test.");
    assertThat(records.get("TXT").toString())
        .contains("text=v=spf1 -all", "data=\"v=spf1 \" \"-all\"");
    assertThat(records.get("CAA").toString()).contains("tag=issue, value=ca.test");
  }

  @Test
  void asksForWhatItIsToldTo() {
    CheckResult result = check("full.test", "types=TXT,TXT");

    assertThat(records(result).keySet()).containsExactly("TXT");
    assertThat(records(check("full.test", "types="))).hasSize(5);
    assertThat(
            Options.parse(MODULE.description(), Map.of("types", "TXT,ANY,AXFR"))
                .faults()
                .get(0)
                .detail())
        .contains("A, AAAA");
  }

  @Test
  void readsInternationalNames() {
    assertThat(check("Bücher.test", "types=A").target()).isEqualTo("xn--bcher-kva.test");
    assertThat(check("Bücher.test", "types=A").verdict()).isEqualTo(Verdict.PASS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"inside.test", "inside.test types=TXT"})
  void tellsNothingOfANameThatLeadsInside(String asked) {
    String[] parts = asked.split(" ");
    CheckResult result = check(parts[0], parts.length > 1 ? parts[1] : "");

    assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
    assertThat(result.fields().values()).containsOnlyNulls();
    assertThat(result.toString()).doesNotContain("10.1.2.3");
  }

  @Test
  void hidesRecordsThatNameHostsInside() {
    CheckResult result = check("ldap.test", "");

    assertThat(codes(result.findings())).contains("private_records_hidden");
    assertThat(result.toString()).doesNotContain("dc1.corp.example");
    assertThat(records(result).keySet()).containsExactly("A");
  }

  @Test
  void neverAsksForWhatIsNotLookedUp() {
    assertThat(check("secret.corp.example", "").error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
    assertThat(bench.dns().queries("secret.corp.example")).isZero();
  }

  @ParameterizedTest
  @CsvSource({"SERVFAIL, DNS_SERVFAIL", "silence, DNS_TIMEOUT"})
  void aWildcardOfWhichNothingWasSaidLeavesTheQuestionOpen(String fault, ErrorCode code) {
    String name = "untold-" + fault.toLowerCase(Locale.ROOT) + ".test";
    bench.dns().address(name, "192.0.2.1");
    bench
        .dns()
        .behave(
            nobodys(name),
            fault.equals("silence") ? DnsFaults.silent() : DnsFaults.rcode(Rcode.SERVFAIL));

    CheckResult result = check(name, "types=A");

    assertThat(result.fields()).containsEntry("wildcard", null);
    assertThat(records(result).keySet()).containsExactly("A");
    assertThat(result.error().code()).isEqualTo(code);
    assertThat(result.error().message()).startsWith("Whether there is a wildcard");
    assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
  }

  @Test
  void aWildcardThatLeadsInsideIsOne() {
    bench.dns().address("dev.test", "192.0.2.1").address(nobodys("dev.test"), "10.1.2.3");

    CheckResult result = check("dev.test", "types=A");

    assertThat(result.fields()).containsEntry("wildcard", true);
    assertThat(codes(result.findings())).containsExactly("private_records_hidden", "wildcard");
    assertThat(result.error()).isNull();
    assertThat(result.toString()).doesNotContain("10.1.2.3");
  }

  @Test
  void aWildcardIsNotToldOfANameWhoseAddressesAreUnknown() {
    bench.dns().behave("unsure.test", DnsFaults.only(Type.A, DnsFaults.rcode(Rcode.SERVFAIL)));
    bench.dns().empty("unsure.test").address(nobodys("unsure.test"), "192.0.2.1");

    CheckResult result = check("unsure.test", "");

    assertThat(result.fields()).containsEntry("wildcard", null);
    assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
  }

  @Test
  void tellsNoMoreThanTheAddressesOfANameThatMayLeadInside() {
    bench
        .dns()
        .record("veiled.test. 60 IN TXT \"secret\"")
        .behave("veiled.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)));

    CheckResult result = check("veiled.test", "types=A,AAAA,TXT");

    assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    assertThat(result.error().message()).startsWith("Whether the name leads to a private network");
    assertThat(result.findings())
        .extracting(Finding::message)
        .containsExactly("No answer came for AAAA.");
    assertThat(result.toString()).doesNotContain("secret");
    bench.dns().record("target.test. 60 IN MX 1 secret.test.").alias("turn.test", "target.test");
    bench.dns().behave("turn.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)));
    CheckResult alias = check("turn.test", "types=A,CNAME,MX");
    assertThat(alias.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    assertThat(alias.toString()).doesNotContain("secret");
  }

  @Test
  void anOverloadedResolverIsNoAnswerOfTheDns() {
    assertThat(bench.failure(MODULE, 2, "full.test", "A")).isInstanceOf(BusyFailure.class);
  }

  /** The name below another that is asked for because nobody has it. */
  private static String nobodys(String name) {
    return DnsRecords.NOBODYS_LABEL + "." + name;
  }

  @Test
  void saysWhatFailed() {
    assertThat(check("half.test", "").findings())
        .extracting(Finding::message)
        .contains("No answer came for HTTPS.");
    CheckResult lame = check("lame.test", "");
    assertThat(lame.fields()).containsEntry("rcode", "REFUSED");
    assertThat(lame.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    assertThat(lame.verdict()).isEqualTo(Verdict.ERROR);
    CheckResult upward = check("upward.test", "");
    assertThat(upward.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    assertThat(upward.fields()).containsEntry("records", Map.of());
    assertThat(codes(upward.findings())).isEmpty();
    assertThat(check("silent.test", "timeout_ms=1000").error().code())
        .isEqualTo(ErrorCode.DNS_TIMEOUT);
    CheckResult missing = check("missing.test", "");
    assertThat(missing.fields()).containsEntry("rcode", "NXDOMAIN");
    assertThat(missing.error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
    assertThat(codes(missing.findings())).containsExactly("name_does_not_exist");
    assertThat(codes(check("circle.test", "").findings()))
        .containsExactly("alias_at_apex", "broken_alias");
    assertThat(codes(check("empty.test", "").findings())).containsExactly("no_records");
  }

  @Test
  void tellsNothingOfANameOfWhoseAddressesNothingIsKnown() {
    CheckResult result = check("doubt.test", "");

    assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    assertThat(result.fields().get("records").toString()).isEqualTo("{}");
  }

  @Test
  void readsALargeAnswer() {
    for (int i = 0; i < 400; i++) {
      bench.dns().record("large.test. 300 IN TXT \"" + i + "x".repeat(120) + "\"");
    }
    CheckResult result = check("large.test", "types=TXT");

    assertThat(result.error()).isNull();
    assertThat(result.truncated()).containsExactly("fields.records");
  }

  static Stream<Arguments> cases() {
    return Stream.of(
        seen(
            "alias_with_other_records",
            "CNAME a.example.com. 60 IN CNAME b.test.",
            "MX a.example.com. 60 IN MX 1 m.test."),
        seen(
            "alias_at_apex",
            "CNAME example.com. 60 IN CNAME b.test.",
            "MX example.com. 60 IN MX 1 m.test."),
        seen("alias_at_apex", "A example.com. 60 IN CNAME b.test.|b.test. 60 IN A 1.1.1.1"),
        seen(
            "several_aliases",
            "CNAME a.example.com. 60 IN CNAME b.test.|a.example.com. 60 IN CNAME c.test."),
        seen(
            "long_alias_chain",
            "A a.example.com. 60 IN CNAME b.test.|b.test. 60 IN CNAME c.test.|c.test. 60 IN CNAME d.test.|d.test. 60 IN A 1.1.1.1"),
        seen("-", "A a.example.com. 60 IN CNAME b.test.|b.test. 60 IN A 1.1.1.1"),
        seen("single_name_server", "NS a.example.com. 60 IN NS ns.test."),
        seen("-", "NS a.example.com. 60 IN NS ns.test.|a.example.com. 60 IN NS ns2.test."),
        seen(
            "ttls_differ", "NS a.example.com. 60 IN NS ns.test.|a.example.com. 61 IN NS ns2.test."),
        seen("no_ipv6", "A a.example.com. 60 IN A 1.1.1.1", "AAAA"),
        seen("-", "A a.example.com. 60 IN A 1.1.1.1"),
        seen("no_records", "A", "AAAA"),
        seen("short_ttl", "MX a.example.com. 59 IN MX 0 ."),
        seen("long_ttl", "MX a.example.com. 604801 IN MX 0 ."),
        seen("denied_though_it_exists", "A a.example.com. 60 IN A 1.1.1.1", "CAA!"),
        seen(
            "dangling_alias",
            "CNAME a.example.com. 60 IN CNAME b.test.",
            "A! a.example.com. 60 IN CNAME b.test."),
        seen("dangling_alias", "A! a.example.com. 60 IN CNAME b.test."),
        seen("name_does_not_exist", "A!", "MX!"));
  }

  private static Arguments seen(String codes, String... asked) {
    return Arguments.of(codes, List.of(asked));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void judges(String codes, List<String> asked) {
    String name = asked.toString().contains(" example.com.") ? "example.com" : "a.example.com";
    List<Asked> all = new ArrayList<>();
    for (String one : asked) {
      String[] parts = one.split(" ", 2);
      String type = parts[0].replace("!", "");
      int rcode = parts[0].endsWith("!") ? Rcode.NXDOMAIN : Rcode.NOERROR;
      String[] lines = parts.length < 2 ? new String[0] : parts[1].split("\\|");
      all.add(new Asked(type, DnsSaid.answer(name, type, rcode, lines), null));
    }

    Judgement judgement = judge(new Evidence(name, all, null, null));

    assertThat(codes(judgement.findings()))
        .isEqualTo(codes.equals("-") ? List.of() : Arrays.asList(codes.split(" ")));
  }

  @ParameterizedTest
  @CsvSource({
    "foo.azurewebsites.net, false",
    "foo.github.io, false",
    "www.foo.co.uk, false",
    "foo.co.uk, true",
    "foo.com, true"
  })
  void onlyARegisteredDomainIsTakenForTheTopOfAZone(String name, boolean apex) {
    DnsAnswer alias = DnsSaid.answer(name, "CNAME", name + ". 60 IN CNAME b.test.");

    Judgement judgement =
        judge(new Evidence(name, List.of(new Asked("CNAME", alias, null)), null, null));

    assertThat(codes(judgement.findings()).contains("alias_at_apex")).isEqualTo(apex);
  }

  @Test
  void oneTypeThatIsDeniedDoesNotMakeTheNameGone() {
    Evidence seen =
        new Evidence(
            "a.example.com",
            List.of(
                new Asked("CAA", DnsSaid.answer("a.example.com", "CAA", Rcode.NXDOMAIN), null),
                new Asked(
                    "A",
                    DnsSaid.answer("a.example.com", "A", "a.example.com. 60 IN A 1.1.1.1"),
                    null)),
            null,
            null);

    assertThat(judge(seen).fields()).containsEntry("rcode", "NOERROR");
    assertThat(judge(seen).error()).isNull();
  }

  @Test
  void aNameThatDoesNotExistIsAnErrorAndNoFault() {
    CheckResult missing = check("missing.test", "");

    assertThat(missing.verdict()).isEqualTo(Verdict.ERROR);
    assertThat(missing.findings())
        .extracting(Finding::code, Finding::level)
        .containsExactly(tuple("name_does_not_exist", Level.INFO));
  }

  @Test
  void showsTheWholeWayOfAnAlias() {
    bench.dns().alias("web.way.test", "www.way.test").alias("www.way.test", "way.test");
    bench.dns().address("way.test", "192.0.2.1");

    for (String types : List.of("", "types=A")) {
      assertThat(records(check("web.way.test", types)).get("CNAME"))
          .extracting(row -> row.get("name") + " " + row.get("data"))
          .containsExactly("web.way.test www.way.test.", "www.way.test way.test.");
    }
  }

  @Test
  void tellsMailServersInTheOrderInWhichTheyAreTried() {
    for (String server : List.of("20 b", "10 c", "5 z", "20 a", "100 a")) {
      bench.dns().record("order.test. 60 IN MX " + server + ".order.test.");
    }

    assertThat(records(check("order.test", "types=MX")).get("MX"))
        .extracting(row -> row.get("data").toString().replace(".order.test.", ""))
        .containsExactly("5 z", "10 c", "20 a", "20 b", "100 a");
  }

  @Test
  void ofANameWhoseOnlyRecordIsHiddenItIsNotSaidThatThereIsNone() {
    bench.dns().record("_ldap._tcp.hidden.test. 60 IN SRV 0 0 389 dc1.corp.example.");

    for (String types : List.of("", "types=SRV", "types=A,SRV")) {
      CheckResult result = check("_ldap._tcp.hidden.test", types);
      assertThat(codes(result.findings())).doesNotContain("no_records");
    }
    assertThat(codes(check("_ldap._tcp.hidden.test", "").findings()))
        .containsExactly("private_records_hidden");
  }

  @Test
  void everyTypeOfANameBehindALongWayMayBeAskedFor() {
    for (int hop = 0; hop < 8; hop++) {
      bench
          .dns()
          .behave("h" + hop + ".far.test", DnsFaults.bareAlias("h" + (hop + 1) + ".far.test"));
    }
    bench.dns().address("h8.far.test", "192.0.2.1");
    List<String> all =
        Stream.concat(DnsRecords.USUAL.stream(), DnsRecords.UNUSUAL.stream()).toList();

    CheckResult result = check("h0.far.test", "types=" + String.join(",", all));

    assertThat(result.error()).isNull();
    assertThat(codes(result.findings())).doesNotContain("types_unanswered");
    assertThat(records(result).get("CNAME")).hasSize(8);
  }

  @Test
  void saysThatThereIsAWildcard() {
    Evidence seen =
        new Evidence(
            "a.test",
            List.of(new Asked("A", DnsSaid.answer("a.test", "A"), null)),
            new Asked("A", DnsSaid.answer("x.a.test", "A", "x.a.test. 60 IN A 1.1.1.1"), null),
            null);

    assertThat(judge(seen).fields()).containsEntry("wildcard", true);
    assertThat(codes(judge(seen).findings())).contains("wildcard");
  }

  @Test
  void whatWasTooMuchToAskLeavesTheQuestionOpen() {
    CheckError limit = new CheckError(ErrorCode.REQUEST_LIMIT, "Too much.");
    DnsAnswer known = DnsSaid.answer("a.test", "A", "a.test. 60 IN A 1.1.1.1");

    Judgement judgement =
        judge(
            new Evidence(
                "a.test",
                List.of(new Asked("A", known, null), new Asked("MX", null, limit)),
                null,
                null));

    assertThat(judgement.error()).isEqualTo(limit);
  }

  @Test
  void theFirstFailureIsToldWhenNothingWasAnswered() {
    CheckError timeout = new CheckError(ErrorCode.DNS_TIMEOUT, "Late.");
    Evidence seen =
        new Evidence(
            "a.test",
            List.of(new Asked("A", null, timeout), new Asked("MX", null, timeout)),
            null,
            null);

    assertThat(judge(seen).error()).isEqualTo(timeout);
    assertThat(judge(seen).fields()).containsEntry("rcode", null);
  }

  @Test
  void anAnswerThatCameTooLateLeavesTheQuestionOpen() {
    CheckError timeout = new CheckError(ErrorCode.DNS_TIMEOUT, "Late.");
    Evidence seen =
        new Evidence(
            "a.test",
            List.of(
                new Asked("A", DnsSaid.answer("a.test", "A", "a.test. 60 IN A 1.1.1.1"), null),
                new Asked("TXT", null, timeout)),
            null,
            null);

    assertThat(judge(seen).error()).isEqualTo(timeout);
    assertThat(judge(seen).fields().get("records").toString()).contains("1.1.1.1");
    assertThat(codes(judge(seen).findings())).containsExactly("types_unanswered");
  }

  @Property(tries = 5000)
  void whateverARecordHoldsIsTold(
      @ForAll("types") String type, @ForAll @Size(max = 80) byte[] data) {
    Record record;
    try {
      record =
          Record.newRecord(
              Name.fromConstantString("a.example.com."),
              Type.value(type),
              DClass.IN,
              60,
              data.length,
              data);
      record.rdataToWireCanonical();
    } catch (RuntimeException malformed) {
      return; // no message that holds it is ever read
    }
    DnsAnswer empty = DnsSaid.answer("a.example.com", type);
    DnsAnswer answer =
        new DnsAnswer(
            empty.name(),
            empty.type(),
            Rcode.NOERROR,
            List.of(),
            List.of(record),
            List.of(),
            false,
            false,
            60,
            1);

    Judgement judgement =
        judge(new Evidence("a.example.com", List.of(new Asked(type, answer, null)), null, null));

    assertThat(((Map<?, ?>) judgement.fields().get("records")).containsKey(type)).isTrue();
  }

  @Provide
  Arbitrary<String> types() {
    return Arbitraries.of(
        Stream.concat(DnsRecords.USUAL.stream(), DnsRecords.UNUSUAL.stream()).toList());
  }

  private static Judgement judge(Evidence seen) {
    return MODULE.judge(seen, Options.defaults(MODULE.description()));
  }

  private static List<String> codes(List<Finding> findings) {
    return findings.stream().map(Finding::code).toList();
  }

  @Test
  void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
    String types = "A,AAAA,CNAME,MX,NS,TXT,SOA,CAA,HTTPS,SRV,SVCB,TLSA,DS,PTR,NAPTR,SSHFP,URI";
    try (Named named =
        Named.start(
            folder,
            Map.of(
                "zone.test",
                """
                @ IN A 192.0.2.1
                @ 120 IN A 192.0.2.2
                @ IN AAAA 2001:db8::1:0:0:1
                @ IN MX 10 Mail
                @ IN MX 20 mail.other.test.
                @ IN TXT "v=spf1 " "-all"
                @ IN TXT "quote \\" back \\\\ \\195\\188 ;"
                @ IN CAA 0 issue "ca.test; a=b"
                @ IN CAA 128 iodef "mailto:a@zone.test"
                @ IN HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1 port=8443
                @ IN SVCB 0 other.test.
                @ IN URI 10 1 "https://zone.test/"
                @ IN NAPTR 100 10 "S" "SIP+D2U" "" _sip._udp.zone.test.
                @ IN SSHFP 4 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                _443._tcp IN TLSA 3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                _sip._udp IN SRV 1 2 5060 sip
                www IN CNAME @
                chain IN CNAME www
                away IN CNAME target.other.test.
                dangling IN CNAME nobody
                *.wild IN A 192.0.2.9
                long IN TXT %s
                empty.below IN A 192.0.2.3
                """
                    .formatted(("\"" + "y".repeat(255) + "\" ").repeat(60)),
                "other.test",
                "target IN A 192.0.2.4\n"))) {
      for (String name :
          List.of(
              "zone.test",
              "www.zone.test",
              "chain.zone.test",
              "away.zone.test",
              "dangling.zone.test",
              "x.wild.zone.test",
              "wild.zone.test",
              "long.zone.test",
              "below.zone.test",
              "_443._tcp.zone.test",
              "_sip._udp.zone.test",
              "no.zone.test")) {
        CheckResult result = bench.check(MODULE, named.address(), name, "types=" + types);

        List<String> ours = new ArrayList<>();
        records(result)
            .forEach(
                (type, rows) ->
                    rows.forEach(
                        row ->
                            ours.add(
                                "%s. %s IN %s %s"
                                    .formatted(
                                        row.get("name"),
                                        row.get("ttl_seconds"),
                                        type,
                                        row.get("data")))));
        List<String> theirs = new ArrayList<>();
        for (String type : types.split(",")) {
          Dig.ask(named.port(), "+noall", "+answer", "+nosplit", name, type).stream()
              .map(line -> line.replaceAll("\\s+", " ").replace("alpn=\"h2,h3\"", "alpn=h2,h3"))
              .filter(line -> !theirs.contains(line))
              .forEach(theirs::add);
        }
        assertThat(ours.stream().map(line -> line.replaceAll("\\s+", " ")).toList())
            .as(name)
            .containsExactlyInAnyOrderElementsOf(theirs);
        List<String> comments = Dig.ask(named.port(), "+noall", "+comments", name, "A");
        assertThat(comments.toString())
            .contains("status: " + result.fields().get("rcode") + ",")
            .contains("flags: qr " + ((boolean) result.fields().get("authoritative") ? "aa " : ""));
        assertThat(result.fields()).containsEntry("wildcard", name.endsWith("wild.zone.test"));
      }
    }
  }

  @Test
  void agreesWithDigOnLameDelegations(@TempDir Path folder) throws Exception {
    String zone =
        """
        good IN NS ns
        refusing IN NS ns
        upward IN NS ns
        half IN NS ns
        half IN NS gone
        dead IN NS gone
        ns IN A 127.0.0.2
        gone IN A 127.0.0.3
        """;
    try (Named resolver = Named.start(folder, Map.of("zone.test", zone));
        DnsLab ns = DnsLab.start(InetAddress.getByName("127.0.0.2"), resolver.port())) {
      for (String name : List.of("good.zone.test", "half.zone.test")) {
        ns.address(name, "192.0.2.1").record(name + ". 60 IN TXT \"known\"");
        ns.behave(name, DnsFaults.authoritative(name));
        ns.behave(nobodys(name), DnsFaults.authoritative(name));
      }
      ns.behave("refusing.zone.test", DnsFaults.rcode(Rcode.REFUSED));
      ns.behave("upward.zone.test", DnsFaults.upwardReferral());

      for (String name : List.of("good", "half", "refusing", "upward", "dead")) {
        boolean lame = !name.equals("good") && !name.equals("half");
        CheckResult result =
            bench.check(MODULE, resolver.address(), name + ".zone.test", "types=A,AAAA,TXT");

        for (String type : List.of("A", "AAAA", "TXT")) {
          assertThat(
                  Dig.ask(resolver.port(), "+noall", "+comments", name + ".zone.test", type)
                      .toString())
              .contains("status: " + result.fields().get("rcode") + ",");
        }
        assertThat(result.fields())
            .as(name)
            .containsEntry("rcode", lame ? "SERVFAIL" : "NOERROR")
            .containsEntry("authoritative", false);
        assertThat(records(result).keySet())
            .containsExactlyElementsOf(lame ? List.of() : List.of("A", "TXT"));
        assertThat(result.error() == null ? null : result.error().code())
            .isEqualTo(lame ? ErrorCode.DNS_SERVFAIL : null);
        assertThat(codes(result.findings())).isEqualTo(lame ? List.of() : List.of("no_ipv6"));
      }
      assertThat(ns.queries("upward.zone.test")).isPositive();
      assertThat(ns.queries("refusing.zone.test")).isPositive();
    }
  }
}
