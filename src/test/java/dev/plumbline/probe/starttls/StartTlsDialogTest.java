package dev.plumbline.probe.starttls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.probe.starttls.StartTlsDialog.Step;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StartTlsDialogTest {
    /** The steps until the dialog ends, without those that only wait. */
    private static List<Step> feed(StartTlsDialog dialog, String received) {
        List<Step> steps = new ArrayList<>();
        StringBuilder unit = new StringBuilder();
        for (int i = 0; i < received.length(); i++) {
            char next = received.charAt(i);
            unit.append(next);
            if (dialog.endsUnit(next)) {
                String text = unit.toString();
                Step step = dialog.receive(dialog.binary() ? text : text.stripTrailing());
                unit.setLength(0);
                if (!step.equals(Step.WAIT)) {
                    steps.add(step);
                }
                if (step.kind() != Step.Kind.SEND) {
                    break;
                }
            }
        }
        return steps;
    }

    /** The examples of RFC 3207, RFC 9051, RFC 2595, RFC 4217 and RFC 6120, and unusual cases. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SMTP | 220 mail.imc.org SMTP service ready_250-mail.imc.org offers a warm hug of welcome_"
                        + "250-8BITMIME_250-STARTTLS_250 DSN_220 Go ahead_ | START_TLS | true",
                "SMTP | 220 a_250-a_250 STARTTLS X_ | NOT_OFFERED | false",
                "SMTP | 220 a_250 STARTTLS_ | NOT_OFFERED | false",
                "SMTP | 220_250-a_250 STARTTLS_220_ | START_TLS | true",
                "SMTP | 220 a_502 no_ | REJECTED |",
                "SMTP | 220 a_250-a_250 STARTTLS_501 Syntax error_ | REFUSED | true",
                "SMTP | 421 busy_ | REJECTED |",
                "SMTP | 220-a_221 b_220 c_250-a_250 STARTTLS_220 ok_ | START_TLS | true",
                "SMTP | SSH-2.0-OpenSSH_ | OTHER_PROTOCOL |",
                "SMTP | 999 a_ | OTHER_PROTOCOL |",
                "SMTP | _ | OTHER_PROTOCOL |",
                "IMAP | * OK hi_* CAPABILITY IMAP4rev2 STARTTLS AUTH=GSSAPI_a1 OK CAPABILITY completed_"
                        + "a2 OK Begin TLS negotiation now_ | START_TLS | true",
                "IMAP | * OK hi_* CAPABILITY IMAP4rev1 XSTARTTLS_a1 OK_ | NOT_OFFERED | false",
                "IMAP | * OK hi_a1 BAD no_ | REJECTED |",
                "IMAP | * OK hi_* capability imap4rev1 starttls_* 3 EXISTS_A1 ok_a2 BAD no_ | REFUSED | true",
                "IMAP | * OK hi_* BYE_ | REJECTED |",
                "IMAP | * OK hi_a2 OK_ | OTHER_PROTOCOL |",
                "IMAP | 220 smtp_ | OTHER_PROTOCOL |",
                "POP3 | +OK_+OK_STLS_._+OK Begin TLS negotiation_ | START_TLS | true",
                "POP3 | +OK_-ERR_-ERR unknown command_ | NOT_OFFERED | false",
                "POP3 | +OK_+OK_stls_._-ERR not now_ | REFUSED | true",
                "POP3 | +OK_+OK_SASL STLS_._ | NOT_OFFERED | false",
                "POP3 | -ERR busy_ | REJECTED |",
                "POP3 | * OK_ | OTHER_PROTOCOL |",
                "FTP | 220 ready_234 AUTH Command OK_ | START_TLS | true",
                "FTP | 120 wait_220 ready_234_ | START_TLS | true",
                "FTP | 220-ready_ 221 x_234 y_220 z_504_ | NOT_OFFERED | false",
                "FTP | 220 a_431 no certificate_ | REFUSED |",
                "FTP | 530 no_ | REJECTED |",
                "XMPP | <?xml version='1.0'?><s:stream a='>' b=\">\"><s:features><starttls xmlns='x'/></s:features>"
                        + "<proceed xmlns='x'/> | START_TLS | true",
                "XMPP | <stream:stream><stream:features><starttls></starttls></stream:features><proceed></proceed> "
                        + "| START_TLS | true",
                "XMPP | <stream:stream><stream:features/> | NOT_OFFERED | false",
                "XMPP | <stream:stream><stream:features><a>starttls</a></stream:features> | NOT_OFFERED | false",
                "XMPP | <stream:stream><stream:features><starttls/></stream:features><failure/> | REFUSED | true",
                "XMPP | <stream:stream><stream:error><policy-violation/> | REJECTED |",
                "XMPP | <stream:stream></stream:stream> | REJECTED |",
                "XMPP | <!DOCTYPE a [<!ENTITY b 'c'>]> | OTHER_PROTOCOL |",
                "XMPP | HTTP/1.1 400 Bad Request<html> | OTHER_PROTOCOL |",
            })
    void endsAsTheStandardsRequire(StartTlsProtocol protocol, String units, Step.Kind end, Boolean offered) {
        StartTlsDialog dialog = protocol.newDialog("example.com");
        List<Step> steps = feed(dialog, units.replace("_", "\r\n"));
        assertThat(steps).isNotEmpty();
        assertThat(steps.get(steps.size() - 1).kind()).isEqualTo(end);
        assertThat(dialog.offered()).isEqualTo(offered);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SMTP | 220 a_250-a_250 STARTTLS_ | EHLO plumbline.invalid_STARTTLS_",
                "IMAP | * OK_* CAPABILITY STARTTLS_a1 OK_ | a1 CAPABILITY_a2 STARTTLS_",
                "POP3 | +OK_+OK_STLS_._ | CAPA_STLS_",
                "FTP | 220_ | AUTH TLS_",
                "XMPP | <stream:stream><stream:features><starttls/></stream:features> "
                        + "| <starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
            })
    void sendsTheCommands(StartTlsProtocol protocol, String units, String commands) {
        StringBuilder sent = new StringBuilder();
        feed(protocol.newDialog("example.com"), units.replace("_", "\r\n")).forEach(step -> sent.append(step.text()));
        assertThat(sent.toString().replace("\r\n", "_")).isEqualTo(commands);
    }

    /** The messages of RFC 4511 and of the protocols of PostgreSQL and MySQL in hexadecimal, and incorrect ones. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "LDAP | 300c020101 7807 0a0100 0400 0400 | START_TLS | true | -",
                "LDAP | 30840000000c020101 7807 0a0100 0400 0400 | START_TLS | true | -",
                "LDAP | 30820024020101 781f 0a0100 0400 0400 8a16312e332e362e312e342e312e313436362e3230303337 "
                        + "| START_TLS | true | -",
                "LDAP | 300c020101 7807 0a0102 0400 0400 | NOT_OFFERED | false | -",
                "LDAP | 300c020101 7807 0a0134 0400 0400 | REFUSED | - | result code 52",
                "LDAP | 300c020102 7807 0a0100 0400 0400 | OTHER_PROTOCOL | - | -",
                "LDAP | 300c020101 6107 0a0100 0400 0400 | OTHER_PROTOCOL | - | -",
                "LDAP | 300c020101 7809 0a0100 0400 0400 | OTHER_PROTOCOL | - | -",
                "LDAP | 300c020101 7807 0a0100 0400 0401 | OTHER_PROTOCOL | - | -",
                "LDAP | 300d020101 7808 0a020000 0400 0400 | OTHER_PROTOCOL | - | -",
                "LDAP | 3000 | OTHER_PROTOCOL | - | -",
                "LDAP | 3080 | OTHER_PROTOCOL | - | -",
                "LDAP | 3085 | OTHER_PROTOCOL | - | -",
                "LDAP | 30827fff | OTHER_PROTOCOL | - | -",
                "POSTGRESQL | 53 | START_TLS | true | -",
                "POSTGRESQL | 4e | NOT_OFFERED | false | -",
                "POSTGRESQL | 450000000a 5300 4d6200 00 | REJECTED | - | b",
                "POSTGRESQL | 4500000005 00 | REJECTED | - | error without a message",
                "POSTGRESQL | 4500000004 | OTHER_PROTOCOL | - | -",
                "POSTGRESQL | 45ffffffff | OTHER_PROTOCOL | - | -",
                "POSTGRESQL | 52 | OTHER_PROTOCOL | - | -",
                "MYSQL | 12000000 0a3800 01000000 0000000000000000 00 0008 | START_TLS | true | -",
                "MYSQL | 12000000 0a3800 01000000 0000000000000000 00 fff7 | NOT_OFFERED | false | -",
                "MYSQL | 11000000 0a3800 01000000 0000000000000000 00 00 | OTHER_PROTOCOL | - | -",
                "MYSQL | 02000000 0a38 | OTHER_PROTOCOL | - | -",
                "MYSQL | 02000000 0938 | NOT_OFFERED | false | -",
                "MYSQL | 04000000 ff6a0461 | REJECTED | - | error 1130: a",
                "MYSQL | 02000000 ff6a | OTHER_PROTOCOL | - | -",
                "MYSQL | 00000000 | OTHER_PROTOCOL | - | -",
                "MYSQL | 05000001 | OTHER_PROTOCOL | - | -",
                "MYSQL | ffffff00 | OTHER_PROTOCOL | - | -",
            })
    void endsAsTheBinaryProtocolsRequire(
            StartTlsProtocol protocol, String bytes, Step.Kind end, Boolean offered, String response) {
        StartTlsDialog dialog = protocol.newDialog("example.com");
        List<Step> steps =
                feed(dialog, new String(HexFormat.of().parseHex(bytes.replace(" ", "")), StandardCharsets.ISO_8859_1));
        assertThat(steps).hasSize(1);
        assertThat(steps.get(0).kind()).isEqualTo(end);
        assertThat(dialog.offered()).isEqualTo(offered);
        if (response != null) {
            assertThat(steps.get(0).text()).isEqualTo(response);
        }
    }

    @Property(tries = 300)
    void anyInputEndsInAStep(
            @ForAll StartTlsProtocol protocol, @ForAll @StringLength(max = 300) String text, @ForAll int seed) {
        String[] parts = {
            "220 ", "250-STARTTLS\r\n", "* OK\r\n", "a1 OK\r\n", "+OK\r\n", ".\r\n", "<stream:features>", "'"
        };
        String start = parts[Math.floorMod(seed, parts.length)] + parts[Math.floorMod(seed / 8, parts.length)];
        StartTlsDialog dialog = protocol.newDialog("example.com");
        for (Step step : feed(dialog, start + text + "\r\n" + text)) {
            assertThat(step.text()).doesNotContain("\0");
            assertThat(step.kind()).isNotEqualTo(Step.Kind.START_TLS);
        }
    }

    @ParameterizedTest
    @EnumSource(StartTlsProtocol.class)
    void oneMegabyteIsHandledInLinearTime(StartTlsProtocol protocol) {
        for (String unit :
                List.of("220-a\r\n", "* OK ", "<a ", "<a b='>", "<", ">", "+OK\r\n", "\r\n", "<a:b c:", " ")) {
            String text = "<stream:stream><stream:features>" + unit.repeat(1_000_000 / unit.length()) + "\r\n>";
            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> feed(protocol.newDialog("example.com"), text));
        }
    }
}
