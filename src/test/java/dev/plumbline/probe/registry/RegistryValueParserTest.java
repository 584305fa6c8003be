package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegistryValueParserTest {
    @Test
    void aValueIsOneLineWithoutInvisibleCharacters() {
        assertThat(RegistryValueParser.value(" Good\u202e rats\u0007\u009b[1m\r\n\u2028Ltd.\u200b "))
                .isEqualTo("Good rats[1m Ltd.");
        assertThat(RegistryValueParser.value("\u202e\u200b\n")).isNull();
        assertThat(RegistryValueParser.value("\ud83d\udc1f \u00c5rhus")).isEqualTo("\ud83d\udc1f \u00c5rhus");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "2024-08-14T07:01:34Z, 2024-08-14T07:01:34Z",
                "2024-08-14T07:01:34.123456Z, 2024-08-14T07:01:34Z",
                "2024-08-14T07:01:34+0200, 2024-08-14T05:01:34Z",
                "2024-08-14T07:01:34-05:00, 2024-08-14T12:01:34Z",
                "2024-08-14 07:01:34 UTC, 2024-08-14T07:01:34Z",
                "2024-08-14 07:01:34+03, 2024-08-14T04:01:34Z",
                "2024-08-14 07:01:34, 2024-08-14T07:01:34Z",
                "2024-08-14, 2024-08-14T00:00:00Z",
                "2024/08/14, 2024-08-14T00:00:00Z",
                "2024/08/14 01:00:00 (JST), 2024-08-13T16:00:00Z",
                "2024.08.14 10:00:00, 2024-08-14T10:00:00Z",
                "2024. 08. 14., 2024-08-14T00:00:00Z",
                "20240814, 2024-08-14T00:00:00Z",
                "20240814 #123, 2024-08-14T00:00:00Z",
                "14-Aug-2024, 2024-08-14T00:00:00Z",
                "14-aug-2024 10:20:30 UTC, 2024-08-14T10:20:30Z",
                "14.08.2024, 2024-08-14T00:00:00Z",
                "1.8.2024 9:10:11, 2024-08-01T09:10:11Z",
                "14/08/2024, 2024-08-14T00:00:00Z",
                "August 14 2024, 2024-08-14T00:00:00Z",
                "Wed Aug 14 2024, 2024-08-14T00:00:00Z",
                "2024-Aug-14., 2024-08-14T00:00:00Z",
                "2024-08-14-T10:32:43Z, 2024-08-14T10:32:43Z",
                "14th August 2024 at 10:00:00.000, 2024-08-14T10:00:00Z",
                "Wed Aug 14 10:00:00 EEST 2024, 2024-08-14T07:00:00Z",
                "Aug 14 01:57:22 PDT 2024, 2024-08-14T08:57:22Z",
                "2024-08-14 10:22:50 (UTC+8), 2024-08-14T02:22:50Z",
                "8/14/2024 11:59:59 PM, 2024-08-14T23:59:59Z",
                "03/04/2024, -",
                "04/04/2024, 2024-04-04T00:00:00Z",
                "16/09/24, -",
                "before Aug-1996, -",
                "2024-02-30, -",
                "0000-00-00, -",
                "soon, -",
                "-, -"
            })
    void readsDates(@Nullable String text, @Nullable Instant moment) {
        assertThat(RegistryValueParser.date(text)).isEqualTo(moment);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "client transfer prohibited, clientTransferProhibited",
                "clientTransferProhibited https://icann.org/epp#x, clientTransferProhibited",
                "CLIENT_HOLD, clientHold",
                "Active, Active",
                "connect, connect",
                "Connected (2031/03/31), Connected",
                "200 Active, Active",
                "ok - Normal state., ok",
                "Transfer Prohibited by Registry, serverTransferProhibited",
                "' ', -"
            })
    void readsStatuses(String text, @Nullable String status) {
        assertThat(RegistryValueParser.status(text)).isEqualTo(status);
    }

    @Test
    void readsNoStatusFromAnEmptyValue() {
        assertThat(RegistryValueParser.statusList(" \u200b ")).isEmpty();
        assertThat(RegistryValueParser.statusList("ok, , client hold")).containsExactly("ok", "clientHold");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "NS1.Test.ORG., ns1.test.org",
                "ns1.test.org 192.0.2.1, ns1.test.org",
                "ns1.test.org[192.0.2.1], ns1.test.org",
                "(not entered), -",
                "no, -",
                "192.0.2.1, -",
                "-bad.test, -"
            })
    void readsNameservers(String text, @Nullable String name) {
        assertThat(RegistryValueParser.nameserver(text)).isEqualTo(name);
    }

    @Property(tries = 2000)
    void acceptsArbitraryText(@ForAll @StringLength(max = 400) String text) {
        RegistryValueParser.date(text);
        RegistryValueParser.status(text);
        RegistryValueParser.nameserver(text);
        RegistryValueParser.email(text);
        RegistryValueParser.number(text);
    }
}
